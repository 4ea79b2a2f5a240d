precision highp float;
precision mediump int;

varying vec2 vTexCoord;
uniform sampler2D uTex;
uniform vec2 uResolution;
uniform float uPixelSize;
uniform int uLevels;
uniform bool uMono;

int bayer[16];

void setupMatrix() {
    bayer[0] = 0;   bayer[1] = 8;   bayer[2] = 2;   bayer[3] = 10;
    bayer[4] = 12;  bayer[5] = 4;   bayer[6] = 14;  bayer[7] = 6;
    bayer[8] = 3;   bayer[9] = 11;  bayer[10] = 1;  bayer[11] = 9;
    bayer[12] = 15; bayer[13] = 7;  bayer[14] = 13; bayer[15] = 5;
}

int imod(int a, int b) { return a - (a / b) * b; }

float threshold(ivec2 p) {
    int idx = imod(p.x, 4) + imod(p.y, 4) * 4;
    float t = 0.0;
    for (int i = 0; i < 16; i++) {
        if (i == idx) {
            t = float(bayer[i]);
            break;
        }
    }
    return (t + 0.5) / 16.0;
}

void main() {
    setupMatrix();
    vec2 cell = floor(vTexCoord * uResolution / uPixelSize);
    vec3 c = texture2D(uTex, (cell + 0.5) * uPixelSize / uResolution).rgb;
    if (uMono) c = vec3(dot(c, vec3(0.299, 0.587, 0.114)));
    float t = threshold(ivec2(cell));
    float n = float(uLevels - 1);
    vec3 base = floor(c * n);
    vec3 frac_ = c * n - base;
    c = (base + step(vec3(t), frac_)) / n;
    gl_FragColor = vec4(c, 1.0);
}
