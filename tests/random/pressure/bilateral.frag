// 5 x 5 texels weighted by place and by likeness to the middle one.
precision highp float;
uniform sampler2D u_source;
uniform vec2 u_grid;
uniform float u_f;
varying vec2 v_uv;
void main() {
    vec2 s = vec2(1.0) / u_grid;
    vec3 middle = texture2D(u_source, v_uv).rgb, sum = vec3(0.0);
    float total = 0.0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            vec3 c = texture2D(u_source, v_uv + s * vec2(float(i), float(j))).rgb, d = c - middle;
            float w = exp(-0.2 * float(i * i + j * j) - dot(d, d) * u_f * 8.0);
            sum += c * w;
            total += w;
        }
    gl_FragColor = vec4(sum / total, 1.0);
}
