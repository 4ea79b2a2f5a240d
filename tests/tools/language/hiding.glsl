Names of types that variables, parameters and members hide, also behind a comma; empty statements behind labels.
--- fragment
#version 300 es
precision highp float;
precision highp int;
struct S { int x; };
struct T { highp vec2 a, S; S s, x; };
uniform B { S m, S; } block;
out vec4 color;;
int f(int a, int S) { int b = a, c = S; { float b, S = 0.5; b = S; c += int(b * 4.0); } return b * 10 + c; };
int g(S S) { return S.x; }
void main() {
    S s = S(2);
    T t = T(vec2(1.0), vec2(2.0, 3.0), S(4), S(5));
    int n = 0, S = s.x + 1;
    for (int i = 0, S = 4; i < S; i++)
        n++;
    {
        struct S { float y; };
        S q = S(0.5);
        {
            int a, S = int(q.y * 2.0);
            n += S * 100;
        }
    }
    t.S.x += float(S);
    switch (n) {
    case 104: n = -1;
    default: ;
    }
    bool ok = n == -1 && S == 3 && t.S == vec2(5.0, 3.0) && f(1, 2) == 14 && g(t.s) == 4 && block.S.x == block.m.x;
    color = vec4(ok ? 0 : 1, ok ? 1 : 0, 0, 1);
}
