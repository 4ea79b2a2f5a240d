gl_FragCoord counted from the top, and by corners.
--- fragment
#version 150
layout(origin_upper_left, pixel_center_integer) in vec4 gl_FragCoord;
in vec2 uv;
out vec4 color;
void main() {
    vec2 at = vec2(gl_FragCoord.x + 0.5, 32 - gl_FragCoord.y - 0.5) / 32;
    bool ok = all(lessThan(abs(uv - at), vec2(0.002))) && fract(gl_FragCoord.x) == 0;
    color = ok ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);
}
