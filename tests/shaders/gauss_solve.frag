precision highp float;
varying float x;
varying float y;
uniform vec2 points[4];   // interpolate a cubic through these
uniform float lineWidth;

// Solves the 4x4 Vandermonde system with pivoting on local arrays
bool solve(inout float a[16], inout float b[4]) {
  for (int k = 0; k < 4; k++) {
    int p = k;
    float best = abs(a[k * 4 + k]);
    for (int r = 1; r < 4; r++) {
      if (r <= k) continue;
      float v = abs(a[r * 4 + k]);
      if (v > best) { best = v; p = r; }
    }
    if (best < 1e-6) return false;
    for (int r = 1; r < 4; r++) {
      if (r != p || r == k) continue;
      for (int c = 0; c < 4; c++) {
        float t = a[r * 4 + c];
        a[r * 4 + c] = a[k * 4 + c];
        a[k * 4 + c] = t;
      }
      float tb = b[r];
      b[r] = b[k];
      b[k] = tb;
    }
    for (int r = 0; r < 4; r++) {
      if (r == k) continue;
      float f = a[r * 4 + k] / a[k * 4 + k];
      for (int c = 0; c < 4; c++)
        a[r * 4 + c] -= f * a[k * 4 + c];
      b[r] -= f * b[k];
    }
  }
  for (int k = 0; k < 4; k++)
    b[k] /= a[k * 4 + k];
  return true;
}

void main() {
  float a[16];
  float b[4];
  for (int r = 0; r < 4; r++) {
    float pw = 1.0;
    for (int c = 0; c < 4; c++) {
      a[r * 4 + c] = pw;
      pw *= points[r].x;
    }
    b[r] = points[r].y;
  }
  vec3 col = vec3(0.98);
  if (!solve(a, b)) {
    gl_FragColor = vec4(0.9, 0.6, 0.6, 1.0);
    return;
  }
  float f = ((b[3] * x + b[2]) * x + b[1]) * x + b[0];
  float df = (3.0 * b[3] * x + 2.0 * b[2]) * x + b[1];
  float d = abs(y - f) / sqrt(1.0 + df * df);
  col = mix(vec3(0.1, 0.3, 0.8), col, smoothstep(lineWidth, lineWidth * 1.5, d));
  for (int i = 0; i < 4; i++)
    col = mix(vec3(0.9, 0.2, 0.1), col, smoothstep(lineWidth * 3.0, lineWidth * 3.5, distance(vec2(x, y), points[i])));
  gl_FragColor = vec4(col, 1.0);
}
