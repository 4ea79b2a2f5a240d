// The median of 25 texels by a sorting network over their luma, done with min and max.
precision highp float;
uniform sampler2D u_source;
uniform vec2 u_grid;
varying vec2 v_uv;
#define S(a, b) t = a; a = min(a, b); b = max(t, b);
#define T(x, y) dot(texture2D(u_source, v_uv + s * vec2(x, y)).rgb, vec3(0.3, 0.6, 0.1))
void main() {
    vec2 s = vec2(1.0) / u_grid;
    float t;
    float a0 = T(-2.0, -2.0), a1 = T(-1.0, -2.0), a2 = T(0.0, -2.0), a3 = T(1.0, -2.0), a4 = T(2.0, -2.0);
    float b0 = T(-2.0, -1.0), b1 = T(-1.0, -1.0), b2 = T(0.0, -1.0), b3 = T(1.0, -1.0), b4 = T(2.0, -1.0);
    float c0 = T(-2.0, 0.0), c1 = T(-1.0, 0.0), c2 = T(0.0, 0.0), c3 = T(1.0, 0.0), c4 = T(2.0, 0.0);
    float d0 = T(-2.0, 1.0), d1 = T(-1.0, 1.0), d2 = T(0.0, 1.0), d3 = T(1.0, 1.0), d4 = T(2.0, 1.0);
    float e0 = T(-2.0, 2.0), e1 = T(-1.0, 2.0), e2 = T(0.0, 2.0), e3 = T(1.0, 2.0), e4 = T(2.0, 2.0);
    S(a0, a1) S(a3, a4) S(a2, a4) S(a2, a3) S(a1, a4) S(a0, a3) S(a0, a2) S(a1, a3) S(a1, a2)
    S(b0, b1) S(b3, b4) S(b2, b4) S(b2, b3) S(b1, b4) S(b0, b3) S(b0, b2) S(b1, b3) S(b1, b2)
    S(c0, c1) S(c3, c4) S(c2, c4) S(c2, c3) S(c1, c4) S(c0, c3) S(c0, c2) S(c1, c3) S(c1, c2)
    S(d0, d1) S(d3, d4) S(d2, d4) S(d2, d3) S(d1, d4) S(d0, d3) S(d0, d2) S(d1, d3) S(d1, d2)
    S(e0, e1) S(e3, e4) S(e2, e4) S(e2, e3) S(e1, e4) S(e0, e3) S(e0, e2) S(e1, e3) S(e1, e2)
    S(a0, b0) S(d0, e0) S(c0, e0) S(c0, d0) S(b0, e0) S(a0, d0) S(a0, c0) S(b0, d0) S(b0, c0)
    S(a1, b1) S(d1, e1) S(c1, e1) S(c1, d1) S(b1, e1) S(a1, d1) S(a1, c1) S(b1, d1) S(b1, c1)
    S(a2, b2) S(d2, e2) S(c2, e2) S(c2, d2) S(b2, e2) S(a2, d2) S(a2, c2) S(b2, d2) S(b2, c2)
    S(a3, b3) S(d3, e3) S(c3, e3) S(c3, d3) S(b3, e3) S(a3, d3) S(a3, c3) S(b3, d3) S(b3, c3)
    S(a4, b4) S(d4, e4) S(c4, e4) S(c4, d4) S(b4, e4) S(a4, d4) S(a4, c4) S(b4, d4) S(b4, c4)
    gl_FragColor = vec4(c2, (b3 + d1) * 0.5, (a4 + e0) * 0.5, 1.0);
}
