// REFUSED 3:13 several colour outputs are not supported: the tile buffer holds one colour
#version 330
out vec4 c, d;
void main() { c = d = vec4(1); }
