Structures of uniforms with booleans, whole: chosen, compared, passed and returned.
--- fragment
precision highp float;
precision highp int;
struct T { bool on; vec2 at; };
struct Q { T t; bvec2 both; int n; };
uniform T yes, no, list[3];
uniform Q q;
uniform bool left;
uniform int two;
bool passed(const T t, T u) { return t.on && !u.on; }
T chosen(bool first) { if (first) return yes; return left ? no : list[two]; }
void fill(out T t, bool on) { t = on ? yes : no; }
void main() {
    T t = left ? yes : no, u, v[2];
    u = left ? list[two] : t;
    v[0] = left ? no : list[0];
    v[1] = (left, list[1]);
    Q r = Q(chosen(false), q.both, 7), s = Q(left ? t : T(false, vec2(0.0)), bvec2(true, left), two);
    bool ok = t.on && t.at == vec2(1.0, 2.0) && !u.on && u.at.y == 30.0 && !v[0].on && v[1].on;
    ok = ok && t == yes && yes == t && t != no && no != t && no == T(false, vec2(3.0, 4.0)) && yes != no;
    ok = ok && !r.t.on && r.both == bvec2(false, true) && s.t.on && r != q && q == Q(t, r.both, 5);
    ok = ok && q.t == yes && (left ? q : r) == q && !(left ? r : q).t.on;
    ok = ok && passed(yes, no) && !passed(no, yes) && passed(left ? yes : no, list[two]);
    ok = ok && chosen(true).on && !chosen(false).on && chosen(false).at.x == 3.0;
    fill(u, left);
    fill(r.t, !left);
    ok = ok && u == yes && r.t == no;
    gl_FragColor = vec4(ok ? 0.0 : 1.0, ok ? 1.0 : 0.0, 0.0, 1.0);
}
--- uniforms
[{"name": "yes.on", "value": 1}, {"name": "yes.at", "value": [1, 2]}, {"name": "no.on", "value": 0},
 {"name": "no.at", "value": [3, 4]}, {"name": "list[0].on", "value": 0},
 {"name": "list[0].at", "value": [10, 10]}, {"name": "list[1].on", "value": 1},
 {"name": "list[1].at", "value": [20, 20]}, {"name": "list[2].on", "value": 0},
 {"name": "list[2].at", "value": [30, 30]}, {"name": "q.t.on", "value": 1},
 {"name": "q.t.at", "value": [1, 2]}, {"name": "q.both", "value": [0, 1]}, {"name": "q.n", "value": 5},
 {"name": "left", "value": 1}, {"name": "two", "value": 2}]
