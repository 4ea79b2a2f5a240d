Comparisons of constant vectors, matrices and structures, compared again.
--- fragment
#version 300 es
precision highp float;
struct S { int a[2]; bool b; };
const bool same = vec2(1.0) == vec2(2.0), other = ivec3(1) == ivec3(1);
const S s = S(int[2](1, 2), true);
out vec4 color;
void main() {
    const S t = S(int[2](1, 2), mat2(1.0) == mat2(1.0));
    const bool chain = s == t == other != same;
    bool ok = (vec2(1.0) == vec2(2.0)) == false && same == false && other == true && !(other != true) && chain == true &&
              (s == S(int[2](1, 3), true)) == (s != t) && bvec2(same, other) == bvec2(false, true) &&
              (int[2](1, 2) == s.a ? vec2(1) : vec2(2)) == vec2(1.0) && s.b == (s == t);
    int n = 0;
    for (int i = 0; (i < 3) == (mat2(2.0) == mat2(2.0)); i++)
        n++;
    color = vec4(ok && n == 3 ? 0 : 1, ok && n == 3 ? 1 : 0, 0, 1);
}
