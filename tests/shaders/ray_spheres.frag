precision highp float;
varying vec3 vDir;
uniform vec3 uCamera;
uniform vec4 uBalls[5];      // xyz centre, w radius
uniform vec3 uBallColor[5];
uniform vec3 uLamp;
uniform float uMirror;

struct Ray { vec3 o; vec3 d; };
struct Hit { float t; vec3 p; vec3 n; vec3 c; bool ok; };

bool sphere(const in Ray r, const in vec4 s, out float t) {
  vec3 oc = r.o - s.xyz;
  float b = dot(oc, r.d);
  float c = dot(oc, oc) - s.w * s.w;
  float disc = b * b - c;
  t = -1.0;
  if (disc < 0.0) return false;
  float q = sqrt(disc);
  t = -b - q;
  if (t < 1e-3) t = -b + q;
  return t > 1e-3;
}

bool plane(Ray r, float y, out float t) {
  t = (y - r.o.y) / r.d.y;
  return t > 1e-3;
}

void trace(Ray r, out Hit h) {
  h.t = 1e5;
  h.ok = false;
  h.p = h.n = h.c = vec3(0.0);
  float t;
  for (int i = 0; i < 5; i++) {
    if (sphere(r, uBalls[i], t) && t < h.t) {
      h.t = t;
      h.p = r.o + r.d * t;
      h.n = (h.p - uBalls[i].xyz) / uBalls[i].w;
      h.c = uBallColor[i];
      h.ok = true;
    }
  }
  if (plane(r, -1.0, t) && t < h.t) {
    h.t = t;
    h.p = r.o + r.d * t;
    h.n = vec3(0.0, 1.0, 0.0);
    vec2 k = floor(h.p.xz);
    h.c = mod(k.x + k.y, 2.0) < 1.0 ? vec3(0.9) : vec3(0.2);
    h.ok = true;
  }
}

bool occluded(Ray r, float maxT) {
  float t;
  for (int i = 0; i < 5; i++)
    if (sphere(r, uBalls[i], t) && t < maxT)
      return true;
  return false;
}

vec3 sky(vec3 d) { return mix(vec3(0.9, 0.85, 0.8), vec3(0.3, 0.5, 0.8), max(d.y, 0.0)); }

void main() {
  Ray r = Ray(uCamera, normalize(vDir));
  vec3 sum = vec3(0.0);
  float weight = 1.0;
  for (int bounce = 0; bounce < 3; bounce++) {
    Hit h;
    trace(r, h);
    if (!h.ok) {
      sum += weight * sky(r.d);
      break;
    }
    vec3 L = uLamp - h.p;
    float dl = length(L);
    L /= dl;
    float lit = max(dot(h.n, L), 0.0);
    if (lit > 0.0 && occluded(Ray(h.p + h.n * 1e-3, L), dl)) lit = 0.0;
    sum += weight * (1.0 - uMirror) * h.c * (0.15 + lit);
    weight *= uMirror;
    r.o = h.p + h.n * 1e-3;
    r.d = reflect(r.d, h.n);
  }
  gl_FragColor = vec4(sum, 1.0);
}
