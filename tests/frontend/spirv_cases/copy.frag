#version 450
#extension GL_EXT_scalar_block_layout : require
// What Mesa's driver copies pictures with: words of a block at a run-time offset that only the buffer's end limits.
// OPTION blocks_in_buffers
// OPTION lower_left
// CHECK sampler "source" uniform 1x1 word 0
// CHECK buffer_at.i32 s0
layout(scalar, binding = 1) uniform source { uint words[4096]; };
uniform int u_stride;
layout(location = 0) out vec4 color;
void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    color = unpackUnorm4x8(words[(at.y * u_stride + at.x * 4) >> 2]);
}
