A loop ends another's body: where its test fails it goes back to the head of that one.
--- fragment
#version 300 es
precision highp float;
precision highp int;
in vec2 uv;
out vec4 color;
int at(int x, int n) { int r = x - x / n * n; return r < 0 ? r + n : r; }
void main() {
    int L = int(floor(uv.x * 4.0)) + 4 * int(floor(uv.y * 4.0)), m = at(L, 4), sum = 0, i = 0;
    while (true) {
        i++;
        if (!(i < at(i * m, 4))) break;
        int j = 0;
        for (;;) {
            j++;
            if (!(j < m)) break;
            sum = sum * 3 + j;
        }
    }
    int expected = m == 2 ? 1 : m == 3 ? 5 : 0;
    color = sum == expected ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);
}
