#version 450
// ERROR 6 texture apart from its sampler
uniform texture2D t;
uniform sampler s;
layout(location=0) out vec4 colour;
void main() { colour = texture(sampler2D(t, s), vec2(0.5)); }
