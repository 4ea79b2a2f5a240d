// REFUSED 3:1 syntax error, unexpected a name
#version 120
uint a;
void main() { gl_FragColor = vec4(1); }
