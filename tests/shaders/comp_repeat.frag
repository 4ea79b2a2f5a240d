#ifdef GL_ES
precision highp float;
#endif
#define REP_NONE 0
#define REP_TILE 1
#define REP_PAD 2
#define REP_MIRROR 3
struct picture { vec4 size; vec4 solid; int repeat; int alpha_only; bool is_solid; bool opaque; };
uniform picture u_src, u_msk;
uniform sampler2D u_src_tex, u_msk_tex;
uniform int u_out_order;
uniform int u_ca;  // 0 no mask, 1 alpha mask, 2 component alpha source pass, 3 component alpha "alpha" pass
varying vec3 v_s;
varying vec3 v_m;
float rep1(float v, float n, int mode)
{
	if (mode == REP_PAD) return clamp(v, 0.5, n - 0.5);
	if (mode == REP_TILE) return v - n * floor(v / n);
	if (mode == REP_MIRROR) { float t = v - 2.0 * n * floor(v / (2.0 * n)); return t < n ? t : 2.0 * n - t; }
	return v;
}
vec4 fetch_pict(picture p, sampler2D t, vec3 h)
{
	if (p.is_solid) return p.solid;
	vec2 at = h.xy / h.z;
	vec2 w = vec2(rep1(at.x, p.size.x, p.repeat), rep1(at.y, p.size.y, p.repeat));
	float inside = 1.0;
	if (p.repeat == REP_NONE)
		inside = float(all(greaterThanEqual(w, vec2(0))) && all(lessThan(w, p.size.xy)));
	vec4 c = texture2D(t, w * p.size.zw);
	if (p.opaque) c.a = 1.0;
	if (p.alpha_only != 0) c = p.alpha_only == 1 ? c.aaaa : c.rrrr;
	return c * inside;
}
void main()
{
	vec4 s = fetch_pict(u_src, u_src_tex, v_s), m = vec4(1);
	if (u_ca > 0) m = fetch_pict(u_msk, u_msk_tex, v_m);
	vec4 o = u_ca == 3 ? m * s.a : u_ca == 2 ? m * s : s * m.a;
	if (u_out_order == 1) o = o.bgra; else if (u_out_order == 2) o = vec4(o.a, 0, 0, 0); else ;
	gl_FragColor = o;
}
