// REFUSED 3:9 varying 'v' is read here but the vertex shader does not declare it
#version 330
in vec2 v;
out vec4 c;
void main() { c = v.xyxy; }
