// REFUSED 8:35 'nope': undeclared identifier
#version 120
#line 7
void main() { gl_FragColor = vec4(nope); }
