#version 450
// ERROR 5 texel offset
uniform sampler2D t;
layout(location=0) out vec4 colour;
void main() { colour = textureOffset(t, vec2(0.5), ivec2(1, 0)); }
