// Nine texels in a luma-chroma space, eight softened differences, a weighted mean for the quadrant.
precision highp float;
uniform sampler2D u_source;
uniform vec2 u_grid;
varying vec2 v_uv;
const mat3 yuv = mat3(0.299, -0.169, 0.499, 0.587, -0.331, -0.418, 0.114, 0.499, -0.0813);
float diff(vec3 a, vec3 b) { vec3 d = abs(yuv * (a - b)); return clamp(d.x * 4.0 + d.y * 8.0 + d.z * 8.0, 0.0, 1.0); }
void main() {
    vec2 s = vec2(1.0) / u_grid, place = v_uv * u_grid, f = fract(place), at = (floor(place) + 0.5) * s;
    vec2 q = (f - 0.5) * 1.8;
    vec3 w1 = texture2D(u_source, at - s).rgb, w2 = texture2D(u_source, at + s * vec2(0.0, -1.0)).rgb, w3 = texture2D(u_source, at + s * vec2(1.0, -1.0)).rgb;
    vec3 w4 = texture2D(u_source, at + s * vec2(-1.0, 0.0)).rgb, w5 = texture2D(u_source, at).rgb, w6 = texture2D(u_source, at + s * vec2(1.0, 0.0)).rgb;
    vec3 w7 = texture2D(u_source, at + s * vec2(-1.0, 1.0)).rgb, w8 = texture2D(u_source, at + s * vec2(0.0, 1.0)).rgb, w9 = texture2D(u_source, at + s).rgb;
    float d1 = diff(w5, w1), d2 = diff(w5, w2), d3 = diff(w5, w3), d4 = diff(w5, w4), d6 = diff(w5, w6), d7 = diff(w5, w7), d8 = diff(w5, w8), d9 = diff(w5, w9);
    float k1 = (1.0 - d1) * max(-q.x - q.y, 0.0), k3 = (1.0 - d3) * max(q.x - q.y, 0.0), k7 = (1.0 - d7) * max(q.y - q.x, 0.0), k9 = (1.0 - d9) * max(q.x + q.y, 0.0);
    float k2 = (1.0 - d2 * d4) * max(-q.y, 0.0), k4 = (1.0 - d4 * d8) * max(-q.x, 0.0), k6 = (1.0 - d6 * d2) * max(q.x, 0.0), k8 = (1.0 - d8 * d6) * max(q.y, 0.0);
    float k5 = 1.0 + d1 * d9 + d3 * d7;
    vec3 sum = w1 * k1 + w2 * k2 + w3 * k3 + w4 * k4 + w5 * k5 + w6 * k6 + w7 * k7 + w8 * k8 + w9 * k9;
    gl_FragColor = vec4(sum / (k1 + k2 + k3 + k4 + k5 + k6 + k7 + k8 + k9), 1.0);
}
