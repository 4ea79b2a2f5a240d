precision mediump float;
varying highp vec4 t1;
varying highp vec4 t2;
uniform sampler2D source;
uniform highp vec4 texInfo;
uniform vec3 yuvThreshold;
uniform bool interpolate;

const mat3 RGB2YUV = mat3(0.299, -0.169, 0.500,
                          0.587, -0.331, -0.419,
                          0.114, 0.500, -0.081);

bool differs(vec3 a, vec3 b) {
    vec3 d = abs(RGB2YUV * (a - b));
    return d.x > yuvThreshold.x || d.y > yuvThreshold.y || d.z > yuvThreshold.z;
}

vec3 mix2(vec3 a, vec3 b, float k) { return interpolate ? mix(a, b, k) : (k > 0.5 ? b : a); }
vec3 mix3(vec3 a, vec3 b, vec3 c) { return interpolate ? a * 0.5 + (b + c) * 0.25 : a; }

void main() {
    vec3 w[9];
    w[0] = texture2D(source, t2.xy).rgb;
    w[1] = texture2D(source, vec2(t1.x, t2.y)).rgb;
    w[2] = texture2D(source, t2.zy).rgb;
    w[3] = texture2D(source, vec2(t2.x, t1.y)).rgb;
    w[4] = texture2D(source, t1.xy).rgb;
    w[5] = texture2D(source, vec2(t2.z, t1.y)).rgb;
    w[6] = texture2D(source, t2.xw).rgb;
    w[7] = texture2D(source, vec2(t1.x, t2.w)).rgb;
    w[8] = texture2D(source, t2.zw).rgb;

    // mirror neighbourhood so that only the top-left quadrant has to be solved
    highp vec2 f = fract(t1.xy * texInfo.xy);
    if (f.x >= 0.5) {
        vec3 t;
        t = w[0]; w[0] = w[2]; w[2] = t;
        t = w[3]; w[3] = w[5]; w[5] = t;
        t = w[6]; w[6] = w[8]; w[8] = t;
    }
    if (f.y >= 0.5) {
        vec3 t;
        t = w[0]; w[0] = w[6]; w[6] = t;
        t = w[1]; w[1] = w[7]; w[7] = t;
        t = w[2]; w[2] = w[8]; w[8] = t;
    }

    int mask = 0;
    int bit = 1;
    for (int i = 0; i < 9; i++) {
        if (i == 4) continue;
        if (differs(w[4], w[i])) mask += bit;
        bit *= 2;
    }
    bool d0 = mask - mask / 2 * 2 == 1;
    bool d1 = mask / 2 - mask / 4 * 2 == 1;
    bool d3 = mask / 8 - mask / 16 * 2 == 1;
    bool d13 = differs(w[1], w[3]);
    bool flatArea = mask == 0;

    vec3 c = w[4];
    if (flatArea) {
        c = mix3(c, w[1], w[3]);
    } else if (d1 && d3 && !d13) {
        bool sharpCorner = d0 && differs(w[2], w[1]) && differs(w[6], w[3]);
        c = sharpCorner ? mix2((w[1] + w[3]) * 0.5, c, 0.25) : mix3(c, w[1], w[3]);
    } else if (d1 && d3) {
        c = d0 ? c : mix2(c, w[0], 0.25);
    } else if (d1) {
        c = mix2(c, w[3], 0.25);
    } else if (d3) {
        c = mix2(c, w[1], 0.25);
    } else {
        c = d0 ? mix3(c, w[1], w[3]) : mix2(c, (w[0] + w[1] + w[3]) / 3.0, 0.5);
    }
    gl_FragColor = vec4(c, 1.0);
}
