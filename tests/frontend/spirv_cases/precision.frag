#version 450
// Relaxed is mediump; what is made of lowp alone is lowp.
// SYMBOL uniform lowp vec4 a
// SYMBOL varying lowp vec4 b
// SYMBOL varying mediump vec4 c
// CHECK uniform.f32 u[0] lowp
// CHECK input.f32 0 lowp
// CHECK fmul %
// CHECK fadd
// CHECK mediump
uniform mediump vec4 a;
layout(location=0) in mediump vec4 b;
layout(location=1) in mediump vec4 c;
layout(location=2) in highp vec4 d;
layout(location=0) out highp vec4 colour;
void main() { mediump vec4 e = a * b; colour = (e + c) * d; }
