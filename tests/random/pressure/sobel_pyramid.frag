// Gradients of three scales at once, their structure tensors summed, an orientation out of them.
precision highp float;
uniform sampler2D u_source;
uniform vec2 u_grid;
varying vec2 v_uv;
float L(vec2 o) { return dot(texture2D(u_source, v_uv + o).rgb, vec3(0.3, 0.6, 0.1)); }
vec3 tensor(vec2 s) {
    float a = L(-s), b = L(vec2(0.0, -s.y)), c = L(vec2(s.x, -s.y)), d = L(vec2(-s.x, 0.0)), f = L(vec2(s.x, 0.0)), g = L(vec2(-s.x, s.y)), h = L(vec2(0.0, s.y)), i = L(s);
    float x = (c + 2.0 * f + i - a - 2.0 * d - g) * 0.25, y = (g + 2.0 * h + i - a - 2.0 * b - c) * 0.25;
    return vec3(x * x, y * y, x * y);
}
void main() {
    vec2 s = vec2(1.0) / u_grid;
    vec3 a = tensor(s * 0.5), b = tensor(s), c = tensor(s * 1.5), t = a * 0.5 + b * 0.3 + c * 0.2;
    float root = sqrt((t.x - t.y) * (t.x - t.y) + 4.0 * t.z * t.z + 0.0001), big = 0.5 * (t.x + t.y + root), small = 0.5 * (t.x + t.y - root);
    float coherent = (big - small) / (big + small + 0.01);
    gl_FragColor = vec4(coherent, big * 4.0, 0.5 + t.z * 4.0, 1.0);
}
