#version 120
varying vec3 v;
void main() { v = vec3(1); gl_Position = gl_Vertex; }
