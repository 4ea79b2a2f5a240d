// anti-aliasing after the fact, off, fast or thorough
// draws: u_quality=0 | u_quality=1 | u_quality=2
precision mediump float;
uniform int u_quality;
uniform sampler2D u_frame;
uniform vec2 u_pixel;
varying vec2 v_uv;
float luma(vec3 c) { return dot(c, vec3(0.299, 0.587, 0.114)); }
void main() {
    vec3 m = texture2D(u_frame, v_uv).rgb;
    if (u_quality > 0) {
        float nw = luma(texture2D(u_frame, v_uv - u_pixel).rgb), se = luma(texture2D(u_frame, v_uv + u_pixel).rgb);
        float ne = luma(texture2D(u_frame, v_uv + vec2(u_pixel.x, -u_pixel.y)).rgb);
        float sw = luma(texture2D(u_frame, v_uv + vec2(-u_pixel.x, u_pixel.y)).rgb);
        vec2 d = vec2(sw + se - nw - ne, nw + sw - ne - se);
        d = clamp(d / (min(abs(d.x), abs(d.y)) + 0.03), -8.0, 8.0) * u_pixel;
        vec3 a = 0.5 * (texture2D(u_frame, v_uv - d * 0.1666).rgb + texture2D(u_frame, v_uv + d * 0.1666).rgb);
        m = a;
        if (u_quality > 1) {
            vec3 b = a * 0.5 + 0.25 * (texture2D(u_frame, v_uv - d * 0.5).rgb + texture2D(u_frame, v_uv + d * 0.5).rgb);
            float l = luma(b), low = min(min(nw, ne), min(sw, se)), high = max(max(nw, ne), max(sw, se));
            m = l < low || l > high ? a : b;
        }
    }
    gl_FragColor = vec4(m, 1.0);
}
