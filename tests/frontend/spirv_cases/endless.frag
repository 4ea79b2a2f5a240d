#version 450
// ERROR 4 never ends
layout(location=0) out vec4 colour;
void main() { for (;;) colour = vec4(1.0); }
