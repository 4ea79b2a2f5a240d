#ifdef GL_FRAGMENT_PRECISION_HIGH
precision highp float;
#else
precision mediump float;
#endif

const int COLORS = 16;

varying vec2 uv;
varying vec2 pixelPos;
uniform sampler2D frame;
uniform vec3 palette[COLORS];
uniform int numColors;
uniform int metric;
uniform float ditherAmount;

float dist2(vec3 a, vec3 b) {
    vec3 d = a - b;
    if (metric == 0)
        return dot(d, d);
    if (metric == 1) {
        d = abs(d);
        return d.r + d.g + d.b;
    }
    float rm = (a.r + b.r) * 0.5;
    vec3 w = vec3(2.0 + rm, 4.0, 3.0 - rm);
    return dot(w, d * d);
}

void main() {
    vec3 c = texture2D(frame, uv).rgb;
    float best = 1e6, second = 1e6;
    int bi = 0, si = 0;
    for (int i = 0; i < COLORS; ++i) {
        if (i >= numColors) break;
        float d = dist2(c, palette[i]);
        if (d < best) {
            second = best; si = bi;
            best = d; bi = i;
        } else if (d < second) {
            second = d; si = i;
        }
    }
    float ratio = best / max(best + second, 1e-6);
    vec2 p = floor(mod(pixelPos, 2.0));
    float t = p.x == p.y ? (p.x == 0.0 ? 0.125 : 0.375) : (p.x == 0.0 ? 0.875 : 0.625);
    bool useSecond = ditherAmount > 0.0 && ratio * ditherAmount > t * 0.5;
    gl_FragColor = vec4(useSecond ? palette[si] : palette[bi], 1.0);
}
