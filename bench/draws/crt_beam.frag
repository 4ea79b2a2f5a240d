// beams of an electron gun, one to four lines each way
// draws: u_lines=1 | u_lines=2 | u_lines=4
precision mediump float;
uniform int u_lines;
uniform sampler2D u_frame;
uniform vec2 u_size;
uniform float u_width;
varying vec2 v_uv;
void main() {
    float y = v_uv.y * u_size.y, f = fract(y);
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 4; i++) {
        if (i >= u_lines)
            break;
        float d = f - float(i) + 1.0;
        vec3 c = texture2D(u_frame, vec2(v_uv.x, (floor(y) + float(i) - 0.5) / u_size.y)).rgb;
        sum += c * c * exp(-d * d * u_width);
    }
    gl_FragColor = vec4(sqrt(sum), 1.0);
}
