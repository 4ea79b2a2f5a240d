ES 3.00: overloads that differ in an array's length and in nothing else, declared first, and with results of their own.
--- fragment
#version 300 es
precision highp float;
precision highp int;
const int LENGTH = 3;
out vec4 color;
uniform int two;
vec2 f(int a[2]);
void f(inout int a[LENGTH]);
mediump int f(vec2 a[2]);
lowp int f(int[4] a) { return a[two]; }
vec2 f(int a[2]) { return vec2(a[1], a[0]); }
void f(inout int a[LENGTH]) { a[two] += 4; }
mediump int f(vec2 a[2]) { return int(a[1].y); }
void main() {
    int pair[2] = int[2](1, 2), three[LENGTH] = int[3](1, 2, 3);
    f(three);
    bool ok = f(pair) == vec2(2.0, 1.0) && three[2] == 7 && three[1] == 2;
    ok = ok && f(vec2[2](vec2(1.0), vec2(5.0))) == 5 && f(int[4](1, 2, 6, 8)) == 6;
    color = vec4(ok ? 0 : 1, ok ? 1 : 0, 0, 1);
}
--- uniforms
[{"name": "two", "value": 2}]
