#version 450
// ERROR 5 shader storage block
buffer block { float x; } store;
layout(location=0) out vec4 colour;
void main() { colour = vec4(store.x); }
