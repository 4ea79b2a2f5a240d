#ifdef GL_FRAGMENT_PRECISION_HIGH
precision highp float;
#else
precision mediump float;
#endif
varying vec2 vTex;
uniform sampler2D Texture;
uniform vec2 TextureSize;
uniform float B;
uniform float C;

// Mitchell-Netravali family
float mitchell(float x) {
    x = abs(x);
    float x2 = x * x, x3 = x2 * x;
    if (x < 1.0)
        return ((12.0 - 9.0 * B - 6.0 * C) * x3 + (-18.0 + 12.0 * B + 6.0 * C) * x2 + (6.0 - 2.0 * B)) / 6.0;
    if (x < 2.0)
        return ((-B - 6.0 * C) * x3 + (6.0 * B + 30.0 * C) * x2 + (-12.0 * B - 48.0 * C) * x + (8.0 * B + 24.0 * C)) / 6.0;
    return 0.0;
}

vec4 weights4(float f) {
    return vec4(mitchell(1.0 + f), mitchell(f), mitchell(1.0 - f), mitchell(2.0 - f));
}

vec4 row(vec2 base, vec4 w) {
    float dx = 1.0 / TextureSize.x;
    mat4 m = mat4(
        texture2D(Texture, base),
        texture2D(Texture, base + vec2(dx, 0.0)),
        texture2D(Texture, base + vec2(2.0 * dx, 0.0)),
        texture2D(Texture, base + vec2(3.0 * dx, 0.0)));
    return m * w;
}

void main() {
    vec2 p = vTex * TextureSize - 0.5;
    vec2 f = fract(p);
    vec2 base = (floor(p) - 0.5) / TextureSize;
    vec4 wx = weights4(f.x), wy = weights4(f.y);
    wx /= dot(wx, vec4(1.0));
    wy /= dot(wy, vec4(1.0));
    float dy = 1.0 / TextureSize.y;
    mat4 rows = mat4(row(base, wx),
                     row(base + vec2(0.0, dy), wx),
                     row(base + vec2(0.0, 2.0 * dy), wx),
                     row(base + vec2(0.0, 3.0 * dy), wx));
    gl_FragColor = clamp(rows * wy, 0.0, 1.0);
}
