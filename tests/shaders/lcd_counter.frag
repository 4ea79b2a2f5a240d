precision mediump float;
precision highp int;
varying mediump vec2 pos;
uniform int counter;
uniform int numDigits;
uniform bool leadingZeros;
uniform lowp vec3 onColor;
uniform lowp vec3 offColor;

#define SEG_A 1
#define SEG_B 2
#define SEG_C 4
#define SEG_D 8
#define SEG_E 16
#define SEG_F 32
#define SEG_G 64

int modi(int a, int b) { return a - a / b * b; }

int mask(int d) {
  if (d == 0) return 63;
  if (d == 1) return 6;
  if (d == 2) return 91;
  if (d == 3) return 79;
  if (d == 4) return 102;
  if (d == 5) return 109;
  if (d == 6) return 125;
  if (d == 7) return 7;
  if (d == 8) return 127;
  if (d == 9) return 111;
  return 0;
}

bool has(int m, int bit) { return modi(m / bit, 2) == 1; }

float bar(vec2 p, vec2 c, bool horiz) {
  p -= c;
  if (!horiz) p = p.yx;
  p = abs(p);
  // hexagonal segment: pointed ends
  return 1.0 - smoothstep(0.0, 0.02, max(p.y - 0.06, p.x + p.y - 0.25));
}

void main() {
  vec2 p = pos * vec2(float(numDigits), 1.0);
  int slot = numDigits - 1 - int(p.x);
  int v = counter;
  bool blank = false;
  for (int i = 0; i < 8; i++) {
    if (i >= slot) break;
    v /= 10;
    if (v == 0) blank = !leadingZeros;
  }
  int d = modi(v, 10);
  int m = blank ? 0 : mask(d);
  p.x = fract(p.x);
  p = (p - 0.5) * vec2(1.0, 1.5);
  p.x -= p.y * 0.08;
  float lit = 0.0, all7 = 0.0, s;
  s = bar(p, vec2(0.0, 0.56), true);    all7 += s; if (has(m, SEG_A)) lit += s;
  s = bar(p, vec2(0.28, 0.28), false);  all7 += s; if (has(m, SEG_B)) lit += s;
  s = bar(p, vec2(0.28, -0.28), false); all7 += s; if (has(m, SEG_C)) lit += s;
  s = bar(p, vec2(0.0, -0.56), true);   all7 += s; if (has(m, SEG_D)) lit += s;
  s = bar(p, vec2(-0.28, -0.28), false);all7 += s; if (has(m, SEG_E)) lit += s;
  s = bar(p, vec2(-0.28, 0.28), false); all7 += s; if (has(m, SEG_F)) lit += s;
  s = bar(p, vec2(0.0), true);          all7 += s; if (has(m, SEG_G)) lit += s;
  lowp vec3 c = mix(vec3(0.02), offColor, min(all7, 1.0));
  c = mix(c, onColor, min(lit, 1.0));
  gl_FragColor = vec4(c, 1.0);
}
