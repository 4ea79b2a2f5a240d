// REFUSED 7:36 'nope': undeclared identifier
#version 330
#line 7
out vec4 c; void main() { c = vec4(nope); }
