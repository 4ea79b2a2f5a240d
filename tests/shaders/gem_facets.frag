precision highp float;
// traces inside a convex gem described by planes
#define PLANES 10
#define BOUNCES 4
uniform vec4 uPlane[PLANES];
uniform int uPlaneCount;
uniform samplerCube uEnv;
uniform float uIor;
uniform float uDispersion;
uniform vec3 uAbsorb;
uniform bool uCheap;
varying vec3 vObjPos;
varying vec3 vObjEye;
varying vec3 vObjNrm;

bool exitPoint(vec3 o, vec3 d, out float t, out vec3 n)
{
    t = 1e6;
    n = vec3(0.0);
    for (int i = 0; i < PLANES; i++) {
        if (i >= uPlaneCount) break;
        float dn = dot(uPlane[i].xyz, d);
        if (dn <= 1e-4) continue;
        float k = (uPlane[i].w - dot(uPlane[i].xyz, o)) / dn;
        if (k < t) {
            t = k;
            n = uPlane[i].xyz;
        }
    }
    return t < 1e5;
}

vec3 trace(vec3 o, vec3 d, float ior)
{
    float len = 0.0;
    vec3 acc = vec3(0.0);
    float through = 1.0;
    for (int b = 0; b < BOUNCES; b++) {
        float t;
        vec3 n;
        if (!exitPoint(o, d, t, n)) break;
        len += t;
        o += d * t;
        vec3 outDir = refract(d, -n, ior);
        bool tir = dot(outDir, outDir) < 1e-4;
        if (!tir) {
            float f = 0.05 + 0.95 * pow(1.0 - abs(dot(outDir, n)), 5.0);
            acc += textureCube(uEnv, outDir).rgb * exp(-uAbsorb * len) * through * (1.0 - f);
            through *= f;
        }
        if (through < 0.02) break;
        d = reflect(d, n);
    }
    return acc + textureCube(uEnv, d).rgb * through * exp(-uAbsorb * len) * 0.5;
}

void main() {
  vec3 d = normalize(vObjPos - vObjEye);
  vec3 n = normalize(vObjNrm);
  float f = 0.08 + 0.92 * pow(clamp(1.0 + dot(d, n), 0.0, 1.0), 5.0);
  vec3 refl = textureCube(uEnv, reflect(d, n)).rgb;
  vec3 inner;
  if (uCheap) {
    inner = trace(vObjPos, refract(d, n, 1.0 / uIor), uIor);
  } else {
    inner.r = trace(vObjPos, refract(d, n, 1.0 / (uIor - uDispersion)), uIor - uDispersion).r;
    inner.g = trace(vObjPos, refract(d, n, 1.0 / uIor), uIor).g;
    inner.b = trace(vObjPos, refract(d, n, 1.0 / (uIor + uDispersion)), uIor + uDispersion).b;
  }
  gl_FragColor = vec4(mix(inner, refl, f), 1.0);
}
