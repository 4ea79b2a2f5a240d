#version 450
// ERROR 4 built-in input
layout(location=0) out vec4 colour;
void main() { colour = vec4(gl_SampleID); }
