// REFUSED 5:39 3D texture: not supported on this hardware
#version 330
uniform sampler3D s;
out vec4 c;
void main() { c = texture(s, vec3(0.5)); }
