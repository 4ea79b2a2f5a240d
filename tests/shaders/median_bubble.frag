precision highp float;
varying vec2 t;
uniform sampler2D depthMap;
uniform vec2 texel;
uniform float maxRange;
uniform int rank;        // which sorted element to emit (0..12)

#define N 13

void main() {
    float a[N];
    int n = 0;
    // diamond neighbourhood, skipping invalid (zero) depth
    for (int y = -2; y <= 2; y++) {
        for (int x = -2; x <= 2; x++) {
            int m = (x < 0 ? -x : x) + (y < 0 ? -y : y);
            if (m > 2) continue;
            float d = texture2D(depthMap, t + vec2(x, y) * texel).r;
            if (d <= 0.0 || d > maxRange) continue;
            // insertion from the back
            float carry = d;
            for (int i = 0; i < N; i++) {
                if (i < n) {
                    float lo = min(a[i], carry);
                    carry = max(a[i], carry);
                    a[i] = lo;
                } else if (i == n) {
                    a[i] = carry;
                }
            }
            n++;
        }
    }
    if (n == 0) {
        gl_FragColor = vec4(0.0);
        return;
    }
    int want = rank < 0 ? n / 2 : rank;
    if (want > n - 1) want = n - 1;
    gl_FragColor = vec4(a[want], float(n) / float(N), 0.0, 1.0);
}
