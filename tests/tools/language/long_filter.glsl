ES 1.00: three signals of 21 words filtered into three more, which are read at the end: as loops they do not fit.
--- fragment
precision highp float;
uniform float u;
uniform int count;
varying vec2 uv;
const int N = 21;
float weight(int i) { return 1.0 / float(i + 2); }
float value(int i, float shift) { return u + shift * float(i); }
void filtered(float shift, out float result[N]) {
    float signal[N];
    for (int i = 0; i < N; i++)
        signal[i] = value(i, shift) * step(-1.0, uv.x);
    for (int j = 0; j < N; j++) {
        result[j] = 0.0;
        for (int i = 0; i < N; i++)
            if (i + j >= N / 2 && i + j < N + N / 2)
                result[j] += signal[i + j - N / 2] * weight(i);
    }
}
float expected(float shift) {
    float sum = 0.0;
    for (int j = 0; j < count; j++) {
        float result = 0.0;
        for (int i = 0; i < count; i++)
            if (i + j >= N / 2 && i + j < N + N / 2)
                result += value(i + j - N / 2, shift) * weight(i);
        sum += result * sin(uv.x + float(j));
    }
    return sum;
}
bool near(float a, float b) { return abs(a - b) < 0.005; }
void main() {
    float r[N], g[N], b[N];
    filtered(0.1, r);
    filtered(0.3, g);
    filtered(-0.2, b);
    vec3 sum = vec3(0.0);
    for (int j = 0; j < N; j++)
        sum += vec3(r[j], g[j], b[j]) * sin(uv.x + float(j));
    bool ok = near(sum.r, expected(0.1)) && near(sum.g, expected(0.3)) && near(sum.b, expected(-0.2));
    gl_FragColor = vec4(ok ? 0.0 : 1.0, ok ? 1.0 : 0.0, 0.0, 1.0);
}
--- uniforms
[{"name": "u", "value": 0.5}, {"name": "count", "value": 21}]
