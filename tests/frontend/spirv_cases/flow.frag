#version 450
// VALUES
layout(location=0) in vec4 a;   // 1 2 3 4
layout(location=1) in vec4 b;   // 5 6 7 8
layout(location=0) out vec2 result;
int number = 0;
float failed = 0.0;
void same(float x, float y) { number++; if (x != y && failed == 0.0) failed = float(number); }
float early(float x) { if (x > 3.0) return 1.0; for (int k = 0; k < 4; k++) { if (float(k) > x) return 2.0 + float(k); } return 3.0; }
float which(int k) {
    float sum = 0.0;
    switch (k) {
    case 1: sum += 1.0;
    case 2: case 5: sum += 10.0; break;
    case 3: return 100.0;
    default: sum += 1000.0;
    case 7: sum += 1.0;
    }
    return sum;
}
void change(inout vec3 v, out float w, in float x) { v.yx += x; w = v.z; x = 0.0; v.z = w + x; }
struct inner { vec2 v; int k; };
struct outer { inner s[3]; bool on; mat2 m; };
outer make(float x) { outer o; for (int k = 0; k < 3; k++) { o.s[k].v = vec2(x, float(k)); o.s[k].k = k * 2; } o.on = x > 1.0; o.m = mat2(x); return o; }
bool touched = false;
bool touch(bool v) { touched = true; return v; }
void main() {
    same(early(5.0 * a.x), 1.0);              // 1
    same(early(a.x), 4.0);
    same(early(a.x + 2.0), 3.0);
    same(which(int(a.x)), 11.0);
    same(which(int(b.x)), 10.0);              // 5
    same(which(int(a.z)), 100.0);
    same(which(int(b.z)), 1.0);
    same(which(int(b.w)), 1001.0);
    vec3 v = a.xyz; float w;
    change(v, w, b.x);
    same(v.x, 6.0); same(v.y, 7.0); same(v.z, 3.0); same(w, 3.0); // 9..12
    float sum = 0.0;
    int k = 0;
    while (true) { if (++k > 6) break; if (k == int(a.y)) continue; sum += float(k); }
    same(sum, 19.0);
    do { sum -= 1.0; } while (sum > b.x);
    same(sum, 5.0);
    for (int i = 0; i < 3; i++) for (int j = i; j < int(a.w); j++) { if (j == 2) break; sum += 1.0; }
    same(sum, 8.0);                           // 15
    outer o = make(a.y);
    same(o.s[int(a.y)].v.y, 2.0);
    same(float(o.s[int(a.x)].k), 2.0);
    o.s[int(a.x)].v[int(a.x)] = 42.0;
    same(o.s[1].v.y, 42.0);
    same(o.s[int(b.w)].v.y, 2.0);             // out of range: the last
    inner copy[3] = o.s;
    same(copy[1].v.y + float(copy[2].k), 46.0); // 20
    same(o.on && o.m[1][1] == 2.0 ? 1.0 : 0.0, 1.0);
    bool skip = a.x > b.x && touch(true);
    same(touched || skip ? 1.0 : 0.0, 0.0);
    bool take = a.x < b.x && touch(true);
    same(touched && take ? 1.0 : 0.0, 1.0);
    float t = a.x > b.x ? early(a.x) : early(5.0 * a.x);
    same(t, 1.0);
    int table[5] = int[](3, 1, 4, 1, 5);
    same(float(table[int(a.y)] * 10 + table[int(a.w)]), 45.0); // 25
    same((a.xyzw)[int(a.y)], 3.0);
    result = vec2(failed == 0.0 ? 1.0 : 0.0, failed);
}
