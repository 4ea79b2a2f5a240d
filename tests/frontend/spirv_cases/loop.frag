#version 450
// The loop as it stands, the early return as an edge, the inlined result as a phi.
// CHECK shader fragment
// CHECK b1:
// CHECK branch
// CHECK phi.f32
// CHECK output 0
// NOT call
layout(location=0) in vec4 v;
layout(location=0) out vec4 colour;
float find() { for (int k = 0; k < int(v.w); k++) { if (v[k] > 1.0) return float(k); } return -1.0; }
void main() { colour = vec4(find()); }
