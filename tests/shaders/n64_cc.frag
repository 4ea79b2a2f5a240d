precision highp float;
precision highp int;
uniform sampler2D texel0_s, texel1_s;
uniform vec4 prim_color, env_color, fog_color, blend_color;
uniform vec3 key_center, key_scale;
uniform float prim_lod_frac, k4, k5;
uniform ivec4 cc_rgb[2]; // a b c d for each cycle
uniform ivec4 cc_a[2];
uniform int cycles;
uniform vec4 clamp_mirror; // cms,cmt : 0 wrap 1 mirror
uniform vec2 mask_sz;
uniform int alpha_cmp;
varying highp vec4 st01;
varying lowp vec4 v_shade;
varying mediump float v_lodfrac;
varying highp float v_fogf;
vec4 T0, T1, COMB;
vec3 selA(int i) {
  if (i == 0) return COMB.rgb;
  if (i == 1) return T0.rgb;
  if (i == 2) return T1.rgb;
  if (i == 3) return prim_color.rgb;
  if (i == 4) return v_shade.rgb;
  if (i == 5) return env_color.rgb;
  if (i == 6) return vec3(1.0);
  return vec3(0.0);
}
vec3 selC(int i) {
  if (i < 6) return selA(i);
  if (i == 6) return key_scale;
  if (i == 7) return COMB.aaa;
  if (i == 8) return T0.aaa;
  if (i == 9) return T1.aaa;
  if (i == 10) return prim_color.aaa;
  if (i == 11) return v_shade.aaa;
  if (i == 12) return env_color.aaa;
  if (i == 13) return vec3(v_lodfrac);
  if (i == 14) return vec3(prim_lod_frac);
  if (i == 15) return vec3(k5);
  return vec3(0.0);
}
float selAl(int i) {
  if (i == 0) return COMB.a;
  if (i == 1) return T0.a;
  if (i == 2) return T1.a;
  if (i == 3) return prim_color.a;
  if (i == 4) return v_shade.a;
  if (i == 5) return env_color.a;
  return i == 6 ? 1.0 : 0.0;
}
vec2 wrapmode(vec2 st) {
  vec2 m = mod(st, mask_sz);
  vec2 q = floor(st / mask_sz);
  vec2 odd = mod(q, 2.0);
  vec2 mir = mix(m, mask_sz - 1.0 - m, odd);
  return (mix(m, mir, clamp_mirror.xy) + 0.5) / mask_sz;
}
vec4 tri_filter(sampler2D s, vec2 st) {
  vec2 f = fract(st), b = floor(st);
  float upper = step(1.0, f.x + f.y);
  vec4 c0 = texture2D(s, wrapmode(b + upper));
  vec4 c1 = texture2D(s, wrapmode(b + vec2(1.0, 0.0)));
  vec4 c2 = texture2D(s, wrapmode(b + vec2(0.0, 1.0)));
  vec2 w = mix(f, 1.0 - f.yx, upper);
  return c0 + (c1 - c0) * w.x + (c2 - c0) * w.y;
}
vec3 wrap9(vec3 c) { // 9 bit overflow
  c = mix(c, c - 2.0, step(1.5, c));
  return mix(c, c + 2.0, step(c, vec3(-0.5)));
}
void main() {
  T0 = tri_filter(texel0_s, st01.xy);
  T1 = tri_filter(texel1_s, st01.zw);
  COMB = vec4(0.0, 0.0, 0.0, 1.0);
  for (int cyc = 0; cyc < 2; cyc++) {
    if (cyc >= cycles) break;
    ivec4 m = cc_rgb[cyc], n = cc_a[cyc];
    vec3 b = (m.y == 6) ? key_center : (m.y == 7) ? vec3(k4) : selA(m.y);
    vec3 rgb = (selA(m.x) - b) * selC(m.z) + selA(m.w);
    float al = (selAl(n.x) - selAl(n.y)) * (n.z == 0 ? v_lodfrac : selAl(n.z)) + selAl(n.w);
    COMB = vec4(wrap9(rgb), al);
    { vec4 t = T0; T0 = T1; T1 = t; } // second cycle sees swapped texels
  }
  COMB = clamp(COMB, 0.0, 1.0);
  if (alpha_cmp == 1) { if (COMB.a < blend_color.a) discard; }
  else if (alpha_cmp == 3) {
    float noise_v = fract(sin(dot(gl_FragCoord.xy, vec2(12.98, 78.23))) * 43758.5);
    if (COMB.a < noise_v) discard;
  }
  gl_FragColor = vec4(mix(COMB.rgb, fog_color.rgb, v_fogf * fog_color.a), COMB.a);
}
