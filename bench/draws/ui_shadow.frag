// a box shadow by samples of a Gaussian, as many as its blur wants
// draws: u_samples=1 | u_samples=4 | u_samples=8
precision mediump float;
uniform int u_samples;
uniform vec2 u_half;
uniform vec4 u_color;
uniform float u_sigma;
varying vec2 v_at;
void main() {
    float sum = 0.0;
    for (int i = 0; i < 8; i++) {
        if (i >= u_samples)
            break;
        float y = (float(i) - 3.5) * u_sigma;
        float inside = step(abs(v_at.y - y), u_half.y);
        vec2 e = clamp((vec2(u_half.x, -u_half.x) - v_at.x) / u_sigma, -1.0, 1.0);
        sum += inside * (e.x - e.y) * exp(-y * y);
    }
    gl_FragColor = u_color * sum / float(u_samples);
}
