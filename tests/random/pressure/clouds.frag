// Layers of noise from a table of texels, each bent by the one before, lit along the way.
precision highp float;
uniform sampler2D u_noise;
uniform float u_f;
uniform vec4 u_v;
varying vec2 v_uv;
float fbm(vec2 p) {
    float f = 0.5 * texture2D(u_noise, p).r + 0.25 * texture2D(u_noise, p * 2.03 + 0.1).g + 0.125 * texture2D(u_noise, p * 4.01).b;
    return f / 0.875;
}
void main() {
    vec2 p = v_uv * 0.3, q = vec2(fbm(p), fbm(p + vec2(0.52, 0.13))), r = vec2(fbm(p + q * 0.1 + vec2(0.17, 0.92)), fbm(p + q * 0.1 + vec2(0.83, 0.28)));
    float f = fbm(p + r * 0.1 * u_f), g = fbm(p + r * 0.1 + vec2(0.02, 0.03));
    vec3 c = mix(vec3(0.1, 0.62, 0.67), vec3(0.67, 0.67, 0.5), clamp(f * f * 2.0, 0.0, 1.0));
    c = mix(c, u_v.rgb, clamp(length(q), 0.0, 1.0));
    c = mix(c, vec3(0.67, 1.0, 1.0), clamp(abs(r.x), 0.0, 1.0));
    gl_FragColor = vec4(c * (f * f * f + 0.6 * f * f + 0.5 * f) + (f - g) * 0.3, 1.0);
}
