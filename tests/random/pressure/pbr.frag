// Four lights on one surface with maps for colour, normal and roughness.
precision highp float;
uniform sampler2D u_source, u_normal, u_rough;
uniform vec4 u_v;
uniform float u_f;
varying vec2 v_uv;
varying vec3 v_normal;
vec3 lit(vec3 n, vec3 v, vec3 l, vec3 base, float rough, float metal, vec3 power) {
    vec3 h = normalize(v + l);
    float a = rough * rough, nl = max(dot(n, l), 0.0), nv = max(dot(n, v), 0.05), nh = max(dot(n, h), 0.0), vh = max(dot(v, h), 0.0);
    float d = nh * nh * (a * a - 1.0) + 1.0, k = (rough + 1.0) * (rough + 1.0) / 8.0;
    float g = nl / (nl * (1.0 - k) + k + 0.01) * nv / (nv * (1.0 - k) + k);
    float x = 1.0 - vh, x2 = x * x;
    vec3 f0 = mix(vec3(0.04), base, metal), f = f0 + (1.0 - f0) * x2 * x2 * x;
    vec3 spec = f * (a * a / (3.14 * d * d)) * g / (4.0 * nv * max(nl, 0.05));
    return ((1.0 - f) * (1.0 - metal) * base / 3.14 + spec) * nl * power;
}
void main() {
    vec3 n = normalize(v_normal + (texture2D(u_normal, v_uv).xyz - 0.5) * 0.5), v = normalize(vec3(-v_normal.xy * 0.3, 1.0));
    vec3 base = texture2D(u_source, v_uv).rgb;
    float rough = 0.35 + 0.5 * texture2D(u_rough, v_uv).r, metal = u_f;
    vec3 sum = base * 0.05;
    sum += lit(n, v, normalize(vec3(1.0, 1.0, 1.0)), base, rough, metal, vec3(1.0, 0.9, 0.8));
    sum += lit(n, v, normalize(vec3(-1.0, 0.5, 1.0)), base, rough, metal, vec3(0.3, 0.5, 0.9));
    sum += lit(n, v, normalize(vec3(0.2, -1.0, 0.7)), base, rough, metal, vec3(0.6, 0.2, 0.2));
    sum += lit(n, v, normalize(u_v.xyz), base, rough, metal, vec3(0.5));
    gl_FragColor = vec4(sum / (sum + 0.6), 1.0);
}
