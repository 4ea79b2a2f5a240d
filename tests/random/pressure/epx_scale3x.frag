// Scale3x: nine texels compared with each other, one of nine results by the place inside the pixel.
precision mediump float;
uniform sampler2D u_source;
uniform vec2 u_grid;
varying vec2 v_uv;
float same(vec4 a, vec4 b) { return clamp(1.2 - 3.0 * dot(abs(a - b), vec4(1.0)), 0.0, 1.0); }
void main() {
    vec2 s = vec2(1.0) / u_grid, place = v_uv * u_grid, f = fract(place) * 0.9 + 0.05, at = (floor(place) + 0.5) * s;
    vec4 a = texture2D(u_source, at + s * vec2(-1.0, -1.0)), b = texture2D(u_source, at + s * vec2(0.0, -1.0)), c = texture2D(u_source, at + s * vec2(1.0, -1.0));
    vec4 d = texture2D(u_source, at + s * vec2(-1.0, 0.0)), e = texture2D(u_source, at), f_ = texture2D(u_source, at + s * vec2(1.0, 0.0));
    vec4 g = texture2D(u_source, at + s * vec2(-1.0, 1.0)), h = texture2D(u_source, at + s * vec2(0.0, 1.0)), i = texture2D(u_source, at + s * vec2(1.0, 1.0));
    float db = same(d, b), bf = same(b, f_), fh = same(f_, h), hd = same(h, d);
    float ea = same(e, a), ec = same(e, c), eg = same(e, g), ei = same(e, i);
    vec4 e0 = mix(e, d, db * (1.0 - bf) * (1.0 - hd)), e2 = mix(e, f_, bf * (1.0 - db) * (1.0 - fh));
    vec4 e6 = mix(e, d, hd * (1.0 - db) * (1.0 - fh)), e8 = mix(e, f_, fh * (1.0 - hd) * (1.0 - bf));
    vec4 e1 = mix(e, b, max(db * (1.0 - ec), bf * (1.0 - ea))), e3 = mix(e, d, max(db * (1.0 - eg), hd * (1.0 - ea)));
    vec4 e5 = mix(e, f_, max(bf * (1.0 - ei), fh * (1.0 - ec))), e7 = mix(e, h, max(hd * (1.0 - ei), fh * (1.0 - eg)));
    vec2 w = f * 2.0 - 1.0;
    vec4 up = mix(mix(e0, e1, f.x), e2, max(w.x, 0.0)), middle = mix(mix(e3, e, f.x), e5, max(w.x, 0.0)), down = mix(mix(e6, e7, f.x), e8, max(w.x, 0.0));
    gl_FragColor = mix(mix(up, middle, f.y), down, max(w.y, 0.0));
}
