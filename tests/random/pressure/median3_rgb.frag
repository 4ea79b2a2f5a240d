// The median of nine colours, three channels at once: 27 values in one network.
precision mediump float;
uniform sampler2D u_source;
uniform vec2 u_grid;
varying vec2 v_uv;
#define S(a, b) t = a; a = min(a, b); b = max(t, b);
#define T(x, y) texture2D(u_source, v_uv + s * vec2(x, y)).rgb
void main() {
    vec2 s = vec2(1.0) / u_grid;
    vec3 t, a = T(-1.0, -1.0), b = T(0.0, -1.0), c = T(1.0, -1.0), d = T(-1.0, 0.0), e = T(0.0, 0.0), f = T(1.0, 0.0), g = T(-1.0, 1.0), h = T(0.0, 1.0), i = T(1.0, 1.0);
    S(b, c) S(e, f) S(h, i) S(a, b) S(d, e) S(g, h) S(b, c) S(e, f) S(h, i)
    S(a, d) S(f, i) S(e, h) S(d, g) S(b, e) S(c, f) S(e, h) S(e, c) S(g, e) S(e, c)
    gl_FragColor = vec4(e, 1.0);
}
