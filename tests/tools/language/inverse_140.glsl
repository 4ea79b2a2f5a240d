Desktop GLSL 1.40 has inverse(), glslang since 1.50.
--- vertex
#version 140
in vec4 vPosition;
in vec2 texCoord0;
uniform mat4 m;
out vec2 uv;
void main() { uv = texCoord0; gl_Position = inverse(m) * vPosition; }
--- fragment
#version 140
uniform mat2 n;
uniform sampler2D plain;
out vec4 color;
bool near(vec2 a, vec2 b) { return all(lessThan(abs(a - b), vec2(0.01))); }
void main() {
    mat2 i = inverse(n);
    mat3 j = inverse(mat3(n[0].x, 0, 0, 0, 0, n[1].y, 0, -1, n[0].y));
    bool ok = near(i[0], vec2(-2, 1)) && near(i[1], vec2(1.5, -0.5));
    ok = ok && near(j[0].xy, vec2(1, 0)) && near(j[1].yz, vec2(0.5, -1)) && near(j[2].yz, vec2(0.25, 0));
    ok = ok && texture2D(plain, vec2(0.5)).a >= 0.0;
    color = vec4(ok ? 0 : 1, ok ? 1 : 0, 0, 1);
}
--- uniforms
[{"name": "m", "value": [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2]}, {"name": "n", "value": [1, 2, 3, 4]}]
