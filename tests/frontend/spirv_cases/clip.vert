#version 450
// CHECK output "gl_ClipDistance" float 1x1
layout(location=0) in vec4 v;
void main() { gl_Position = v; gl_ClipDistance[0] = v.x; gl_ClipDistance[1] = 1.0; }
