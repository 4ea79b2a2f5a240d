// Thirty-six texels under a separable window; partial sums of six rows.
precision highp float;
uniform sampler2D u_source;
uniform vec2 u_grid;
varying vec2 v_uv;
vec3 window(vec3 x) {
    vec3 p = max(abs(x), vec3(0.01)) * 3.1415927;
    return sin(p) * sin(p / 3.0) / (p * p);
}
vec3 row(float y, vec3 xa, vec3 xb, vec3 wa, vec3 wb) {
    return texture2D(u_source, vec2(xa.x, y)).rgb * wa.x + texture2D(u_source, vec2(xa.y, y)).rgb * wa.y +
           texture2D(u_source, vec2(xa.z, y)).rgb * wa.z + texture2D(u_source, vec2(xb.x, y)).rgb * wb.x +
           texture2D(u_source, vec2(xb.y, y)).rgb * wb.y + texture2D(u_source, vec2(xb.z, y)).rgb * wb.z;
}
void main() {
    vec2 s = vec2(1.0) / u_grid, place = v_uv * u_grid - 0.5, f = fract(place), at = (floor(place) + 0.5) * s;
    vec3 wa = window(vec3(f.x + 2.0, f.x + 1.0, f.x)), wb = window(vec3(1.0 - f.x, 2.0 - f.x, 3.0 - f.x));
    vec3 ya = window(vec3(f.y + 2.0, f.y + 1.0, f.y)), yb = window(vec3(1.0 - f.y, 2.0 - f.y, 3.0 - f.y));
    float sx = dot(wa, vec3(1.0)) + dot(wb, vec3(1.0)), sy = dot(ya, vec3(1.0)) + dot(yb, vec3(1.0));
    wa /= sx; wb /= sx; ya /= sy; yb /= sy;
    vec3 xa = at.x + s.x * vec3(-2.0, -1.0, 0.0), xb = at.x + s.x * vec3(1.0, 2.0, 3.0);
    vec3 r = row(at.y - 2.0 * s.y, xa, xb, wa, wb) * ya.x + row(at.y - s.y, xa, xb, wa, wb) * ya.y + row(at.y, xa, xb, wa, wb) * ya.z;
    r += row(at.y + s.y, xa, xb, wa, wb) * yb.x + row(at.y + 2.0 * s.y, xa, xb, wa, wb) * yb.y + row(at.y + 3.0 * s.y, xa, xb, wa, wb) * yb.z;
    gl_FragColor = vec4(r, 1.0);
}
