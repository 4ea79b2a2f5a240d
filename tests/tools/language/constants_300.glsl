ES 3.00: constants of every function of the language, and constants made of those.
--- fragment
#version 300 es
precision highp float;
precision highp int;
const mat3x2 m = mat3x2(1, 2, 3, 4, 5, 6);
const mat2x3 t = transpose(m);
const mat2 square = transpose(mat2(1, 2, 3, 4)), half_of = inverse(mat2(2.0)) * matrixCompMult(square, mat2(1));
const vec3 row = t[1], other = matrixCompMult(t, mat2x3(2))[0];
const float d = determinant(mat3(2)), e = d + 1.0, h = tanh(0.5) * cosh(0.5) - sinh(0.5);
const ivec2 bits = floatBitsToInt(vec2(1.0, 2.0));
const uint bit = floatBitsToUint(-1.0), packed_bits = packUnorm2x16(vec2(1.0, 0.0));
const float one = intBitsToFloat(bits.x), minus = uintBitsToFloat(bit);
const vec2 unpacked = unpackSnorm2x16(packSnorm2x16(vec2(-1.0, 1.0))), halves = unpackHalf2x16(packHalf2x16(vec2(0.5)));
float global = asinh(sinh(0.5)), another = determinant(square);
struct S { mat2 m; float f; };
const S s = S(inverse(mat2(4.0)), atanh(tanh(0.25)));
out vec4 color;
void main() {
    const float local = acosh(cosh(1.5)), sum = local + e;
    const mat2x3 turned = t, same = transpose(transpose(turned));
    bool exact = t == mat2x3(1, 3, 5, 2, 4, 6) && square == mat2(1, 3, 2, 4) && row == vec3(2, 4, 6) &&
                 other == vec3(2, 0, 0) && d == 8.0 && e == 9.0 && bits == ivec2(0x3f800000, 0x40000000) &&
                 bit == 0xbf800000u && packed_bits == 0xffffu && one == 1.0 && minus == -1.0 &&
                 unpacked == vec2(-1, 1) && halves == vec2(0.5) && another == -2.0 && same == t;
    bool near = abs(h) < 1e-5 && abs(global - 0.5) < 1e-4 && abs(s.m[0][0] - 0.25) < 1e-5 && abs(s.f - 0.25) < 1e-4 &&
                abs(sum - 10.5) < 1e-3 && abs(half_of[0].y - 0.0) < 1e-5 && abs(half_of[1].y - 2.0) < 1e-4;
    color = vec4(exact && near ? 0 : 1, exact && near ? 1 : 0, 0, 1);
}
