// a field as it is, doubled lines, or blended with its neighbours
// draws: u_mode=0 | u_mode=1 | u_mode=2
precision mediump float;
uniform int u_mode;
uniform sampler2D u_frame;
uniform float u_line, u_height;
varying vec2 v_uv;
void main() {
    vec4 c;
    if (u_mode == 0) {
        c = texture2D(u_frame, v_uv);
    } else if (u_mode == 1) {
        float y = (floor(v_uv.y * u_height * 0.5) * 2.0 + 0.5) * u_line;
        c = texture2D(u_frame, vec2(v_uv.x, y));
    } else {
        c = texture2D(u_frame, v_uv) * 0.5;
        c += texture2D(u_frame, v_uv + vec2(0.0, u_line)) * 0.25;
        c += texture2D(u_frame, v_uv - vec2(0.0, u_line)) * 0.25;
    }
    gl_FragColor = c;
}
