// All 81 weights in a table of uniforms' products, one texel after the other.
precision mediump float;
uniform sampler2D u_source;
uniform vec2 u_grid;
uniform float u_k[5];
varying vec2 v_uv;
void main() {
    vec2 s = vec2(1.0) / u_grid;
    vec4 sum = vec4(0.0);
    float total = 0.0;
    for (int j = -4; j <= 4; j++)
        for (int i = -4; i <= 4; i++) {
            float w = (0.2 + u_k[i < 0 ? -i : i]) * (0.2 + u_k[j < 0 ? -j : j]);
            sum += texture2D(u_source, v_uv + s * vec2(float(i), float(j)) * 0.7) * w;
            total += w;
        }
    gl_FragColor = sum / total;
}
