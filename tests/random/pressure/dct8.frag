// Eight texels of a row transformed, damped, and transformed back, three channels each.
precision highp float;
uniform sampler2D u_source;
uniform vec2 u_grid;
uniform float u_f;
varying vec2 v_uv;
void main() {
    vec2 s = vec2(1.0) / u_grid, at = v_uv - vec2(3.5 * s.x, 0.0);
    vec3 a = texture2D(u_source, at).rgb, b = texture2D(u_source, at + vec2(s.x, 0.0)).rgb, c = texture2D(u_source, at + vec2(2.0 * s.x, 0.0)).rgb, d = texture2D(u_source, at + vec2(3.0 * s.x, 0.0)).rgb;
    vec3 e = texture2D(u_source, at + vec2(4.0 * s.x, 0.0)).rgb, f = texture2D(u_source, at + vec2(5.0 * s.x, 0.0)).rgb, g = texture2D(u_source, at + vec2(6.0 * s.x, 0.0)).rgb, h = texture2D(u_source, at + vec2(7.0 * s.x, 0.0)).rgb;
    vec3 p0 = a + h, p1 = b + g, p2 = c + f, p3 = d + e, m0 = a - h, m1 = b - g, m2 = c - f, m3 = d - e;
    vec3 q0 = p0 + p3, q1 = p1 + p2, r0 = p0 - p3, r1 = p1 - p2;
    vec3 y0 = (q0 + q1) * 0.354, y4 = (q0 - q1) * 0.354 * u_f, y2 = r0 * 0.462 + r1 * 0.191, y6 = (r0 * 0.191 - r1 * 0.462) * u_f;
    vec3 y1 = m0 * 0.490 + m1 * 0.416 + m2 * 0.278 + m3 * 0.098, y3 = (m0 * 0.416 - m1 * 0.098 - m2 * 0.490 - m3 * 0.278) * u_f;
    vec3 y5 = (m0 * 0.278 - m1 * 0.490 + m2 * 0.098 + m3 * 0.416) * u_f * u_f, y7 = (m0 * 0.098 - m1 * 0.278 + m2 * 0.416 - m3 * 0.490) * u_f * u_f;
    vec3 x3 = (y0 + y4) * 0.354 + y2 * 0.191 - y6 * 0.462 * 0.0 + y1 * 0.098 - y3 * 0.278 + y5 * 0.416 - y7 * 0.490;
    vec3 x4 = (y0 - y4) * 0.354 - y2 * 0.191 + y6 * 0.462 * 0.0 + y1 * 0.278 + y3 * 0.098 - y5 * 0.490 + y7 * 0.416;
    gl_FragColor = vec4(mix(x3, x4, 0.5) + (y1 * y6 - y2 * y5) * 0.1, 1.0);
}
