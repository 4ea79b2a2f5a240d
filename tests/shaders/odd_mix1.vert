#version 100
precision highp float;
const int N = 4 + 2 * 2 - 4;
const float HALF_N = float(N) / 2.0;
const vec3 AX = vec3(1, 0, 0).zxy, AY = AX.zxy;
const mat2 J = mat2(0, 1, -1, 0);
struct Inner { vec2 k; ivec2 n; bvec2 b; };
struct Outer { Inner i; mat2 m; float f; };
struct NeverUsed { vec4 a[3]; int z; } ;
attribute vec4 a0; attribute vec2 a1; attribute float a2;
uniform Outer uo; uniform mat4 um; uniform vec4 tab[N * 2]; uniform int pick_;
varying vec4 w0; varying mat2 w1; varying vec2 w2[2];
float counter = 0.0;
float bump(inout float c) { return ++c; }
float dead(float x) { for (int i = 0; i < 3; i++) { x *= 2.0; } return x; }
Inner mk(vec2 k) { return Inner(k, ivec2(k), bvec2(k)); }
void main() {
  ;;
  int i = 0; vec4 s = vec4(0);
  s += tab[i++]; s -= tab[++i] * 0.5; s.xy += tab[i--].zw, s.zw *= vec2(float(i), bump(counter));
  { int i = 3; { float s = HALF_N; i += int(s); counter += s; } s.x += float(i); ; }
  float a = 0.0, b = (a = 2.0, a * 3.0), c = a == b ? bump(counter) : (bump(counter), counter + 1.0);
  Inner p = mk(a1), q = uo.i;
  if (p == q || p.b == q.b && p.n != q.n) s.yz = (uo.m * J * a1).yx;
  Outer o = uo; o.i.k.y += c; o.m[1][0] -= 0.5; o.m[i] *= 2.0;
  if (o != uo) s.w += 0.25;
  mat4 z = um; z[pick_][3 - pick_] += 0.01; z[int(a2)] = z[int(a2)].wzyx; z *= 1.0;
  float k = 0.0; do { k += 1.0; if (k > 2.0) continue; s *= 1.1; } while (k < float(N));
  for (;;) { if (k-- < 0.0) break; s.x -= k; }
  bool t = a2 > 0.5 ^^ !(s.x < 0.0); if (t = !t, t) s = -s;
  w0 = s; w1 = mat2(o.m[0], vec2(p.k.x, c)); w2[0] = AX.xy + AY.yz; w2[i] = mat2(a0.xy, a0.zw)[1];
  gl_Position = z * vec4(a0.x, vec3(a0.yz, 1).xyz).xyzw;
}
