// REFUSED 3:1 'uint': no such type
#version 120
uint a;
void main() { gl_FragColor = vec4(1); }
