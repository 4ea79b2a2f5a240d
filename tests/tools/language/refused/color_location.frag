// REFUSED 4:8 'location': too large for fragment output
#version 300 es
precision mediump float;
layout(location = 1) out vec4 c;
void main() { c = vec4(1); }
