// 25 texels; for each corner the weight of two crossing edges over distances of colours; corners blended one
// after the other, so that all four decisions wait for all texels.
precision highp float;
uniform sampler2D u_source;
uniform vec2 u_grid;
varying vec2 v_uv;
float dist(vec3 a, vec3 b) {
    vec3 d = a - b;
    float y = dot(d, vec3(0.2627, 0.6780, 0.0593)), cb = 0.53 * (d.b - y), cr = 0.68 * (d.r - y);
    return sqrt(y * y + cb * cb + cr * cr + 0.0001);
}
vec3 at(vec2 p, vec2 s, float x, float y) { return texture2D(u_source, p + s * vec2(x, y)).rgb; }
void main() {
    vec2 s = vec2(1.0) / u_grid, place = v_uv * u_grid, f = fract(place) - 0.5, p = (floor(place) + 0.5) * s;
    vec3 n20 = at(p, s, -1.0, -2.0), n21 = at(p, s, 0.0, -2.0), n22 = at(p, s, 1.0, -2.0);
    vec3 n10 = at(p, s, -2.0, -1.0), n11 = at(p, s, -1.0, -1.0), n12 = at(p, s, 0.0, -1.0), n13 = at(p, s, 1.0, -1.0), n14 = at(p, s, 2.0, -1.0);
    vec3 n00 = at(p, s, -2.0, 0.0), n01 = at(p, s, -1.0, 0.0), n02 = at(p, s, 0.0, 0.0), n03 = at(p, s, 1.0, 0.0), n04 = at(p, s, 2.0, 0.0);
    vec3 m10 = at(p, s, -2.0, 1.0), m11 = at(p, s, -1.0, 1.0), m12 = at(p, s, 0.0, 1.0), m13 = at(p, s, 1.0, 1.0), m14 = at(p, s, 2.0, 1.0);
    vec3 m20 = at(p, s, -1.0, 2.0), m21 = at(p, s, 0.0, 2.0), m22 = at(p, s, 1.0, 2.0);
    float jg1 = dist(n01, m12) + dist(m11, m21) + dist(n12, n03) + dist(n13, n04) * 0.0 + 4.0 * dist(n02, m13) * 0.25;
    float fk1 = dist(m12, n03) * 4.0 + dist(m11, n02) + dist(n02, n13) + dist(m21, m13) + dist(m13, n04);
    float jg2 = dist(m11, n02) + dist(m20, m12) + dist(n00, n11) + dist(n11, n12) + 4.0 * dist(n01, m12);
    float fk2 = dist(n01, m20) * 0.5 + dist(n11, n02) + dist(n02, m13) + dist(m10, m11) + 4.0 * dist(n02, m11);
    float jg3 = dist(n01, n02) * 0.5 + dist(n10, n11) + dist(n20, n12) + dist(n12, n13) + 4.0 * dist(n01, n12);
    float fk3 = dist(m11, n02) + dist(n02, n13) + dist(n00, n11) + dist(n11, n21) + 4.0 * dist(n02, n11);
    float jg4 = dist(n11, n02) + dist(n02, m13) + dist(n21, n13) + dist(n13, n04) + 4.0 * dist(n02, n13);
    float fk4 = dist(n12, n22) + dist(m12, n03) + dist(n03, n14) + dist(n03, m14) + 4.0 * dist(n12, n03);
    vec4 d = clamp((vec4(jg1 - fk1, jg2 - fk2, jg3 - fk3, jg4 - fk4)) * 2.0 + 0.5, 0.0, 1.0);
    vec4 w = clamp(vec4(f.x + f.y, f.y - f.x, -f.x - f.y, f.x - f.y) * 1.3 - 0.2, 0.0, 1.0) * d;
    vec3 r = mix(n02, mix(m12, n03, clamp(dist(n02, m12) - dist(n02, n03) + 0.5, 0.0, 1.0)), w.x);
    r = mix(r, mix(m12, n01, clamp(dist(n02, m12) - dist(n02, n01) + 0.5, 0.0, 1.0)), w.y);
    r = mix(r, mix(n12, n01, clamp(dist(n02, n12) - dist(n02, n01) + 0.5, 0.0, 1.0)), w.z);
    r = mix(r, mix(n12, n03, clamp(dist(n02, n12) - dist(n02, n03) + 0.5, 0.0, 1.0)), w.w);
    r += (m22 + n20 + m20 - 3.0 * n02) * 0.01;
    gl_FragColor = vec4(r, 1.0);
}
