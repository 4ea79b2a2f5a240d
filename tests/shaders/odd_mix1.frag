#version 100
precision highp float; precision mediump int;
varying vec4 w0; varying mat2 w1; varying vec2 w2[2];
uniform sampler2D tx; uniform ivec3 iv; uniform bvec4 bv; uniform vec4 lim;
float g1 = 1.0, g2; vec2 g3 = vec2(0.5);
int idx = 0;
float side() { g1 *= 0.5; return g1; }
bool yes() { g2 += 1.0; return true; }
bool no() { g2 += 10.0; return false; }
vec3 sel(const bool c, vec3 a, in vec3 b) { if (c) { return a; } else return b; }
void main() {
  vec4 col = texture2D(tx, w1 * w2[0]);
  g2 = 0.0;
  if (no() && yes()) col = vec4(0); else if (yes() || no()) { }
  float r = bv.x ? side() : (bv.y ? side() + side() : -side());
  col.r += r, col.gb = (col.bg *= 0.9).yx;
  ivec3 j = iv / 2 * 2; ivec3 odd = iv - j; 
  idx = odd.x == 0 ? odd.y : odd.z; idx = idx < 0 ? -idx : idx;
  col[idx] = mix(col[idx], w2[1][idx - idx / 2 * 2], 0.5);
  float v[4]; v[0] = v[1] = v[2] = v[3] = 0.125; v[int(bv.z)] += 0.5; v[idx++] -= 0.0625; 
  for (int i = 3, k = 0; i >= 0 && k < 4; i--, k++) { float v2 = v[i]; if (v2 == 0.125) continue; col[k] += v2; }
  bvec4 cmp = lessThan(col, lim); cmp.xy = cmp.yx; 
  if (cmp == bv) col = col.abgr; if (not(cmp) != bv) col.stp = col.tps;
  col.rgb = sel(any(cmp), col.rgb, vec3(w0)) + vec3(g2 * 0.01, g3);
  mat3 m = mat3(w0.xyz, w1[0], w1[1], w2[0]); m[idx > 2 ? 2 : idx].x = 0.0;
  col.rgb = mix(col.rgb, m * col.rgb * matrixCompMult(m, m)[1], 0.1);
  { vec4 col = col; col = col * 2.0; g1 = col.x; }
  if (g1 > lim.x * 100.0) { discard; }
  gl_FragColor = col; gl_FragColor.a *= step(0.0, g1); return;
}
