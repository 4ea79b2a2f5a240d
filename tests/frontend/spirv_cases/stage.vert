#version 450
// ERROR 0 is a vertex shader, not a fragment shader
// OPTION fragment
void main() { gl_Position = vec4(0.0); }
