precision highp float;
varying vec2 v_px;
uniform float u_value;
uniform vec2 u_origin;
uniform vec2 u_cell;
uniform vec3 u_fg, u_bg;

// 3x5 glyphs packed into 15 bit numbers, bit 0 lower left
float glyph(int n) {
  if (n == 0) return 31599.0;
  if (n == 1) return 9362.0;
  if (n == 2) return 31183.0;
  if (n == 3) return 31207.0;
  if (n == 4) return 23524.0;
  if (n == 5) return 29671.0;
  if (n == 6) return 29679.0;
  if (n == 7) return 30994.0;
  if (n == 8) return 31727.0;
  if (n == 9) return 31719.0;
  if (n == 10) return 2.0;    // point
  if (n == 11) return 448.0;  // minus
  return 0.0;
}

float bitOf(float bits, float k) {
  return floor(mod(bits / exp2(k), 2.0));
}

float sampleGlyph(int n, vec2 p) {
  vec2 q = floor(p * vec2(4.0, 6.0));
  if (q.x > 2.0 || q.y > 4.0 || q.x < 0.0 || q.y < 0.0)
    return 0.0;
  return bitOf(glyph(n), q.x + q.y * 3.0);
}

float printValue(vec2 p, float v) {
  const float INT_DIGITS = 5.0;
  const float DECIMALS = 3.0;
  if (p.y < 0.0 || p.y >= 1.0) return 0.0;
  float slot = floor(p.x);
  vec2 local = vec2(p.x - slot, p.y);
  float place = INT_DIGITS - 1.0 - slot;
  float av = abs(v);
  float digits = max(floor(log2(max(av, 1.0)) / 3.321928 + 0.0001), 0.0);
  if (place == digits + 1.0)
    return v < 0.0 ? sampleGlyph(11, local) : 0.0;
  if (place > digits + 1.0)
    return 0.0;
  if (place == -1.0)
    return sampleGlyph(10, local);
  if (place < -1.0) {
    if (place < -1.0 - DECIMALS) return 0.0;
    place += 1.0;
  }
  float d = mod(floor(av / pow(10.0, place) + 0.001), 10.0);
  return sampleGlyph(int(d), local);
}

void main() {
  vec2 p = (v_px - u_origin) / u_cell;
  float on = printValue(p, u_value);
  gl_FragColor = vec4(mix(u_bg, u_fg, on), 1.0);
}
