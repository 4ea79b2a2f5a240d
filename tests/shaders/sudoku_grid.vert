attribute vec4 a_position;
attribute vec2 a_board;
uniform mat4 u_matrix;
varying vec2 v_board;
void main() { v_board = a_board * 9.0; gl_Position = u_matrix * a_position; }
