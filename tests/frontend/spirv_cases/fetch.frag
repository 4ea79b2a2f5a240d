#version 450
// ERROR 5 texelFetch
uniform sampler2D t;
layout(location=0) out vec4 colour;
void main() { colour = texelFetch(t, ivec2(1, 2), 0); }
