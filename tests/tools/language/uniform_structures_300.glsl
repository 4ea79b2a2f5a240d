Structures with booleans and arrays in uniforms and uniform blocks, whole.
--- fragment
#version 300 es
precision highp float;
precision highp int;
struct T { bool on; vec2 at; };
struct Q { T t[2]; bvec3 all; };
uniform T yes, no, list[3];
uniform Q q;
uniform bool left;
uniform int two;
layout(std140) uniform Block { T t, u[2]; bool b; };
out vec4 color;
T chosen(bool first) { return first ? yes : list[two]; }
bool passed(const T t[2]) { return t[0] == yes && t[1] == no; }
void main() {
    T pair[2] = T[2](left ? yes : no, left ? no : yes), other[2];
    other = left ? q.t : pair;
    Q r = Q(T[2](left ? no : yes, chosen(false)), bvec3(left, q.all.yz));
    Q s = left ? r : q;
    bool ok = pair[0].on && !pair[1].on && pair[1].at == vec2(3.0, 4.0) && passed(pair);
    ok = ok && other == q.t && !other[0].on && other[1].on && other != pair;
    ok = ok && s == r && s.t[0] == no && !s.t[1].on && s.all == bvec3(true, true, false) && s != q;
    ok = ok && chosen(left) == yes && chosen(!left).at.x == 30.0;
    T of_block = left ? t : yes, element = left ? u[two] : no;
    ok = ok && of_block == t && element == u[1] && T(b, vec2(0.0)).on == b;
    color = vec4(ok ? 0 : 1, ok ? 1 : 0, 0, 1);
}
--- uniforms
[{"name": "yes.on", "value": 1}, {"name": "yes.at", "value": [1, 2]}, {"name": "no.on", "value": 0},
 {"name": "no.at", "value": [3, 4]}, {"name": "list[0].on", "value": 0},
 {"name": "list[0].at", "value": [10, 10]}, {"name": "list[1].on", "value": 1},
 {"name": "list[1].at", "value": [20, 20]}, {"name": "list[2].on", "value": 0},
 {"name": "list[2].at", "value": [30, 30]}, {"name": "q.t[0].on", "value": 0},
 {"name": "q.t[0].at", "value": [5, 6]}, {"name": "q.t[1].on", "value": 1},
 {"name": "q.t[1].at", "value": [7, 8]}, {"name": "q.all", "value": [0, 1, 0]},
 {"name": "left", "value": 1}, {"name": "two", "value": 2}]
