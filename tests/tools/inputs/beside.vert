attribute vec4 a_position;
void main() { gl_Position = a_position + vec4(5.0, 0.0, 0.0, 0.0); }
