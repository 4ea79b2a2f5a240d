#version 450
// ERROR 4 only floating-point vectors
layout(location=0) out ivec4 colour;
void main() { colour = ivec4(1); }
