precision highp float;
varying highp vec2 coord;
uniform sampler2D gradients;   // r = magnitude, gb = direction * .5 + .5
uniform vec2 texel;
uniform float lowThreshold;
uniform float highThreshold;
uniform int pass_;             // 0 suppress, 1 hysteresis

float magAt(vec2 o) { return texture2D(gradients, coord + o * texel).r; }

vec4 suppress() {
    vec4 g = texture2D(gradients, coord);
    vec2 dir = g.gb * 2.0 - 1.0;
    vec2 ad = abs(dir);
    vec2 stepv;
    if (ad.x > 2.4142 * ad.y)
        stepv = vec2(1.0, 0.0);
    else if (ad.y > 2.4142 * ad.x)
        stepv = vec2(0.0, 1.0);
    else
        stepv = dir.x * dir.y > 0.0 ? vec2(1.0, 1.0) : vec2(1.0, -1.0);

    float a = magAt(stepv), b = magAt(-stepv);
    bool isMax = g.r >= a && g.r > b;
    float m = isMax ? g.r : 0.0;
    float cls = m > highThreshold ? 1.0 : (m > lowThreshold ? 0.5 : 0.0);
    return vec4(cls, g.gb, 1.0);
}

vec4 hysteresis() {
    float self = magAt(vec2(0.0));
    if (self > 0.75) return vec4(1.0);
    if (self < 0.25) return vec4(0.0, 0.0, 0.0, 1.0);
    bool strong = false;
    for (int y = -1; y <= 1 && !strong; y++) {
        for (int x = -1; x <= 1; x++) {
            if (x == 0 && y == 0) continue;
            if (magAt(vec2(float(x), float(y))) > 0.75) {
                strong = true;
                break;
            }
        }
    }
    return strong ? vec4(1.0) : vec4(vec3(0.0), 1.0);
}

void main() {
    if (pass_ == 0)
        gl_FragColor = suppress();
    else
        gl_FragColor = hysteresis();
}
