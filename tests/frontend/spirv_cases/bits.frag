#version 450
// VALUES
layout(location=0) flat in ivec4 a;   // 1 2 3 4
layout(location=1) flat in ivec4 b;   // 5 6 7 8
layout(location=0) out vec2 result;
int number = 0;
float failed = 0.0;
void same(int x, int y) { number++; if (x != y && failed == 0.0) failed = float(number); }
void same(uint x, uint y) { same(int(x), int(y)); }
void main() {
    uint big = uint(a.x) << 31;
    int minus = -b.z;
    same(a.x + b.x * a.y, 11);                 // 1
    same(minus / a.y, -3);
    same(-minus % a.w, 3);
    same(big / 3u, 0x2aaaaaaau);
    same(big % 7u, 2u);                        // 5
    same(minus >> 1, -4);
    same(uint(minus) >> 28, 15u);
    same(b.z & ~a.z, 4);
    same((b.z | 8) ^ a.x, 14);
    same(abs(minus) + sign(minus), 6);         // 10
    same(min(minus, a.x), -7);
    same(max(uint(minus), uint(a.x)), 0xfffffff9u);
    same(clamp(b.w, a.x, a.w), 4);
    same(int(big > 5u), 1);
    same(int(int(big) > 5), 0);                // 15
    same(bitCount(b.z), 3);
    same(bitfieldReverse(a.x), int(0x80000000u));
    same(bitfieldExtract(minus, 0, 3), 1);
    same(bitfieldExtract(minus, 3, a.z), -1);
    same(bitfieldExtract(uint(minus), 28, 4), 15u); // 20
    same(bitfieldInsert(b.w, a.z, 1, 2), 14);
    same(findLSB(b.w), 3);
    same(findMSB(b.w), 3);
    same(findMSB(minus), 2);
    same(findLSB(a.x - 1), -1);                // 25
    same(findMSB(a.x - 1), -1);
    uint carry, borrow, high, low;
    int shigh, slow;
    same(uaddCarry(big, big, carry), 0u);
    same(carry, 1u);
    same(usubBorrow(uint(a.x), uint(a.y), borrow), 0xffffffffu);
    same(borrow, 1u);                          // 30
    umulExtended(0xdeadbeefu * uint(a.x), 0xcafebabeu, high, low);
    same(high, 0xb092ab7bu);
    same(low, 0x88cf5b62u);
    imulExtended(minus * 1000000, 1000000 * a.x, shigh, slow);
    same(shigh, -1630);
    same(slow, 796692480);
    same(floatBitsToInt(float(a.x)), 0x3f800000); // 35
    same(int(unpackHalf2x16(packHalf2x16(vec2(a.x, a.z))).y * 2.0), 6);
    same(packUnorm4x8(vec4(0.0, 1.0, 0.2, 0.6) * float(a.x)), 0x9933ff00u);
    same(packSnorm2x16(vec2(-1.0, 1.0) * float(a.x)), 0x7fff8001u);
    same(int(unpackSnorm4x8(uint(a.x) * 0x0000817fu).y), -1);
    same(int(unpackUnorm2x16(uint(a.x) * 0xffff0000u).y * 3.0), 3); // 40
    same(int(float(big >> 8)), 0x00800000);
    same(uint(float(big >> 1)), 0x40000000u);
    result = vec2(failed == 0.0 ? 1.0 : 0.0, failed);
}
