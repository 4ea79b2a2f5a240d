// Edge-adaptive upscaling: twelve texels around the pixel, a gradient for each of the four nearest, then one
// elongated window over all twelve and a clamp to the nearest four.
precision highp float;
uniform sampler2D u_source;
uniform vec2 u_grid;
varying vec2 v_uv;

void gradient(inout vec2 dir, inout float len, float w, float a, float b, float c, float d, float e) {
    // a above, b left, c centre, d right, e below
    float dc = d - c, cb = c - b;
    float lx = 1.0 / max(max(abs(dc), abs(cb)), 0.0001);
    float dx = d - b;
    dir.x += dx * w;
    lx = clamp(abs(dx) * lx, 0.0, 1.0);
    len += lx * lx * w;
    float ec = e - c, ca = c - a;
    float ly = 1.0 / max(max(abs(ec), abs(ca)), 0.0001);
    float dy = e - a;
    dir.y += dy * w;
    ly = clamp(abs(dy) * ly, 0.0, 1.0);
    len += ly * ly * w;
}

void tap(inout vec3 sum, inout float weights, vec2 offset, vec2 dir, vec2 len, float lobe, float clip, vec3 colour) {
    vec2 v = vec2(dot(offset, dir), dot(offset, vec2(-dir.y, dir.x))) * len;
    float d2 = min(dot(v, v), clip);
    float wb = 0.4 * d2 - 1.0;
    float wa = lobe * d2 - 1.0;
    wb *= wb;
    wa *= wa;
    wb = 1.5625 * wb - 0.5625;
    float w = wb * wa;
    sum += colour * w;
    weights += w;
}

float luma(vec3 c) {
    return c.g + 0.5 * (c.r + c.b);
}

void main() {
    vec2 place = v_uv * u_grid - vec2(0.5), base = floor(place), f = place - base;
    vec2 step = vec2(1.0) / u_grid, at = (base + vec2(0.5)) * step;
    vec3 b = texture2D(u_source, at + step * vec2(0.0, -1.0)).rgb;
    vec3 c = texture2D(u_source, at + step * vec2(1.0, -1.0)).rgb;
    vec3 e = texture2D(u_source, at + step * vec2(-1.0, 0.0)).rgb;
    vec3 g = texture2D(u_source, at).rgb;
    vec3 h = texture2D(u_source, at + step * vec2(1.0, 0.0)).rgb;
    vec3 i = texture2D(u_source, at + step * vec2(2.0, 0.0)).rgb;
    vec3 j = texture2D(u_source, at + step * vec2(-1.0, 1.0)).rgb;
    vec3 k = texture2D(u_source, at + step * vec2(0.0, 1.0)).rgb;
    vec3 l = texture2D(u_source, at + step * vec2(1.0, 1.0)).rgb;
    vec3 m = texture2D(u_source, at + step * vec2(2.0, 1.0)).rgb;
    vec3 o = texture2D(u_source, at + step * vec2(0.0, 2.0)).rgb;
    vec3 p = texture2D(u_source, at + step * vec2(1.0, 2.0)).rgb;
    float bl = luma(b), cl = luma(c), el = luma(e), gl = luma(g), hl = luma(h), il = luma(i);
    float jl = luma(j), kl = luma(k), ll = luma(l), ml = luma(m), ol = luma(o), pl = luma(p);
    vec2 dir = vec2(0.0);
    float len = 0.0;
    gradient(dir, len, (1.0 - f.x) * (1.0 - f.y), bl, el, gl, hl, kl);
    gradient(dir, len, f.x * (1.0 - f.y), cl, gl, hl, il, ll);
    gradient(dir, len, (1.0 - f.x) * f.y, gl, jl, kl, ll, ol);
    gradient(dir, len, f.x * f.y, hl, kl, ll, ml, pl);
    float size = dot(dir, dir);
    float flat_ = size < 0.00003 ? 1.0 : 0.0;
    float scale = inversesqrt(max(size, 0.00003));
    dir = mix(dir * scale, vec2(1.0, 0.0), flat_);
    len = 0.25 * len * len;
    float stretch = dot(dir, dir) / max(max(abs(dir.x), abs(dir.y)), 0.0001);
    vec2 len2 = vec2(1.0 + (stretch - 1.0) * len, 1.0 - 0.5 * len);
    float lobe = 0.5 - 0.29 * len;
    float clip = 1.0 / lobe;
    vec3 low = min(min(g, h), min(k, l)), high = max(max(g, h), max(k, l));
    vec3 sum = vec3(0.0);
    float weights = 0.0;
    tap(sum, weights, vec2(0.0, -1.0) - f, dir, len2, lobe, clip, b);
    tap(sum, weights, vec2(1.0, -1.0) - f, dir, len2, lobe, clip, c);
    tap(sum, weights, vec2(-1.0, 1.0) - f, dir, len2, lobe, clip, j);
    tap(sum, weights, vec2(0.0, 1.0) - f, dir, len2, lobe, clip, k);
    tap(sum, weights, vec2(0.0, 0.0) - f, dir, len2, lobe, clip, g);
    tap(sum, weights, vec2(-1.0, 0.0) - f, dir, len2, lobe, clip, e);
    tap(sum, weights, vec2(1.0, 1.0) - f, dir, len2, lobe, clip, l);
    tap(sum, weights, vec2(2.0, 1.0) - f, dir, len2, lobe, clip, m);
    tap(sum, weights, vec2(2.0, 0.0) - f, dir, len2, lobe, clip, i);
    tap(sum, weights, vec2(1.0, 0.0) - f, dir, len2, lobe, clip, h);
    tap(sum, weights, vec2(1.0, 2.0) - f, dir, len2, lobe, clip, p);
    tap(sum, weights, vec2(0.0, 2.0) - f, dir, len2, lobe, clip, o);
    gl_FragColor = vec4(clamp(sum / weights, low, high), 1.0);
}
