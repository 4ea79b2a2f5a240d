#version 450
// VALUES
struct light { vec3 position; float power[2]; bool on; };
uniform light lights[3];           // positions 0..8, powers 9..14, on 15..17
uniform vec2 table[4];             // 18..25
uniform mat3 turn;                 // 26..34
uniform ivec2 counts;              // 35, 36
layout(location=0) in vec4 a;      // 1 2 3 4
layout(location=1) in float list[4]; // 5 6 7 8
layout(location=0) out vec2 result;
int number = 0;
float failed = 0.0;
void same(float x, float y) { number++; if (x != y && failed == 0.0) failed = float(number); }
float brightness(light l) { return l.on ? l.power[1] : 0.0; }
void main() {
    same(lights[2].position.y, 107.0);                // 1
    same(lights[int(a.x)].position.z, 105.0);
    same(lights[int(a.y)].power[int(a.x)], 114.0);
    same(lights[int(a.y)].power[0], 113.0);
    same(brightness(lights[1]), 112.0);               // 5
    same(table[int(a.z)].x, 124.0);
    same(table[int(a.z)][int(a.x)], 125.0);
    same(table[1].y, 121.0);
    same((turn * a.xyz).y, 127.0 + 2.0 * 130.0 + 3.0 * 133.0);
    same(turn[int(a.y)].x, 132.0);                    // 10
    same(float(counts.y), 136.0);
    same(list[int(a.z)], 8.0);
    same(list[int(a.z) * 100], 8.0);
    same(list[-int(a.z)], 5.0);
    same(a[int(a.y)], 3.0);                           // 15
    result[int(a.x) - 1] = failed == 0.0 ? 1.0 : 0.0;
    result[int(a.x)] = failed;
}
