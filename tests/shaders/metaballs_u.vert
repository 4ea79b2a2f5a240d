attribute vec2 a_position;
varying vec2 v_world;
uniform vec2 u_half;
void main() {
  v_world = a_position * u_half;
  gl_Position = vec4(a_position, 0., 1.);
}
