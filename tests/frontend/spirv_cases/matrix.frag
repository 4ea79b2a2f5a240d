#version 450
// VALUES
layout(location=0) in vec4 a;   // 1 2 3 4
layout(location=1) in vec4 b;   // 5 6 7 8
layout(location=0) out vec2 result;
int number = 0;
float failed = 0.0;
void near(float x, float y) { number++; if (abs(x - y) > 1e-3 * (1.0 + abs(y)) && failed == 0.0) failed = float(number); }
void near(vec4 x, vec4 y) { near(x.x, y.x); near(x.y, y.y); near(x.z, y.z); near(x.w, y.w); number -= 3; }
void main() {
    mat4 m = mat4(vec4(1.0, 2.0, 0.0, 1.0), vec4(0.0, 1.0, 3.0, 0.0), vec4(2.0, 0.0, 1.0, 0.0), a);
    mat3 n = mat3(vec3(2.0, 0.0, 1.0), vec3(0.0, 3.0, 0.0), a.xyz);
    mat2 p = mat2(a.xy, b.xy);
    mat2x3 q = mat2x3(a.xyz, b.xyz);
    near(m * b, vec4(5.0 + 14.0 + 8.0, 10.0 + 6.0 + 16.0, 18.0 + 7.0 + 24.0, 5.0 + 32.0)); // 1
    near(b * m, vec4(5.0 + 12.0 + 8.0, 6.0 + 21.0, 10.0 + 7.0, 70.0));
    near(determinant(p), 1.0 * 6.0 - 2.0 * 5.0);
    near(determinant(n), 2.0 * (9.0 - 0.0) + 1.0 * (0.0 - 3.0));
    near(determinant(m), 45.0); // 5
    mat2 i2 = p * inverse(p);
    near(vec4(i2[0], i2[1]), vec4(1.0, 0.0, 0.0, 1.0));
    mat3 i3 = n * inverse(n);
    near(vec4(i3[0], 0.0), vec4(1.0, 0.0, 0.0, 0.0));
    near(vec4(i3[1], 0.0), vec4(0.0, 1.0, 0.0, 0.0));
    near(vec4(i3[2], 0.0), vec4(0.0, 0.0, 1.0, 0.0));
    mat4 i4 = inverse(m) * m;
    near(i4[0], vec4(1.0, 0.0, 0.0, 0.0));    // 10
    near(i4[1], vec4(0.0, 1.0, 0.0, 0.0));
    near(i4[2], vec4(0.0, 0.0, 1.0, 0.0));
    near(i4[3], vec4(0.0, 0.0, 0.0, 1.0));
    near(vec4(transpose(q)[1], transpose(q)[2]), vec4(2.0, 6.0, 3.0, 7.0));
    near(vec4(q * a.xy, 0.0), vec4(11.0, 14.0, 17.0, 0.0)); // 15
    near(vec4(a.xyz * q, 0.0, 0.0), vec4(14.0, 38.0, 0.0, 0.0));
    near(vec4(outerProduct(a.xy, b.zw)[1], outerProduct(a.xy, b.zw)[0]), vec4(8.0, 16.0, 7.0, 14.0));
    near(vec4(matrixCompMult(p, p)[1], (p + p)[0]), vec4(25.0, 36.0, 2.0, 4.0));
    near(vec4((p * 2.0)[0], (p / 2.0)[1]), vec4(2.0, 4.0, 2.5, 3.0));
    near((m * m)[0], m * m[0]);               // 20
    m[int(a.x)][int(a.y)] = b.x;
    near(m[1], vec4(0.0, 1.0, 5.0, 0.0));
    m[int(a.z)].zx = b.xy;
    near(m[3], vec4(6.0, 2.0, 5.0, 4.0));
    near(mat4(n)[3], vec4(0.0, 0.0, 0.0, 1.0));
    near(vec4(mat2(m)[0], (-p)[0]), vec4(1.0, 2.0, -1.0, -2.0));
    result = vec2(failed == 0.0 ? 1.0 : 0.0, failed);
}
