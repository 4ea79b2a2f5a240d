// REFUSED 6:44 integer texture: not supported on this hardware
#version 300 es
precision mediump float;
uniform mediump isampler2D s;
out vec4 c;
void main() { c = vec4(texture(s, vec2(0.5))); }
