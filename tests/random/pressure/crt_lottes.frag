// A tube: 5 + 3 + 5 taps on three lines, bloom beside them, a shadow mask, warp.
precision highp float;
uniform sampler2D u_source;
uniform vec2 u_grid;
uniform float u_f;
varying vec2 v_uv;
vec3 linear(vec3 c) { return c * c * (0.3 * c + 0.7); }
vec3 fetch(vec2 p, vec2 o) { p = (floor(p * u_grid + o) + 0.5) / u_grid; return linear(texture2D(u_source, p).rgb); }
float gauss(float x, float k) { return exp2(-k * x * x); }
vec3 horizontal3(vec2 p, float d, float y) {
    float a = gauss(d - 1.0, 2.5), b = gauss(d, 2.5), c = gauss(d + 1.0, 2.5);
    return (fetch(p, vec2(-1.0, y)) * a + fetch(p, vec2(0.0, y)) * b + fetch(p, vec2(1.0, y)) * c) / (a + b + c);
}
vec3 horizontal5(vec2 p, float d, float y) {
    float a = gauss(d - 2.0, 2.5), b = gauss(d - 1.0, 2.5), c = gauss(d, 2.5), e = gauss(d + 1.0, 2.5), f = gauss(d + 2.0, 2.5);
    return (fetch(p, vec2(-2.0, y)) * a + fetch(p, vec2(-1.0, y)) * b + fetch(p, vec2(0.0, y)) * c + fetch(p, vec2(1.0, y)) * e + fetch(p, vec2(2.0, y)) * f) / (a + b + c + e + f);
}
void main() {
    vec2 w = v_uv * 2.0 - 1.0;
    w *= vec2(1.0 + w.y * w.y * 0.02, 1.0 + w.x * w.x * 0.03);
    vec2 p = w * 0.5 + 0.5 + 0.0021;
    vec2 d = -(fract(p * u_grid) - 0.5);
    vec3 a = horizontal3(p, d.x, -1.0), b = horizontal5(p, d.x, 0.0), c = horizontal3(p, d.x, 1.0), z = horizontal5(p, d.x, -2.0), y = horizontal5(p, d.x, 2.0);
    vec3 sharp = a * gauss(d.y - 1.0, 6.0) + b * gauss(d.y, 6.0) + c * gauss(d.y + 1.0, 6.0);
    vec3 bloom = z * gauss(d.y - 2.0, 1.5) + a * gauss(d.y - 1.0, 1.5) + b * gauss(d.y, 1.5) + c * gauss(d.y + 1.0, 1.5) + y * gauss(d.y + 2.0, 1.5);
    vec3 mask = vec3(0.7) + 0.3 * vec3(gauss(d.x - 0.3, 8.0), gauss(d.x, 8.0), gauss(d.x + 0.3, 8.0));
    gl_FragColor = vec4(sqrt(clamp((sharp + bloom * 0.15 * u_f) * mask, 0.0, 1.0)), 1.0);
}
