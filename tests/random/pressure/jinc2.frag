// A jinc-like window over sixteen texels, with weights from distances, and an anti-ringing clamp.
precision highp float;
uniform sampler2D u_source;
uniform vec2 u_grid;
varying vec2 v_uv;
vec4 window(vec4 d2) {
    vec4 x = sqrt(d2);
    return sin(1.2 * x) * sin(2.4 * x) / max(x * x, vec4(0.01));
}
float d2(vec2 a, vec2 b) { vec2 v = a - b; return dot(v, v); }
void main() {
    vec2 dx = vec2(1.0, 0.0), dy = vec2(0.0, 1.0), pc = v_uv * u_grid, tc = floor(pc - vec2(0.5)) + vec2(0.5);
    vec4 w0 = window(vec4(d2(pc, tc - dx - dy), d2(pc, tc - dy), d2(pc, tc + dx - dy), d2(pc, tc + 2.0 * dx - dy)));
    vec4 w1 = window(vec4(d2(pc, tc - dx), d2(pc, tc), d2(pc, tc + dx), d2(pc, tc + 2.0 * dx)));
    vec4 w2 = window(vec4(d2(pc, tc - dx + dy), d2(pc, tc + dy), d2(pc, tc + dx + dy), d2(pc, tc + 2.0 * dx + dy)));
    vec4 w3 = window(vec4(d2(pc, tc - dx + 2.0 * dy), d2(pc, tc + 2.0 * dy), d2(pc, tc + dx + 2.0 * dy), d2(pc, tc + 2.0 * dx + 2.0 * dy)));
    dx /= u_grid;
    dy /= u_grid;
    tc /= u_grid;
    vec3 c00 = texture2D(u_source, tc - dx - dy).rgb, c10 = texture2D(u_source, tc - dy).rgb;
    vec3 c20 = texture2D(u_source, tc + dx - dy).rgb, c30 = texture2D(u_source, tc + 2.0 * dx - dy).rgb;
    vec3 c01 = texture2D(u_source, tc - dx).rgb, c11 = texture2D(u_source, tc).rgb;
    vec3 c21 = texture2D(u_source, tc + dx).rgb, c31 = texture2D(u_source, tc + 2.0 * dx).rgb;
    vec3 c02 = texture2D(u_source, tc - dx + dy).rgb, c12 = texture2D(u_source, tc + dy).rgb;
    vec3 c22 = texture2D(u_source, tc + dx + dy).rgb, c32 = texture2D(u_source, tc + 2.0 * dx + dy).rgb;
    vec3 c03 = texture2D(u_source, tc - dx + 2.0 * dy).rgb, c13 = texture2D(u_source, tc + 2.0 * dy).rgb;
    vec3 c23 = texture2D(u_source, tc + dx + 2.0 * dy).rgb, c33 = texture2D(u_source, tc + 2.0 * dx + 2.0 * dy).rgb;
    vec3 color = w0.x * c00 + w0.y * c10 + w0.z * c20 + w0.w * c30;
    color += w1.x * c01 + w1.y * c11 + w1.z * c21 + w1.w * c31;
    color += w2.x * c02 + w2.y * c12 + w2.z * c22 + w2.w * c32;
    color += w3.x * c03 + w3.y * c13 + w3.z * c23 + w3.w * c33;
    color /= dot(w0 + w1 + w2 + w3, vec4(1.0));
    vec3 low = min(min(c11, c21), min(c12, c22)), high = max(max(c11, c21), max(c12, c22));
    gl_FragColor = vec4(mix(color, clamp(color, low, high), 0.9), 1.0);
}
