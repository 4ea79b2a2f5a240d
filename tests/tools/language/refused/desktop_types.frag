// REFUSED 3:14 varying 'v' has type vec4 here and vec3 in the vertex shader
#version 120
varying vec4 v;
void main() { gl_FragColor = v; }
