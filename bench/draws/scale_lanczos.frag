// a row of a Lanczos filter with two, four or eight taps
// draws: u_taps=2 | u_taps=4 | u_taps=8
precision mediump float;
uniform int u_taps;
uniform sampler2D u_frame;
uniform vec2 u_step;
uniform float u_weight[8];
varying vec2 v_uv;
void main() {
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 8; i++)
        if (i < u_taps)
            sum += texture2D(u_frame, v_uv + (float(i) - 3.5) * u_step) * u_weight[i];
    gl_FragColor = sum;
}
