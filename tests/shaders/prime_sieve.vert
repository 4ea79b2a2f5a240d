attribute vec2 a_position;
uniform float u_cols;
varying vec2 v_g;
void main() {
  v_g = (a_position * vec2(0.5, -0.5) + 0.5) * u_cols;
  gl_Position = vec4(a_position, 0.0, 1.0);
}
