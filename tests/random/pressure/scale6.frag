// Each pixel becomes 36: which of its four corners are blended and how steeply is decided over 21 texels, most of
// the 36 are chains of blends by factors that are chosen under these decisions, and one of them is taken.
precision highp float;
uniform sampler2D u_source;
uniform vec2 u_grid;
varying vec2 v_uv;
vec2 s, p;
vec3 at(float x, float y) { return texture2D(u_source, p + s * vec2(x, y)).rgb; }
float dist(vec3 a, vec3 b) {
    vec3 d = a - b;
    float y = dot(d, vec3(0.2627, 0.6780, 0.0593)), cb = 0.53 * (d.b - y), cr = 0.68 * (d.r - y);
    return sqrt(y * y + cb * cb + cr * cr);
}
bool same(vec3 a, vec3 b) { return dist(a, b) < 0.1176; }
float grey(vec3 c) { return dot(c, vec3(256.0, 16.0, 1.0)); }
int corner(vec3 e, vec3 f, vec3 h, vec3 i, vec3 d, vec3 g, vec3 b, vec3 c, vec3 f4, vec3 i4, vec3 h5, vec3 i5) {
    float across = dist(g, e) + dist(e, c) + dist(h5, i) + dist(i, f4) + 4.0 * dist(h, f);
    float along = dist(d, h) + dist(h, i5) + dist(b, f) + dist(f, i4) + 4.0 * dist(e, i);
    float ge = grey(e), gf = grey(f), gh = grey(h), gi = grey(i);
    if ((ge == gf && gh == gi) || (ge == gh && gf == gi) || across >= along || ge == gf || ge == gh)
        return 0;
    return 3.6 * across < along ? 2 : 1;
}
vec3 o[36];
void blend(int kind, int left, int right, vec3 e, vec3 f, vec3 h, vec3 g, vec3 c, vec3 i, vec3 b, vec3 d, int k0,
           int k1, int k2, int k3, int k4, int k5) {
    float fg = dist(f, g), hc = dist(h, c);
    bool shallow = 2.2 * fg <= hc && grey(e) != grey(g) && grey(d) != grey(g);
    bool steep = 2.2 * hc <= fg && grey(e) != grey(c) && grey(b) != grey(c);
    bool need = kind != 0;
    bool line = kind >= 2 || !((left != 0 && !same(e, g)) || (right != 0 && !same(e, c)) ||
                               (same(g, h) && same(h, i) && same(i, f) && same(f, c) && !same(e, i)));
    vec3 x = dist(e, f) <= dist(e, h) ? f : h;
    o[k0] = mix(o[k0], x, need && line && steep ? 0.25 : 0.0);
    o[k1] = mix(o[k1], x, need && line ? (steep ? 0.75 : shallow ? 0.25 : 0.0) : 0.0);
    o[k2] = mix(o[k2], x, need && line ? (!shallow && !steep ? 0.5 : 1.0) : 0.0);
    o[k3] = mix(o[k3], x, need ? (line ? (shallow ? 1.0 : steep ? 0.75 : 0.5) : 0.0565) : 0.0);
    o[k4] = mix(o[k4], x, need ? (line ? 1.0 : 0.4236) : 0.0);
    o[k5] = mix(o[k5], x, need ? (line ? 1.0 : 0.9711) : 0.0);
}
void main() {
    vec2 place = v_uv * u_grid, q = fract(place);
    s = vec2(1.0) / u_grid;
    p = (floor(place) + 0.5) * s;
    vec3 a1 = at(-1.0, -2.0), b1 = at(0.0, -2.0), c1 = at(1.0, -2.0), a0 = at(-2.0, -1.0), a = at(-1.0, -1.0),
         b = at(0.0, -1.0), c = at(1.0, -1.0), c4 = at(2.0, -1.0), d0 = at(-2.0, 0.0), d = at(-1.0, 0.0),
         e = at(0.0, 0.0), f = at(1.0, 0.0), f4 = at(2.0, 0.0), g0 = at(-2.0, 1.0), g = at(-1.0, 1.0),
         h = at(0.0, 1.0), i = at(1.0, 1.0), i4 = at(2.0, 1.0), g5 = at(-1.0, 2.0), h5 = at(0.0, 2.0),
         i5 = at(1.0, 2.0);
    int z0 = corner(e, d, b, a, f, c, h, g, d0, a0, b1, a1), z1 = corner(e, b, f, c, h, i, d, a, b1, c1, f4, c4);
    int z2 = corner(e, f, h, i, d, g, b, c, f4, i4, h5, i5), z3 = corner(e, h, d, g, b, a, f, i, h5, g5, d0, g0);
    for (int k = 0; k < 36; k++)
        o[k] = e;
    if (z0 + z1 + z2 + z3 != 0) {
        blend(z2, z1, z3, e, f, h, g, c, i, b, d, 10, 11, 12, 28, 29, 30);
        blend(z2, z1, z3, e, f, h, g, c, i, b, d, 14, 13, 27, 32, 31, 33);
        blend(z1, z0, z2, e, b, f, i, a, c, d, h, 7, 8, 9, 23, 24, 25);
        blend(z1, z0, z2, e, b, f, i, a, c, d, h, 11, 10, 22, 27, 26, 28);
        blend(z0, z3, z1, e, d, b, c, g, a, h, f, 4, 5, 6, 18, 19, 20);
        blend(z3, z2, z0, e, h, d, a, i, g, f, b, 13, 14, 15, 33, 34, 35);
    }
    vec3 row[6];
    for (int k = 0; k < 6; k++) {
        vec3 l = mix(mix(o[6 * k], o[6 * k + 1], step(1.0 / 6.0, q.x)), o[6 * k + 2], step(2.0 / 6.0, q.x));
        vec3 r = mix(mix(o[6 * k + 3], o[6 * k + 4], step(4.0 / 6.0, q.x)), o[6 * k + 5], step(5.0 / 6.0, q.x));
        row[k] = mix(l, r, step(0.5, q.x));
    }
    vec3 top = mix(mix(row[0], row[1], step(1.0 / 6.0, q.y)), row[2], step(2.0 / 6.0, q.y));
    vec3 low = mix(mix(row[3], row[4], step(4.0 / 6.0, q.y)), row[5], step(5.0 / 6.0, q.y));
    gl_FragColor = vec4(mix(top, low, step(0.5, q.y)), 1.0);
}
