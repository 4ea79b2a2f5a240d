#version 450
// Cheap forms for this ALU.
// CHECK fsat
// CHECK frsq
// CHECK fsqrt
// CHECK fexp2
// CHECK flog2
// CHECK ddx
// CHECK fabs
// CHECK ddy
// CHECK flt
// NOT fdiv
// NOT fle
layout(location=0) in vec3 v;
layout(location=0) out vec4 colour;
void main() {
    colour.xyz = normalize(clamp(v, 0.0, 1.0));
    colour.w = length(v) + exp(v.x) + log(v.y) + fwidth(v.z) + float(v.x > v.y);
}
