attribute vec2 a_Position;
varying highp vec2 v_P;
void main() { v_P = a_Position; gl_Position = vec4(a_Position, 0.0, 1.0); }
