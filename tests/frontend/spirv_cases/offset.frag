#version 450
// Texels of the level that is looked up: its number follows from derivatives, but not when it is given.
// CHECK ddx
// CHECK flog2
// CHECK uniform.i32 tex0.p0
// CHECK fdiv
// CHECK tex s0,
// CHECK fdiv
// CHECK tex s0.lod
uniform sampler2D t;
layout(location=0) in vec2 at;
layout(location=0) out vec4 colour;
void main() { colour = textureOffset(t, at, ivec2(1, 0)) + textureLodOffset(t, at, 0.0, ivec2(1, 0)); }
