// REFUSED 2:1 the shaders have different versions: 100 and 330
#version 330
out vec4 c;
void main() { c = vec4(1); }
