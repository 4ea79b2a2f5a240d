// REFUSED 3:40 'gl_ClipVertex': undeclared identifier
#version 120
void main() { gl_FragColor = vec4(1.0, gl_ClipVertex.x, 0.0, 1.0); }
