#version 450
// ERROR 5 64-bit floating point
layout(location=0) in vec4 v;
layout(location=0) out vec4 colour;
void main() { double d = double(v.x); colour = vec4(float(d)); }
