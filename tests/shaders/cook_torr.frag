precision highp float;
struct PLight {
    vec3 pos;
    float radius;
    vec3 col;
    float enabled;
};
#define NL 4
const float PI = 3.14159265;
uniform PLight lights[NL];
uniform vec3 eye;
uniform vec3 albedoTint;
uniform float roughScale;
uniform float metalScale;
uniform sampler2D texAlbedo;
uniform sampler2D texORM;
uniform int ndfModel;      // 0 Beckmann 1 GGX 2 Blinn
varying vec3 fPos;
varying vec3 fNrm;
varying vec2 fTex;

float D(float nh, float m)
{
    float m2 = m * m, nh2 = nh * nh;
    if (ndfModel == 0) {
        float e = (nh2 - 1.0) / (nh2 * m2 + 1e-6);
        return exp(e) / (PI * m2 * nh2 * nh2 + 1e-6);
    } else if (ndfModel == 1) {
        float d = nh2 * (m2 - 1.0) + 1.0;
        return m2 / (PI * d * d);
    }
    float n = 2.0 / m2 - 2.0;
    return (n + 2.0) / (2.0 * PI) * pow(nh, max(n, 0.01));
}
float G(float nl, float nv, float nh, float vh)
{
    if (ndfModel == 1)
        return 1.0;
    return min(1.0, min(2.0 * nh * nv / vh, 2.0 * nh * nl / vh));
}
vec3 F(vec3 f0, float vh) { float k = 1.0 - vh; float k2 = k * k; return f0 + (1.0 - f0) * (k2 * k2 * k); }

float window(float d, float r)
{
    float q = d / r; q *= q;
    float s = clamp(1.0 - q * q, 0.0, 1.0);
    return s * s / (d * d + 1.0);
}

void main()
{
    vec3 n = normalize(fNrm);
    vec3 v = normalize(eye - fPos);
    vec3 orm = texture2D(texORM, fTex).rgb;
    float m = max(orm.g * roughScale, 0.05); m *= m;
    float metal = clamp(orm.b * metalScale, 0.0, 1.0);
    vec3 alb = pow(texture2D(texAlbedo, fTex).rgb, vec3(2.2)) * albedoTint;
    vec3 f0 = mix(vec3(0.04), alb, metal);
    vec3 dif = alb * (1.0 - metal) / PI;
    float nv = max(dot(n, v), 1e-3);
    vec3 sum = alb * 0.03 * orm.r;
    for (int i = 0; i < NL; ++i) {
        if (lights[i].enabled == 0.0) continue;
        vec3 ld = lights[i].pos - fPos;
        float d = length(ld);
        if (d > lights[i].radius) continue;
        ld /= d;
        float nl = dot(n, ld);
        if (nl <= 0.0) continue;
        vec3 h = normalize(ld + v);
        float nh = max(dot(n, h), 0.0), vh = max(dot(v, h), 1e-3);
        vec3 f = F(f0, vh);
        vec3 spec = f * D(nh, m) * G(nl, nv, nh, vh) / (4.0 * nl * nv);
        sum += (dif * (1.0 - f) + spec) * lights[i].col * (nl * window(d, lights[i].radius));
    }
    gl_FragColor = vec4(pow(sum / (sum + 1.0), vec3(1.0 / 2.2)), 1.0);
}
