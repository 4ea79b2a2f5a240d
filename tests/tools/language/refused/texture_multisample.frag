// REFUSED 5:44 multisample texture: not supported on this hardware
#version 150
uniform sampler2DMS s;
out vec4 c;
void main() { c = texelFetch(s, ivec2(1), 1); }
