precision mediump float;
varying vec2 v_texCoord;
uniform sampler2D u_image;
uniform vec2 u_step;
uniform int u_rank;      // 0 min .. 4 median .. 8 max
uniform float u_tolerance;

#define CSWAP(a, b) t = min(a, b); b = max(a, b); a = t;
#define LUMA(c) dot(c, vec3(0.299, 0.587, 0.114))

void main() {
    float v[9];
    int n = 0;
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
            vec2 o = vec2(float(i), float(j)) * u_step;
            v[(j + 1) * 3 + i + 1] = LUMA(texture2D(u_image, v_texCoord + o).rgb);
            n++;
        }
    }
    vec4 centre = texture2D(u_image, v_texCoord);
    float t;
    // 25 comparators, depth 7
    CSWAP(v[0], v[3]) CSWAP(v[1], v[7]) CSWAP(v[2], v[5]) CSWAP(v[4], v[8])
    CSWAP(v[0], v[7]) CSWAP(v[2], v[4]) CSWAP(v[3], v[8]) CSWAP(v[5], v[6])
    CSWAP(v[0], v[2]) CSWAP(v[1], v[3]) CSWAP(v[4], v[5]) CSWAP(v[7], v[8])
    CSWAP(v[1], v[4]) CSWAP(v[3], v[6]) CSWAP(v[5], v[7])
    CSWAP(v[0], v[1]) CSWAP(v[2], v[4]) CSWAP(v[3], v[5]) CSWAP(v[6], v[8])
    CSWAP(v[2], v[3]) CSWAP(v[4], v[5]) CSWAP(v[6], v[7])
    CSWAP(v[1], v[2]) CSWAP(v[3], v[4]) CSWAP(v[5], v[6])
    float pick = v[4];
    for (int i = 0; i < 9; i++)
        if (i == u_rank) pick = v[i];
    float l = LUMA(centre.rgb);
    if (abs(l - pick) < u_tolerance) {
        gl_FragColor = centre;
        return;
    }
    gl_FragColor = vec4(centre.rgb * (pick / max(l, 0.001)), centre.a);
}
