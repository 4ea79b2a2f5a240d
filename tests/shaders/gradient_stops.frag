#ifdef GL_FRAGMENT_PRECISION_HIGH
precision highp float;
#else
precision mediump float;
#endif
#define MAX_STOPS 8
#define LINEAR 0
#define RADIAL 1
#define CONIC 2
#define FOCAL 3
#define PAD 0
#define REPEAT 1
#define REFLECT 2

varying vec2 v_paint;
uniform int u_kind;
uniform int u_spread;
uniform int u_stopCount;
uniform float u_stopPos[MAX_STOPS];
uniform vec4 u_stopColor[MAX_STOPS];
uniform vec2 u_focal;
uniform float u_alpha;
uniform bool u_interpPremul;

float param(out bool valid) {
    valid = true;
    if (u_kind == LINEAR) return v_paint.x;
    if (u_kind == RADIAL) return length(v_paint);
    if (u_kind == CONIC) return fract(atan(v_paint.y, v_paint.x) / 6.28318531 + 1.0);
    vec2 d = v_paint - u_focal;
    float a = 1.0 - dot(u_focal, u_focal);
    float b = dot(d, u_focal);
    float disc = b * b + a * dot(d, d);
    if (disc < 0.0 || a <= 0.0) {
        valid = false;
        return 0.0;
    }
    return (b + sqrt(disc)) / a;
}

float applySpread(float t) {
    if (u_spread == REPEAT) return fract(t);
    if (u_spread == REFLECT) {
        float m = mod(t, 2.0);
        return m > 1.0 ? 2.0 - m : m;
    }
    return clamp(t, 0.0, 1.0);
}

vec4 stopAt(int i) {
    vec4 c = u_stopColor[i];
    if (u_interpPremul) c.rgb *= c.a;
    return c;
}

void main() {
    bool ok;
    float t = param(ok);
    if (!ok) {
        gl_FragColor = vec4(0.0);
        return;
    }
    t = applySpread(t);
    vec4 c = stopAt(0);
    for (int i = 1; i < MAX_STOPS; i++) {
        if (i >= u_stopCount) break;
        float p0 = u_stopPos[i - 1];
        float p1 = u_stopPos[i];
        if (t < p0) break;
        float k = p1 > p0 ? clamp((t - p0) / (p1 - p0), 0.0, 1.0) : 1.0;
        c = mix(stopAt(i - 1), stopAt(i), k);
    }
    if (!u_interpPremul) c.rgb *= c.a;
    gl_FragColor = c * u_alpha;
}
