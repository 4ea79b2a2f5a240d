precision highp float;
precision highp int;
varying vec2 v_board;
uniform int u_shift;       // relabels digits
uniform int u_mask;        // clue density 0..9
uniform ivec2 u_select;
uniform bool u_showConflicts;

int rem(int a, int b) { return a - a / b * b; }

int digitAt(int r, int c) {
  // canonical solved board: rows shifted by 3 with a carry per band
  int d = rem(r * 3 + r / 3 + c, 9);
  d = rem(d * 2 + u_shift, 9);
  if (r == 4 && c == 4) d = rem(d + 1, 9);   // planted mistake
  return d + 1;
}

bool isClue(int r, int c) { return rem(r * 7 + c * 5 + r * c, 10) < u_mask; }

bool conflict(int r, int c) {
  int v = digitAt(r, c);
  for (int k = 0; k < 9; k++) {
    if (k != c && digitAt(r, k) == v) return true;
    if (k != r && digitAt(k, c) == v) return true;
    int br = r / 3 * 3 + k / 3;
    int bc = c / 3 * 3 + rem(k, 3);
    if ((br != r || bc != c) && digitAt(br, bc) == v) return true;
  }
  return false;
}

// pips like a die, up to nine
float pips(int n, vec2 p) {
  float d = 1.0;
  int i = 0;
  for (int y = 0; y < 3; y++)
    for (int x = 0; x < 3; x++) {
      if (i < n)
        d = min(d, length(p - (vec2(float(x), float(y)) + 0.5) / 3.0));
      i++;
    }
  return 1.0 - smoothstep(0.08, 0.11, d);
}

void main() {
  ivec2 cell = ivec2(floor(v_board));
  int c = cell.x, r = 8 - cell.y;
  vec2 f = fract(v_board);
  vec3 col = vec3(1.0);
  if (cell == u_select)
    col = vec3(1.0, 0.95, 0.6);
  else if (cell.x == u_select.x || cell.y == u_select.y)
    col = vec3(0.93, 0.95, 1.0);
  if (rem(r / 3 + c / 3, 2) == 1) col *= 0.94;
  bool clue = isClue(r, c);
  bool bad = u_showConflicts && conflict(r, c);
  if (clue || u_showConflicts) {
    vec3 ink = bad ? vec3(0.85, 0.1, 0.1) : clue ? vec3(0.1) : vec3(0.2, 0.3, 0.8);
    col = mix(col, ink, pips(digitAt(r, c), (f - 0.15) / 0.7));
  }
  vec2 thin = min(f, 1.0 - f);
  vec2 box = abs(fract(v_board / 3.0 + 0.5) - 0.5) * 3.0;
  if (min(thin.x, thin.y) < 0.02) col = vec3(0.6);
  if (min(box.x, box.y) < 0.05) col = vec3(0.0);
  gl_FragColor = vec4(col, 1.0);
}
