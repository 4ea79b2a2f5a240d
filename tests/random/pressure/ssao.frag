// Occlusion by sixteen samples of a table, position and basis kept over the loop.
precision highp float;
uniform sampler2D u_depth, u_normal;
uniform vec4 u_v;
uniform float u_f;
varying vec2 v_uv;
vec3 position(vec2 uv) { return vec3(uv * 2.0 - 1.0, 1.0) * (1.0 + 2.0 * texture2D(u_depth, uv).r); }
void main() {
    vec3 p = position(v_uv), n = normalize(texture2D(u_normal, v_uv).xyz * 2.0 - 1.0), t = normalize(u_v.xyz - n * dot(u_v.xyz, n)), b = cross(n, t);
    float sum = 0.0;
    for (int i = 0; i < 16; i++) {
        float k = float(i) + 0.5, a = k * 2.4, h = k / 16.0, r = sqrt(1.0 - h * h);
        vec3 s = p + (t * cos(a) * r + b * sin(a) * r + n * h) * 0.2 * u_f;
        vec2 at = s.xy / s.z * 0.5 + 0.5;
        float d = 1.0 + 2.0 * texture2D(u_depth, at).r;
        sum += clamp((s.z - d) * 0.8 + 0.4, 0.0, 1.0) * clamp(0.5 / (0.6 + abs(p.z - d)), 0.0, 1.0);
    }
    gl_FragColor = vec4(vec3(1.0 - sum / 16.0), 1.0);
}
