// Edge search along a line in both directions, with the ends kept over the iterations.
precision highp float;
uniform sampler2D u_source;
uniform vec2 u_grid;
varying vec2 v_uv;
float luma(vec2 at) { return dot(texture2D(u_source, at).rgb, vec3(0.299, 0.587, 0.114)); }
void main() {
    vec2 s = vec2(1.0) / u_grid;
    float m = luma(v_uv), n = luma(v_uv - vec2(0.0, s.y)), so = luma(v_uv + vec2(0.0, s.y)), w = luma(v_uv - vec2(s.x, 0.0)), e = luma(v_uv + vec2(s.x, 0.0));
    float nw = luma(v_uv - s), ne = luma(v_uv + vec2(s.x, -s.y)), sw = luma(v_uv + vec2(-s.x, s.y)), se = luma(v_uv + s);
    float high = max(max(max(n, so), max(w, e)), m), low = min(min(min(n, so), min(w, e)), m), range = high - low;
    float horizontal = abs(nw + sw - 2.0 * w) + 2.0 * abs(n + so - 2.0 * m) + abs(ne + se - 2.0 * e);
    float vertical = abs(nw + ne - 2.0 * n) + 2.0 * abs(w + e - 2.0 * m) + abs(sw + se - 2.0 * so);
    float flat_ = clamp((horizontal - vertical) * 8.0 + 0.5, 0.0, 1.0);
    vec2 along = mix(vec2(0.0, s.y), vec2(s.x, 0.0), flat_), across = mix(vec2(s.x, 0.0), vec2(0.0, s.y), flat_);
    float l1 = mix(w, n, flat_), l2 = mix(e, so, flat_);
    float side = clamp((abs(l2 - m) - abs(l1 - m)) * 8.0, -1.0, 1.0);
    float mean = 0.5 * (m + mix(l1, l2, side * 0.5 + 0.5));
    vec2 from = v_uv + across * side * 0.5, p = from - along, q = from + along;
    float dp = 0.0, dq = 0.0, reach_p = 1.0, reach_q = 1.0;
    for (int i = 0; i < 5; i++) {
        dp = luma(p) - mean;
        dq = luma(q) - mean;
        reach_p *= clamp(1.2 - 4.0 * abs(dp), 0.0, 1.0);
        reach_q *= clamp(1.2 - 4.0 * abs(dq), 0.0, 1.0);
        p -= along * reach_p;
        q += along * reach_q;
    }
    float lp = length((v_uv - p) * u_grid), lq = length((q - v_uv) * u_grid);
    float shift = 0.5 - min(lp, lq) / max(lp + lq, 0.01);
    float sub = clamp(abs((2.0 * (n + so + w + e) + nw + ne + sw + se) / 12.0 - m) / max(range, 0.01), 0.0, 1.0);
    float amount = clamp(range * 3.0, 0.0, 1.0) * max(shift, sub * sub * 0.75);
    gl_FragColor = vec4(texture2D(u_source, v_uv + across * side * amount).rgb, 1.0);
}
