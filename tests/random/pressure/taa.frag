// History clamped to the box and the variance of nine neighbours in another colour space.
precision highp float;
uniform sampler2D u_source, u_history;
uniform vec2 u_grid;
uniform float u_f;
varying vec2 v_uv;
vec3 to(vec3 c) { return vec3(dot(c, vec3(0.25, 0.5, 0.25)), c.r - c.b, c.g - 0.5 * (c.r + c.b)); }
vec3 back(vec3 c) { float t = c.x - 0.5 * c.z; return vec3(t + 0.5 * c.y, c.x + 0.5 * c.z, t - 0.5 * c.y); }
void main() {
    vec2 s = vec2(1.0) / u_grid;
    vec3 n[9];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            n[j * 3 + i] = to(texture2D(u_source, v_uv + s * vec2(float(i - 1), float(j - 1))).rgb);
    vec3 low = n[0], high = n[0], m1 = vec3(0.0), m2 = vec3(0.0);
    for (int i = 0; i < 9; i++) {
        low = min(low, n[i]);
        high = max(high, n[i]);
        m1 += n[i];
        m2 += n[i] * n[i];
    }
    m1 /= 9.0;
    vec3 sigma = sqrt(max(m2 / 9.0 - m1 * m1, 0.0001));
    low = max(low, m1 - sigma * 1.25);
    high = min(high, m1 + sigma * 1.25);
    vec3 h = to(texture2D(u_history, v_uv + s * 0.3).rgb), c = clamp(h, low, high);
    float k = mix(0.05, 0.5, clamp(length(h - c) * 2.0, 0.0, 1.0)) * u_f;
    gl_FragColor = vec4(back(mix(c, n[4] * 1.2 - 0.05 * (n[1] + n[3] + n[5] + n[7]), k)), 1.0);
}
