// Sixteen texels, all kept while the weights of both directions are worked out from them.
precision highp float;
uniform sampler2D u_source;
uniform vec2 u_grid;
uniform float u_f;
varying vec2 v_uv;
vec4 cubic(float x) {
    vec4 t = vec4(x + 1.0, x, 1.0 - x, 2.0 - x);
    vec4 t2 = t * t, t3 = t2 * t;
    return vec4(u_f * (t3.x - 5.0 * t2.x + 8.0 * t.x - 4.0), (u_f + 2.0) * t3.y - (u_f + 3.0) * t2.y + 1.0,
                (u_f + 2.0) * t3.z - (u_f + 3.0) * t2.z + 1.0, u_f * (t3.w - 5.0 * t2.w + 8.0 * t.w - 4.0));
}
void main() {
    vec2 s = vec2(1.0) / u_grid, place = v_uv * u_grid - 0.5, base = floor(place), f = place - base;
    vec2 at = (base + 0.5) * s;
    vec4 a0 = texture2D(u_source, at + s * vec2(-1.0, -1.0)), a1 = texture2D(u_source, at + s * vec2(0.0, -1.0));
    vec4 a2 = texture2D(u_source, at + s * vec2(1.0, -1.0)), a3 = texture2D(u_source, at + s * vec2(2.0, -1.0));
    vec4 b0 = texture2D(u_source, at + s * vec2(-1.0, 0.0)), b1 = texture2D(u_source, at);
    vec4 b2 = texture2D(u_source, at + s * vec2(1.0, 0.0)), b3 = texture2D(u_source, at + s * vec2(2.0, 0.0));
    vec4 c0 = texture2D(u_source, at + s * vec2(-1.0, 1.0)), c1 = texture2D(u_source, at + s * vec2(0.0, 1.0));
    vec4 c2 = texture2D(u_source, at + s * vec2(1.0, 1.0)), c3 = texture2D(u_source, at + s * vec2(2.0, 1.0));
    vec4 d0 = texture2D(u_source, at + s * vec2(-1.0, 2.0)), d1 = texture2D(u_source, at + s * vec2(0.0, 2.0));
    vec4 d2 = texture2D(u_source, at + s * vec2(1.0, 2.0)), d3 = texture2D(u_source, at + s * vec2(2.0, 2.0));
    vec4 x = cubic(f.x), y = cubic(f.y);
    vec4 ra = a0 * x.x + a1 * x.y + a2 * x.z + a3 * x.w, rb = b0 * x.x + b1 * x.y + b2 * x.z + b3 * x.w;
    vec4 rc = c0 * x.x + c1 * x.y + c2 * x.z + c3 * x.w, rd = d0 * x.x + d1 * x.y + d2 * x.z + d3 * x.w;
    vec4 r = (ra * y.x + rb * y.y + rc * y.z + rd * y.w) / dot(x, vec4(dot(y, vec4(1.0))));
    vec4 low = min(min(b1, b2), min(c1, c2)), high = max(max(b1, b2), max(c1, c2));
    gl_FragColor = vec4(mix(r, clamp(r, low, high), 0.8).rgb, 1.0);
}
