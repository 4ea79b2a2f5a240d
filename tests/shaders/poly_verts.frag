precision mediump float;
#define MAXV 12
varying highp vec2 v_P;
uniform highp vec2 u_Verts[MAXV];
uniform int u_NumVerts;
uniform bool u_EvenOdd;
uniform float u_Stroke;
uniform vec4 u_Fill;
uniform vec4 u_Line;

float cross2(vec2 a, vec2 b) { return a.x * b.y - a.y * b.x; }

void main() {
  float best = 1e4;
  int winding = 0;
  int crossings = 0;
  highp vec2 first = u_Verts[0];
  highp vec2 prev = first;
  for (int i = 1; i <= MAXV; i++) {
    highp vec2 cur;
    bool last = i >= u_NumVerts;
    // GLSL ES 1.00 only lets loop symbols index here
    cur = first;
    for (int k = 0; k < MAXV; k++) {
      if (!last && k == i) { cur = u_Verts[k]; break; }
    }
    vec2 e = cur - prev;
    vec2 w = v_P - prev;
    vec2 b = w - e * clamp(dot(w, e) / max(dot(e, e), 1e-6), 0.0, 1.0);
    best = min(best, dot(b, b));
    bool up = prev.y <= v_P.y && cur.y > v_P.y;
    bool down = prev.y > v_P.y && cur.y <= v_P.y;
    float side = cross2(e, w);
    if (up && side > 0.0) { winding++; crossings++; }
    if (down && side < 0.0) { winding--; crossings++; }
    prev = cur;
    if (last) break;
  }
  bool inside = u_EvenOdd ? (crossings - crossings / 2 * 2 != 0) : winding != 0;
  float d = sqrt(best);
  vec4 c = inside ? u_Fill : vec4(0.0);
  float s = 1.0 - smoothstep(u_Stroke, u_Stroke + 0.006, d);
  c = mix(c, u_Line, s * u_Line.a);
  gl_FragColor = c;
}
