precision highp float;
precision highp int;
uniform sampler2D samp0, samp1;
uniform vec4 kcolor[4];
uniform vec4 creg[4];  // prev c0 c1 c2 (integers -1024..1023)
uniform vec4 alphaRef; // a0 a1
uniform ivec4 atest;   // comp0 comp1 logic
varying vec4 colors_0;
varying vec4 colors_1;
varying vec3 uv0;
varying vec3 uv1;
vec4 iround(vec4 v) { return floor(v * 255.0 + 0.5); }
vec4 wrapu8(vec4 v) { return v - floor(v / 256.0) * 256.0; }
vec3 tevlerp(vec3 a, vec3 b, vec3 c, vec3 d, float bias, float scale)
{
  vec3 c2 = c + floor(c / 128.0);
  vec3 l = a * (256.0 - c2) + b * c2;
  l = floor((l * scale + 128.0) / 256.0);
  return (d + bias) * scale + l;
}
float cmp16(vec2 a, vec2 b) { return float(dot(a, vec2(1.0, 256.0)) > dot(b, vec2(1.0, 256.0))); }
bool at(int f, float a, float r)
{
  if (f == 0) return false;
  if (f == 1) return a < r;
  if (f == 2) return a == r;
  if (f == 3) return a <= r;
  if (f == 4) return a > r;
  if (f == 5) return a != r;
  if (f == 6) return a >= r;
  return true;
}
void main()
{
  vec4 prev = creg[0], c0 = creg[1], c1 = creg[2], c2 = creg[3];
  vec4 rastemp, textemp, konsttemp, tevin_a, tevin_b, tevin_c, tevin_d;
  vec4 col0 = iround(colors_0), col1 = iround(colors_1);
  // stage 0
  rastemp = col0.rgba;
  textemp = iround(texture2D(samp0, uv0.xy)).rgba;
  konsttemp = vec4(kcolor[0].rgb, kcolor[1].a);
  tevin_a = wrapu8(vec4(vec3(0.0), 0.0));
  tevin_b = wrapu8(vec4(textemp.rgb, textemp.a));
  tevin_c = wrapu8(vec4(rastemp.rgb, rastemp.a));
  tevin_d = vec4(0.0);
  prev.rgb = clamp(tevlerp(tevin_a.rgb, tevin_b.rgb, tevin_c.rgb, tevin_d.rgb, 0.0, 1.0), 0.0, 255.0);
  prev.a = clamp(tevlerp(tevin_a.aaa, tevin_b.aaa, tevin_c.aaa, tevin_d.aaa, 0.0, 1.0).x, 0.0, 255.0);
  // stage 1
  rastemp = col1.aaaa;
  textemp = iround(texture2D(samp1, uv1.xy / uv1.z)).rrra;
  konsttemp = vec4(kcolor[2].rrr, 64.0);
  tevin_a = wrapu8(vec4(prev.rgb, prev.a));
  tevin_b = wrapu8(vec4(konsttemp.rgb, c0.a));
  tevin_c = wrapu8(vec4(textemp.rgb, konsttemp.a));
  tevin_d = vec4(c1.rgb, 0.0);
  c0.rgb = clamp(tevlerp(tevin_a.rgb, tevin_b.rgb, tevin_c.rgb, tevin_d.rgb, -128.0, 2.0), -1024.0, 1023.0);
  c0.a = clamp(tevlerp(tevin_a.aaa, tevin_b.aaa, tevin_c.aaa, tevin_d.aaa, 128.0, 0.5).x, -1024.0, 1023.0);
  // stage 2 compare GR16
  tevin_a = wrapu8(vec4(c0.rgb, c0.a));
  tevin_b = wrapu8(vec4(kcolor[3].rgb, 128.0));
  tevin_c = wrapu8(vec4(c2.rgb, c2.a));
  tevin_d = vec4(prev.rgb, prev.a);
  c1.rgb = clamp(tevin_d.rgb + cmp16(tevin_a.rg, tevin_b.rg) * tevin_c.rgb, 0.0, 255.0);
  c1.a = clamp(tevin_d.a + (tevin_a.a == tevin_b.a ? tevin_c.a : 0.0), 0.0, 255.0);
  // stage 3 compare RGB8 per comp
  tevin_d = vec4(c1.rgb, c1.a);
  prev.rgb = clamp(tevin_d.rgb + vec3(greaterThan(tevin_a.rgb, tevin_b.rgb)) * rastemp.rgb, 0.0, 255.0);
  prev.a = tevin_d.a;
  prev = wrapu8(prev);
  bool t0 = at(atest.x, prev.a, alphaRef.x), t1 = at(atest.y, prev.a, alphaRef.y);
  bool ok = atest.z == 0 ? (t0 && t1) : atest.z == 1 ? (t0 || t1) : atest.z == 2 ? (t0 ^^ t1) : (t0 == t1);
  if (!ok) discard;
  gl_FragColor = vec4(floor(prev.rgb / 4.0) / 63.0, prev.a / 255.0);
}
