precision mediump float;
#define SQ(x) ((x) * (x))
uniform sampler2D map; uniform vec4 tint[3]; uniform int n; varying vec2 uv;
struct light { vec3 dir; float power; }; uniform light sun;
float shade(vec3 v, inout float acc) { acc += SQ(dot(v, sun.dir)); return acc * sun.power; }
void main() {
    float a = 0.0;
    for (int i = 0; i < 3; i++) { a += tint[i].x; if (a > 2.0) break; }
    for (int i = 0; i < 9; i++) { if (i >= n) break; a = a * 0.5 + uv.x; }
    vec4 c = texture2D(map, uv * mat2(1.0, 0.0, a, 1.0));
    if (c.a < 0.5) discard;
    gl_FragColor = vec4(c.rgb * shade(vec3(uv, 1.0), a), pow(c.a, 2.2));
}
