#version 450
// Fetches from a multisample texture: direct lookups in a dump of the tile buffer, and its size. What a sample
// has of it: 16 bytes, the four pixels of a quad in them.
// OPTION lower_left
// CHECK sampler "u_samples" sampler2DMS 1x1 word 0 highp used
// CHECK uniform.i32 tex0.p2
// CHECK buffer_at.i32 s0
// CHECK texel 0
uniform sampler2DMS u_samples;
uniform int u_number;
layout(location = 0) out vec4 color;
void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    color = at.y < 1000 ? texelFetch(u_samples, at, u_number) : vec4(textureSize(u_samples), 0, 255) / 255.0;
}
