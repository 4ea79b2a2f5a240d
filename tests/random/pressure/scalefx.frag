// Metrics of four neighbourhoods packed into vectors, strengths of corners, their order, a final choice by
// weights: everything stays alive until the last line.
precision highp float;
uniform sampler2D u_source, u_metric;
uniform vec2 u_grid;
varying vec2 v_uv;
vec4 strength(vec4 a, vec4 b, vec4 c) { return clamp(a * (1.0 + b) - c, 0.0, 1.0); }
void main() {
    vec2 s = vec2(1.0) / u_grid, place = v_uv * u_grid, f = fract(place), p = (floor(place) + 0.5) * s;
    vec4 A = texture2D(u_metric, p - s), B = texture2D(u_metric, p + s * vec2(0.0, -1.0)), C = texture2D(u_metric, p + s * vec2(1.0, -1.0));
    vec4 D = texture2D(u_metric, p + s * vec2(-1.0, 0.0)), E = texture2D(u_metric, p), F = texture2D(u_metric, p + s * vec2(1.0, 0.0));
    vec4 G = texture2D(u_metric, p + s * vec2(-1.0, 1.0)), H = texture2D(u_metric, p + s * vec2(0.0, 1.0)), I = texture2D(u_metric, p + s);
    vec4 as = strength(vec4(D.z, E.x, D.w, A.y), vec4(A.x, B.y, D.x, B.w), vec4(D.y, B.x, A.z, E.w));
    vec4 bs = strength(vec4(E.z, F.x, E.w, B.y), vec4(B.x, C.y, E.x, C.w), vec4(E.y, C.x, B.z, F.w));
    vec4 ds = strength(vec4(G.z, H.x, G.w, D.y), vec4(D.x, E.y, G.x, E.w), vec4(G.y, E.x, D.z, H.w));
    vec4 es = strength(vec4(H.z, I.x, H.w, E.y), vec4(E.x, F.y, H.x, F.w), vec4(H.y, F.x, E.z, I.w));
    vec4 jx = vec4(as.z, bs.w, es.x, ds.y), jy = vec4(bs.w, es.x, ds.y, as.z), jz = vec4(es.x, ds.y, as.z, bs.w), jw = vec4(ds.y, as.z, bs.w, es.x);
    vec4 dominant = clamp(4.0 * (2.0 * jx + jw * 0.5 - jy - jz) + 0.5, 0.0, 1.0);
    vec4 clear_ = clamp(vec4(D.z, E.x, E.z, H.x) * 3.0 - vec4(E.x, D.z, H.x, E.z), 0.0, 1.0);
    vec4 low = clamp(2.0 * dominant - clear_.yzwx, 0.0, 1.0) * (1.0 - 0.5 * dominant.zwxy), high = clamp(2.0 * dominant.wxyz - clear_, 0.0, 1.0);
    vec4 around = vec4(1.0 - f.x, f.x, 1.0 - f.y, f.y);
    vec3 e = texture2D(u_source, p).rgb, b = texture2D(u_source, p + s * vec2(0.0, -1.0)).rgb, d = texture2D(u_source, p + s * vec2(-1.0, 0.0)).rgb;
    vec3 g = texture2D(u_source, p + s * vec2(1.0, 0.0)).rgb, h = texture2D(u_source, p + s * vec2(0.0, 1.0)).rgb;
    vec4 k = low * around.xyzw * 0.6 + high * around.yxwz * 0.3 + (es + bs + ds + as) * 0.02;
    gl_FragColor = vec4(mix(mix(mix(mix(e, d, k.x), g, k.y), b, k.z), h, k.w), 1.0);
}
