ES 1.00: the last of a sequence of constants is a constant; other sequences keep what they do.
--- fragment
precision mediump float;
struct S { float f; };
const float k = (0.0, -1.0 + 2.0, 4.0), l = (k, k + 1.0), m = ((1.0, sin(2.0)), vec3(6.0, k, l)).x;
const vec2 v = (vec2(1.0), mat2(1.0), vec2(l, (2.0, 3.0)));
const S s = (S(2.0), v, S(7.0)), t = true ? s, S(8.0) : s;
const bool same = (s == t, vec2(1.0) == v);
float three() { return 3.0; }
void main() {
    float a[(2, 3)], b[((1.0, l), (v, int(m)))];
    a[2] = (1.0, 2.0, three());
    b[5] = float((gl_MaxDrawBuffers, int((s, t).f)));
    int i = 0;
    float c = (i++, 5.0), d = max((0.0, 1.0), (1.0, 2.0)), e = v[0, 1];
    bool ok = (1, 2, i) == 1 && a[2] == 3.0 && b[5] == 8.0 && c == 5.0 && d == 2.0 && e == 3.0;
    if (ok && k == 4.0 && l == 5.0 && m == 6.0 && v == vec2(5.0, 3.0) && s.f == 7.0 && t.f == 8.0 && !same)
        gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0);
    else
        gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
