#version 450
// ERROR 6 'd' cannot be used, variable that begins inside of a location
layout(location=0, component=0) in vec2 c;
layout(location=0, component=2) in vec2 d;
layout(location=0) out vec4 o;
void main() { o = vec4(c, d); }
