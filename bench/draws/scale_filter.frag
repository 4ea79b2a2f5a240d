// upscaling: nearest, sharp bilinear, bicubic
// draws: u_filter=0 | u_filter=1 | u_filter=2
precision mediump float;
uniform int u_filter;
uniform sampler2D u_frame;
uniform vec2 u_size, u_pixel;
varying vec2 v_uv;
vec4 cubic(float t) {
    vec4 n = vec4(1.0, 2.0, 3.0, 4.0) - t;
    vec4 s = n * n * n;
    return vec4(s.x, s.y - 4.0 * s.x, s.z - 4.0 * s.y + 6.0 * s.x, 6.0 - s.x - s.y - s.z) / 6.0;
}
void main() {
    vec2 at = v_uv * u_size;
    vec4 c;
    if (u_filter == 0) {
        c = texture2D(u_frame, (floor(at) + 0.5) * u_pixel);
    } else if (u_filter == 1) {
        vec2 f = fract(at);
        c = texture2D(u_frame, (floor(at) + clamp(f * 4.0 - 1.5, 0.0, 1.0)) * u_pixel);
    } else {
        vec2 f = fract(at - 0.5), b = at - 0.5 - f;
        vec4 x = cubic(f.x), y = cubic(f.y);
        vec2 sx = vec2(x.x + x.y, x.z + x.w), sy = vec2(y.x + y.y, y.z + y.w);
        vec2 ox = b.x + vec2(-0.5, 1.5) + vec2(x.y, x.w) / sx, oy = b.y + vec2(-0.5, 1.5) + vec2(y.y, y.w) / sy;
        vec4 p = mix(texture2D(u_frame, vec2(ox.y, oy.x) * u_pixel), texture2D(u_frame, vec2(ox.x, oy.x) * u_pixel), sx.x / (sx.x + sx.y));
        vec4 q = mix(texture2D(u_frame, vec2(ox.y, oy.y) * u_pixel), texture2D(u_frame, vec2(ox.x, oy.y) * u_pixel), sx.x / (sx.x + sx.y));
        c = mix(q, p, sy.x / (sy.x + sy.y));
    }
    gl_FragColor = c;
}
