#version 450
// ERROR 4 gl_ClipDistance
layout(location=0) in vec4 v;
void main() { gl_Position = v; gl_ClipDistance[0] = v.x; }
