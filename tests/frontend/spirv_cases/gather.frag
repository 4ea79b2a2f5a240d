#version 450
// ERROR 5 textureGather
uniform sampler2D t;
layout(location=0) out vec4 colour;
void main() { colour = textureGather(t, vec2(0.5)); }
