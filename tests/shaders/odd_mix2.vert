#define F4(x) vec4(x, x, x, x)
#ifdef GL_ES
precision highp float;
#endif
invariant gl_Position;
invariant varying vec3 vA;
varying float vB[3];
varying mat3 vM;
attribute mat2 aM; attribute vec3 aP; attribute mat3 aR;
uniform mat3 R[4]; uniform struct S { float w; vec3 d; mat2 t; } s0, s1;
uniform bool flags[3];
vec3 pickcol(mat3 m, int c) { return c == 0 ? m[0] : c == 1 ? m[1] : m[2]; }
mat3 tr(mat3 m) { mat3 o; for (int i = 0; i < 3; ++i) for (int j = 0; j < 3; ++j) o[i][j] = m[j][i]; return o; }
float det(mat3 m) { return dot(m[0], cross(m[1], m[2])); }
void accumulate(inout vec3 v, mat3 m, float w) { v += (v * m) * w; }
void main() {
  vec3 p = aP; int n = 0;
  mat3 acc = mat3(1.0) - mat3(0.5);
  while (n < 4) { if (n == 2) { n++; continue; } accumulate(p, R[n], s0.w); acc += R[n++] * 0.25; }
  acc = tr(acc) * acc; acc /= max(abs(det(acc)), 0.001);
  if (s0 == s1) p = -p; else if (s0.t == s1.t) { p.xy = aM * p.xy; }
  bool all_ = flags[0] && flags[1] && flags[2]; 
  if (acc == mat3(0)) p += 1.0;
  vec2 e = vec2(aM[0][0], aM[1].y) + (aM * s0.t)[int(all_)];
  vA = pickcol(acc, int(e.x)) + aR * s1.d + s0.d * (-acc)[0];
  for (int k = 0; k < 3; k++) vB[k] = dot(acc[k], vA) + float(flags[k]);
  vM = aR; vM[2] = vM[0].zxy + vM[2] * e.y; vM[1].xz -= vec2(1);
  gl_Position = F4(1.0) * vec4(p, 1); gl_PointSize = 4.0 + e.x;
}
