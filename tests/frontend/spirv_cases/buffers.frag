#version 450
// Blocks in buffers: each is one entry among the samplers, and its members are lookups at the module's offsets.
// OPTION blocks_in_buffers
// OPTION lower_left
// CHECK sampler "second" uniform 1x1 word 0 highp used location 1
// CHECK sampler "several" uniform 1x1 word 1 highp array 2 used location 2
// CHECK buffer_at.i32 s0
// CHECK buffer_at.f32 s0
// CHECK buffer_at.i32 s2
// NOT uniform_at
struct pair {
    uint first;
    uvec2 other;
};
layout(std140, binding = 1) uniform second {
    uint alone;
    uvec3 list[3];
    pair pairs[2];
    mat3x2 columns;
    layout(row_major) mat3x2 rows;
    uint last;
} b;
layout(std140, binding = 2) uniform several { uvec4 words[2]; } s[2];
layout(location = 0) out vec4 color;
void main() {
    int x = int(gl_FragCoord.x);
    pair whole = b.pairs[1];
    uint word = b.alone;
    switch (int(gl_FragCoord.y)) {
    case 1: word = b.list[x][1]; break;
    case 2: word = b.list[2][x]; break;
    case 3: word = b.pairs[x].other.y; break;
    case 4: word = whole.first ^ whole.other.x; break;
    case 5: word = floatBitsToUint(b.columns[x].y); break;
    case 6: word = floatBitsToUint(b.columns[2][x]); break;
    case 7: word = floatBitsToUint(b.rows[x].y); break;
    case 8: word = floatBitsToUint(b.rows[2][x]); break;
    case 9: word = b.last; break;
    case 10: word = s[1].words[x].z; break;
    case 11: word = s[0].words[1][x]; break;
    }
    color = unpackUnorm4x8(word);
}
