// Eight texels, their channels exchanged round after round.
precision mediump float;
uniform sampler2D u_source;
uniform vec2 u_grid;
uniform vec4 u_v;
varying vec2 v_uv;
void main() {
    vec2 s = vec2(1.0) / u_grid;
    vec4 a = texture2D(u_source, v_uv), b = texture2D(u_source, v_uv + s), c = texture2D(u_source, v_uv - s), d = texture2D(u_source, v_uv + vec2(s.x, -s.y));
    vec4 e = texture2D(u_source, v_uv + vec2(-s.x, s.y)), f = texture2D(u_source, v_uv + 2.0 * s), g = texture2D(u_source, v_uv - 2.0 * s), h = texture2D(u_source, v_uv + 3.0 * s);
    vec4 t = a; a = vec4(b.x, c.y, d.z, e.w); b = vec4(c.z, d.w, e.x, f.y); c = vec4(d.y, e.z, f.w, g.x); d = vec4(e.y, f.z, g.w, h.x);
    vec4 w = e; e = vec4(f.x, g.y, h.z, t.w); f = vec4(g.z, h.y, t.x, w.y); g = vec4(h.w, t.y, w.z, b.x); h = vec4(t.z, w.x, b.w, c.y);
    a *= b.wzyx; c *= d.yxwz; e *= f.zwxy; g *= h.xzyw;
    t = a; a = mix(a, c.yzwx, u_v.x); c = mix(c, e.zwxy, u_v.y); e = mix(e, g.wxyz, u_v.z); g = mix(g, t, u_v.w);
    gl_FragColor = (a + b.yxwz * c + d.zwxy * e + f * g.wzyx + h * 0.3) * 0.4;
}
