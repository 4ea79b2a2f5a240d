precision highp float;
uniform sampler2D srcTex, dstTex;
uniform int op;
uniform float alpha;
uniform bool unpremul;
varying vec2 s; varying vec2 d;
const vec3 LUMW = vec3(0.3, 0.59, 0.11);
float lum(vec3 c) { return dot(c, LUMW); }
float sat(vec3 c) { return max(c.r, max(c.g, c.b)) - min(c.r, min(c.g, c.b)); }
vec3 clipc(vec3 c) {
  float l = lum(c), n = min(c.r, min(c.g, c.b)), x = max(c.r, max(c.g, c.b));
  if (n < 0.0) c = l + (c - l) * l / (l - n);
  if (x > 1.0) c = l + (c - l) * (1.0 - l) / (x - l);
  return c;
}
vec3 setlum(vec3 c, float l) { return clipc(c + (l - lum(c))); }
vec3 setsat(vec3 c, float sv) { float n = min(c.r, min(c.g, c.b)); float r = sat(c); return r > 0.0 ? (c - n) * (sv / r) : vec3(0.0); }
float dodge(float b, float c) { return b == 0.0 ? 0.0 : c >= 1.0 ? 1.0 : min(1.0, b / (1.0 - c)); }
float burn(float b, float c) { return b >= 1.0 ? 1.0 : c <= 0.0 ? 0.0 : 1.0 - min(1.0, (1.0 - b) / c); }
float soft(float b, float c) {
  if (c <= 0.5) return b - (1.0 - 2.0 * c) * b * (1.0 - b);
  float g = b <= 0.25 ? ((16.0 * b - 12.0) * b + 4.0) * b : sqrt(b);
  return b + (2.0 * c - 1.0) * (g - b);
}
vec3 hardl(vec3 b, vec3 c) { return mix(2.0 * b * c, 1.0 - 2.0 * (1.0 - b) * (1.0 - c), step(0.5, c)); }
vec3 sep(vec3 B, vec3 S) {
  if (op == 12) return B * S;
  if (op == 13) return B + S - B * S;
  if (op == 14) return hardl(S, B);
  if (op == 15) return min(B, S);
  if (op == 16) return max(B, S);
  if (op == 17) return vec3(dodge(B.r, S.r), dodge(B.g, S.g), dodge(B.b, S.b));
  if (op == 18) return vec3(burn(B.r, S.r), burn(B.g, S.g), burn(B.b, S.b));
  if (op == 19) return hardl(B, S);
  if (op == 20) return vec3(soft(B.r, S.r), soft(B.g, S.g), soft(B.b, S.b));
  if (op == 21) return abs(B - S);
  if (op == 22) return B + S - 2.0 * B * S;
  if (op == 23) return setlum(setsat(S, sat(B)), lum(B));
  if (op == 24) return setlum(setsat(B, sat(S)), lum(B));
  if (op == 25) return setlum(S, lum(B));
  return setlum(B, lum(S));
}
void main() {
  vec4 S = texture2D(srcTex, s) * alpha, D = texture2D(dstTex, d);
  vec4 R;
  if (op < 12) {
    float fa = 0.0, fb = 0.0;
    if (op == 1 || op == 11) fa = 1.0;
    if (op == 2 || op == 11) fb = 1.0;
    if (op == 3) { fa = 1.0; fb = 1.0 - S.a; }
    if (op == 4) { fa = 1.0 - D.a; fb = 1.0; }
    if (op == 5) fa = D.a;
    if (op == 6) fb = S.a;
    if (op == 7) fa = 1.0 - D.a;
    if (op == 8) fb = 1.0 - S.a;
    if (op == 9) { fa = D.a; fb = 1.0 - S.a; }
    if (op == 10) { fa = 1.0 - D.a; fb = 1.0 - S.a; }
    R = min(S * fa + D * fb, 1.0);
  } else {
    vec3 cs = S.a > 0.0 ? S.rgb / S.a : vec3(0.0), cb = D.a > 0.0 ? D.rgb / D.a : vec3(0.0);
    vec3 bl = sep(cb, cs);
    R.rgb = S.rgb * (1.0 - D.a) + D.rgb * (1.0 - S.a) + S.a * D.a * bl;
    R.a = S.a + D.a * (1.0 - S.a);
  }
  gl_FragColor = unpremul ? vec4(R.a > 0.0 ? R.rgb / R.a : vec3(0.0), R.a) : R;
}
