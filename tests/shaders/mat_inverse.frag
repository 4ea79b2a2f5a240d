precision highp float;
varying vec3 vH;
uniform mat3 uWarp;
uniform mat4 uColorMatrix;
uniform sampler2D uPhoto;
uniform bool uUndo;

float det2(float a, float b, float c, float d) { return a * d - b * c; }

mat3 inverse3(mat3 m, out float det) {
  vec3 r0 = cross(m[1], m[2]);
  vec3 r1 = cross(m[2], m[0]);
  vec3 r2 = cross(m[0], m[1]);
  det = dot(m[0], r0);
  float k = abs(det) < 1e-7 ? 0.0 : 1.0 / det;
  return mat3(r0.x, r1.x, r2.x, r0.y, r1.y, r2.y, r0.z, r1.z, r2.z) * k;
}

mat4 inverse4(mat4 m) {
  float a0 = det2(m[0][0], m[0][1], m[1][0], m[1][1]);
  float a1 = det2(m[0][0], m[0][2], m[1][0], m[1][2]);
  float a2 = det2(m[0][0], m[0][3], m[1][0], m[1][3]);
  float a3 = det2(m[0][1], m[0][2], m[1][1], m[1][2]);
  float a4 = det2(m[0][1], m[0][3], m[1][1], m[1][3]);
  float a5 = det2(m[0][2], m[0][3], m[1][2], m[1][3]);
  float b0 = det2(m[2][0], m[2][1], m[3][0], m[3][1]);
  float b1 = det2(m[2][0], m[2][2], m[3][0], m[3][2]);
  float b2 = det2(m[2][0], m[2][3], m[3][0], m[3][3]);
  float b3 = det2(m[2][1], m[2][2], m[3][1], m[3][2]);
  float b4 = det2(m[2][1], m[2][3], m[3][1], m[3][3]);
  float b5 = det2(m[2][2], m[2][3], m[3][2], m[3][3]);
  float det = a0 * b5 - a1 * b4 + a2 * b3 + a3 * b2 - a4 * b1 + a5 * b0;
  mat4 r;
  r[0] = vec4(m[1][1] * b5 - m[1][2] * b4 + m[1][3] * b3, -m[0][1] * b5 + m[0][2] * b4 - m[0][3] * b3,
              m[3][1] * a5 - m[3][2] * a4 + m[3][3] * a3, -m[2][1] * a5 + m[2][2] * a4 - m[2][3] * a3);
  r[1] = vec4(-m[1][0] * b5 + m[1][2] * b2 - m[1][3] * b1, m[0][0] * b5 - m[0][2] * b2 + m[0][3] * b1,
              -m[3][0] * a5 + m[3][2] * a2 - m[3][3] * a1, m[2][0] * a5 - m[2][2] * a2 + m[2][3] * a1);
  r[2] = vec4(m[1][0] * b4 - m[1][1] * b2 + m[1][3] * b0, -m[0][0] * b4 + m[0][1] * b2 - m[0][3] * b0,
              m[3][0] * a4 - m[3][1] * a2 + m[3][3] * a0, -m[2][0] * a4 + m[2][1] * a2 - m[2][3] * a0);
  r[3] = vec4(-m[1][0] * b3 + m[1][1] * b1 - m[1][2] * b0, m[0][0] * b3 - m[0][1] * b1 + m[0][2] * b0,
              -m[3][0] * a3 + m[3][1] * a1 - m[3][2] * a0, m[2][0] * a3 - m[2][1] * a1 + m[2][2] * a0);
  return r / det;
}

void main() {
  float det;
  mat3 inv = inverse3(uWarp, det);
  vec3 h = inv * vH;
  vec2 uv = h.xy / h.z * 0.5 + 0.5;
  if (det == 0.0 || any(notEqual(clamp(uv, 0.0, 1.0), uv))) {
    gl_FragColor = vec4(0.1, 0.1, 0.1, 1.0);
    return;
  }
  vec4 c = texture2D(uPhoto, uv);
  mat4 cm = uUndo ? inverse4(uColorMatrix) : uColorMatrix;
  gl_FragColor = vec4((cm * vec4(c.rgb, 1.0)).rgb, c.a);
}
