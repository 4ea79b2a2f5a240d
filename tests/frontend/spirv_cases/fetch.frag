#version 450
// Sizes come from the texture's set-up word 1, a fetch is a lookup in the middle of the texel.
// CHECK sampler "t" sampler2D 1x1 word 0 highp used
// CHECK uniform.i32 tex0.p1
// CHECK ushr
// CHECK iand
// CHECK fdiv
// CHECK tex s0.lod
// CHECK imax
// CHECK i2f
// CHECK tex s0.lod
// CHECK flog2
// CHECK tex s0.lod
// CHECK fmaxabs
// CHECK tex s1.cube.lod
uniform sampler2D t;
uniform samplerCube c;
layout(location=0) in vec4 v;
layout(location=0) out vec4 colour;
void main() {
    colour = texelFetch(t, ivec2(1, 2), 0) + texelFetchOffset(t, ivec2(v.xy), int(v.z), ivec2(1, -1));
    colour.xy += vec2(textureSize(t, 0) + textureSize(t, int(v.z)) + textureSize(c, 1));
    colour += textureGrad(t, v.xy, v.zw, v.yx) + textureGrad(c, v.xyz, v.xyw, v.yzx);
}
