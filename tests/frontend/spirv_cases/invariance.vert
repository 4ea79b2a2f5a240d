#version 450
// CHECK output "shade" float 1x1 word 0 highp invariant used
// CHECK fmul %
// CHECK exact
layout(location=0) in vec4 v;
layout(location=0) out float shade;
invariant shade;
void main() { precise float x = v.x * v.y + v.z; shade = x; gl_Position = v; }
