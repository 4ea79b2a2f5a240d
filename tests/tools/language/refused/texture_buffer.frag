// REFUSED 5:34 buffer texture: not supported on this hardware
#version 140
uniform samplerBuffer s;
out vec4 c;
void main() { c = texelFetch(s, 1); }
