// composite video by a filter of so many taps
// draws: u_taps=1.0 | u_taps=5.0 | u_taps=12.0
precision mediump float;
uniform float u_taps;
uniform sampler2D u_signal;
uniform vec2 u_step;
varying vec2 v_uv;
void main() {
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 12; i++) {
        if (float(i) >= u_taps)
            break;
        sum += texture2D(u_signal, v_uv + float(i) * u_step);
    }
    gl_FragColor = sum / u_taps;
}
