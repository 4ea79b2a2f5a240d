// a frame with subtitles over it while there are any
// draws: u_lines=0 | u_lines=1 | u_lines=2
precision mediump float;
uniform int u_lines;
uniform sampler2D u_frame, u_text;
uniform vec2 u_offset;
varying vec2 v_uv;
void main() {
    vec4 c = texture2D(u_frame, v_uv);
    for (int i = 0; i < 2; i++) {
        if (i < u_lines) {
            vec4 t = texture2D(u_text, v_uv + float(i) * u_offset);
            float rim = texture2D(u_text, v_uv + float(i) * u_offset + vec2(0.004, 0.004)).a;
            c.rgb *= 1.0 - max(rim, t.a);
            c.rgb += t.rgb * t.a;
        }
    }
    gl_FragColor = c;
}
