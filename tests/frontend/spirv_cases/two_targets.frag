#version 450
// ERROR 5 one colour target
layout(location=0) out vec4 colour;
layout(location=1) out vec4 more;
void main() { colour = vec4(1.0); more = vec4(0.0); }
