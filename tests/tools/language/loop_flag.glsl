ES 3.00: a counter that begins with one and a flag that begins with true share nothing.
--- fragment
#version 300 es
precision highp float;
precision highp int;
in vec2 uv;
out vec4 color;
void main() {
    int L = int(floor(uv.x * 4.0)) + 4 * int(floor(uv.y * 4.0));
    bool flag = true, even = L / 2 * 2 == L;
    int x = L, i = 0;
    for (;;) {
        i++;
        if (!(i < L - 6 && even)) break;
        x -= 12;
        flag = even;
    }
    int v = x * 256 + int(flag) * 512, expected = L * 256 - (even && L > 7 ? (L - 7) * 3072 : 0) + 512;
    color = v == expected ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);
}
