// REFUSED 7:27 'variable indexing sampler array': not in GLSL ES 3.00
#version 300 es
precision mediump float;
uniform sampler2D s[4];
uniform int k;
out vec4 c;
void main() { c = texture(s[k], vec2(0.5)); }
