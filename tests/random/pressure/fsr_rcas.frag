// Sharpening bounded by what the neighbours allow.
precision mediump float;
uniform sampler2D u_source;
uniform vec2 u_grid;
uniform float u_f;
varying vec2 v_uv;
void main() {
    vec2 s = vec2(1.0) / u_grid;
    vec3 b = texture2D(u_source, v_uv - vec2(0.0, s.y)).rgb, d = texture2D(u_source, v_uv - vec2(s.x, 0.0)).rgb;
    vec3 e = texture2D(u_source, v_uv).rgb;
    vec3 f = texture2D(u_source, v_uv + vec2(s.x, 0.0)).rgb, h = texture2D(u_source, v_uv + vec2(0.0, s.y)).rgb;
    vec3 low = min(min(b, d), min(f, h)), high = max(max(b, d), max(f, h));
    vec3 hit_low = min(low, e) / (4.0 * high + 0.01);
    vec3 hit_high = (1.0 - max(high, e)) / (4.0 * low - 4.01);
    vec3 lobes = max(-hit_low, hit_high);
    float lobe = max(-0.1875, min(max(max(lobes.r, lobes.g), lobes.b), 0.0)) * u_f;
    vec3 c = ((b + d + f + h) * lobe + e) / (4.0 * lobe + 1.0);
    gl_FragColor = vec4(c, 1.0);
}
