#ifdef GL_ES
precision highp float;
#endif
invariant varying vec3 vA;
varying float vB[3];
varying mat3 vM;
uniform vec4 lut[10]; uniform sampler2D img[2]; uniform int ring;
struct Ray { vec3 o, d; }; struct Rec { Ray r; vec2 st; };
Rec make(Ray r, float k) { Rec x; x.r = r; x.r.d *= k; x.st = gl_PointCoord.ts; return x; }
vec4 fetch(int i) { return lut[i < 0 ? i + 10 : i >= 10 ? i - 10 : i]; }
int imod(int a, int b) { return a - a / b * b; }
void main() {
  Ray a = Ray(vA, vM[0]), b = a; b.d = normalize(b.d + vec3(1e-4));
  Rec r0 = make(a, 1.0), r1 = make(b, vB[0]);
  vec4 sum = vec4(0.0);
  for (int i = -2; i < 3; ++i) { vec4 f = fetch(ring + i); float w = 1.0 / (1.0 + abs(float(i))); if (f == vec4(0.0) || f.x != f.x) continue; sum += f * w; if (sum.w > 4.0) break; }
  vec4 t0 = texture2D(img[0], r0.st, vB[1]), t1 = texture2DProj(img[1], vec3(r1.st, 1.0 + abs(vB[2])));
  int q = imod(int(sum.x * 8.0), 3); float z = 0.0;
  if (q == 0) z = vM[q].x; else { if (q == 1) { z = vM[1][q]; } else { z = vM[q][2]; } }
  vec3 c = faceforward(r0.r.d, r1.r.o, vec3(0, 0, 1)) * refract(b.d, a.d, 0.66);
  if (r0 == r1) c = vec3(1, 0, 1);
  c = r0.r != r1.r ? c + t0.rgb : c - t1.rgb;
  float d = distance(c, sum.rgb); d += asin(clamp(z, -1.0, 1.0)) + acos(0.5) * radians(degrees(0.1)) + tan(d * 0.1) + atan(d);
  gl_FragColor = vec4(c + exp(-d), gl_FragCoord.w / gl_DepthRange.diff + gl_DepthRange.near - gl_DepthRange.far * sign(z));
}
