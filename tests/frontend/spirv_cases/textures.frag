#version 450
// CHECK tex s0, %
// CHECK texel 0
// CHECK tex s1.bias
// CHECK frcp
// CHECK tex s0
// CHECK frcp
// CHECK tex s0
// CHECK tex s3.cube, %
// CHECK tex s3.cube.lod
// CHECK tex s4
// CHECK texel 4
// CHECK shadow s4
// CHECK tex s2
// CHECK tex s1
// CHECK ieq
// CHECK select.f32
layout(binding=0) uniform sampler2D one;
layout(binding=1) uniform sampler2D two[2];
layout(binding=3) uniform samplerCube box;
layout(binding=4) uniform sampler2DShadow shade;
layout(location=0) in vec4 at;
layout(location=1) flat in int which;
layout(location=0) out vec4 colour;
vec4 pick(sampler2D t[2], vec2 c) { return texture(t[which], c); }
void main() {
    colour = texture(one, at.xy) + texture(two[0], at.xy, 1.5);
    colour += textureProj(one, at.xyz) + textureProj(one, at);
    colour += texture(box, at.xyz) + textureLod(box, at.xyz, at.w);
    colour *= texture(shade, at.xyz);
    colour += pick(two, at.zw);
}
