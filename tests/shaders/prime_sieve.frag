precision highp float;
precision highp int;
varying vec2 v_g;
uniform float u_cols;
uniform bool u_spiral;
uniform int u_highlight;

#define LIMIT 32

bool sieve[LIMIT];

void buildSieve() {
  for (int i = 0; i < LIMIT; i++)
    sieve[i] = i > 1;
  for (int p = 2; p < 6; p++) {
    if (!sieve[p]) continue;
    for (int q = 4; q < LIMIT; q++) {
      if (q < p * p) continue;
      if (q - q / p * p == 0) sieve[q] = false;
    }
  }
}

int smallestFactor(int n) {
  for (int p = 2; p < LIMIT; p++) {
    if (!sieve[p]) continue;
    if (p * p > n) return n;
    if (n - n / p * p == 0) return p;
  }
  return n;
}

int ulam(ivec2 c) {
  int x = c.x, y = c.y;
  int ax = x < 0 ? -x : x;
  int ay = y < 0 ? -y : y;
  int k = ax > ay ? ax : ay;
  int side = 2 * k;
  int last = (side + 1) * (side + 1);
  if (y == -k) return last - (k - x);
  if (x == -k) return last - side - (y + k);
  if (y == k) return last - 2 * side - (x + k);
  return last - 3 * side - (k - y);
}

void main() {
  buildSieve();
  vec2 cell = floor(v_g);
  int n;
  if (u_spiral)
    n = ulam(ivec2(cell - floor(u_cols * 0.5)));
  else
    n = int(cell.x) + int(cell.y) * int(u_cols) + 1;
  vec3 c;
  if (n < 2)
    c = vec3(0.3);
  else {
    int f = smallestFactor(n);
    if (f == n)
      c = vec3(1.0, 0.95, 0.7);
    else if (f == u_highlight)
      c = vec3(0.9, 0.3, 0.2);
    else
      c = vec3(0.05, 0.1, 0.2) + vec3(0.0, 0.02, 0.02) * float(f);
    int twin = n + 2;
    if (f == n && smallestFactor(twin) == twin) c = c.bgr;
  }
  vec2 e = fract(v_g);
  c *= smoothstep(0.0, 0.08, min(min(e.x, e.y), min(1.0 - e.x, 1.0 - e.y)));
  gl_FragColor = vec4(c, 1.0);
}
