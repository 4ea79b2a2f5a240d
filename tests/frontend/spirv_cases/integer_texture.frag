#version 450
// ERROR 5 integer texture
uniform isampler2D t;
layout(location=0) out vec4 colour;
void main() { colour = vec4(texture(t, vec2(0.5))); }
