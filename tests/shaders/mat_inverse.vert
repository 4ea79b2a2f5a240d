attribute vec2 aPos;
uniform mat3 uHomography;
varying vec3 vH;
void main() {
  vH = uHomography * vec3(aPos, 1.0);
  gl_Position = vec4(aPos, 0.0, 1.0);
}
