// REFUSED 4:25 too many attributes: 'd' is beyond the 8 vectors that the hardware reads
#version 120
attribute mat4 m;
attribute vec4 a, b, c, d;
void main() { gl_Position = m * gl_Vertex + a + b + c + d; }
