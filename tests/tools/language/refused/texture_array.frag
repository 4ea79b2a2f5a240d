// REFUSED 6:39 array texture: not supported on this hardware
#version 300 es
precision mediump float;
uniform mediump sampler2DArray s;
out vec4 c;
void main() { c = texture(s, vec3(0.5)); }
