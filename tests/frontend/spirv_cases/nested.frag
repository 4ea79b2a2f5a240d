#version 450
// Arrays of arrays, structures of structures, projective shadows, functions that take whole structures.
// CHECK uniform "grid[0]" float 1x1 word 0 highp array 3
// CHECK uniform "grid[1]" float 1x1 word 3 highp array 3
// CHECK uniform "tree.leaf[0].size" float 2x1
// CHECK uniform "tree.leaf[1].size" float 2x1
// CHECK uniform "tree.leaf[0].kind" int 1x1
// CHECK uniform "tree.root" float 2x2
// CHECK umul24
// CHECK uniform_at.f32 u[0+4]
// CHECK uniform_at.f32 u[2+4]
// CHECK uniform_at.f32 u[0+6]
// CHECK tex s0
// CHECK shadow
struct leaf_t { vec2 size; int kind; };
struct tree_t { leaf_t leaf[2]; mat2 root; };
uniform float grid[2][3];
uniform tree_t tree;
uniform sampler2DShadow shade;
layout(location=0) in vec4 v;
layout(location=0) out vec4 colour;
float weigh(leaf_t l[2]) { return l[0].size.x * float(l[1].kind); }
float both(tree_t t) { return weigh(t.leaf) + t.root[1].x; }
void main() {
    float g[2][3];
    g[int(v.x)] = grid[int(v.y)];
    colour = vec4(grid[int(v.x)][int(v.y)], both(tree), g[1][2], textureProj(shade, v));
}
