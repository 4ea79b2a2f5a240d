ES 1.00: comparisons of constant vectors, matrices and structures, compared again.
--- fragment
precision highp float;
struct S { ivec2 a; bool b; };
const bool same = vec2(1.0) == vec2(2.0), other = ivec3(1) == ivec3(1);
void main() {
    const S s = S(ivec2(1, 2), true), t = S(ivec2(1, 2), mat2(1.0) == mat2(1.0));
    bool ok = (vec2(1.0) == vec2(2.0)) == false && same == false && other == true && (s == S(ivec2(1, 3), true)) == (s != t) &&
              s.b == (s == t);
    gl_FragColor = vec4(ok ? 0.0 : 1.0, ok ? 1.0 : 0.0, 0.0, 1.0);
}
