attribute vec2 a_vertex;
uniform vec2 u_resolution;
varying vec2 v_px;
void main() {
  v_px = (a_vertex * 0.5 + 0.5) * u_resolution;
  gl_Position = vec4(a_vertex, 0.0, 1.0);
}
