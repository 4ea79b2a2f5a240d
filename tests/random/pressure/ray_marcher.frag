// Distances to four bodies with a material each, state kept over branches and iterations, soft shadow, fog.
precision highp float;
uniform float u_f;
uniform vec4 u_v;
varying vec2 v_uv;
vec2 nearer(vec2 a, vec2 b) { return a.x < b.x ? a : b; }
vec2 scene(vec3 p) {
    vec2 d = vec2(p.y + 0.6, 0.1);
    d = nearer(d, vec2(length(p - vec3(0.1, 0.0, 0.3)) - 0.5, 0.4));
    vec3 q = abs(p - vec3(-0.8, -0.2, 0.5)) - vec3(0.25, 0.4, 0.25);
    d = nearer(d, vec2(length(max(q, 0.0)) + min(max(q.x, max(q.y, q.z)), 0.0), 0.7));
    vec2 t = vec2(length(p.xz - vec2(0.9, 0.4)) - 0.4, p.y + 0.3);
    return nearer(d, vec2(length(t) - 0.12, 0.95));
}
void main() {
    vec2 uv = v_uv * 2.0 - 0.9;
    vec3 eye = vec3(0.0, 0.3 + u_f * 0.2, -2.5), ray = normalize(vec3(uv, 1.7)), colour = vec3(0.5, 0.6, 0.8) - uv.y * 0.2;
    float t = 0.5, material = 0.0, glow = 0.0;
    for (int i = 0; i < 48; i++) {
        vec2 d = scene(eye + ray * t);
        glow += 0.003 / (0.05 + d.x);
        if (d.x < 0.002 || t > 8.0) {
            material = d.y;
            break;
        }
        t += d.x * 0.9;
    }
    if (t < 8.0) {
        vec3 p = eye + ray * t;
        vec2 e = vec2(0.01, 0.0);
        vec3 n = normalize(vec3(scene(p + e.xyy).x - scene(p - e.xyy).x, scene(p + e.yxy).x - scene(p - e.yxy).x, scene(p + e.yyx).x - scene(p - e.yyx).x));
        vec3 light = normalize(vec3(0.6, 0.9, -0.7));
        float shade = 1.0, s = 0.1;
        for (int i = 0; i < 10; i++) {
            float d = scene(p + n * 0.02 + light * s).x;
            shade = min(shade, 6.0 * d / s);
            s += clamp(d, 0.05, 0.4);
        }
        float diffuse = clamp(dot(n, light), 0.0, 1.0) * clamp(shade, 0.0, 1.0);
        vec3 base = mix(u_v.rgb, vec3(1.0 - material, 0.5, material), 0.7);
        colour = mix(base * (0.2 + 0.8 * diffuse), colour, clamp(t * t * 0.01, 0.0, 1.0));
    }
    gl_FragColor = vec4(clamp(colour + glow * 0.2, 0.0, 1.0), 1.0);
}
