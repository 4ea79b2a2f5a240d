// REFUSED 4:25 9 vertex attributes (a matrix takes one a column), but the hardware has 8
#version 120
attribute mat4 m;
attribute vec4 a, b, c, d;
void main() { gl_Position = m * gl_Vertex + a + b + c + d; }
