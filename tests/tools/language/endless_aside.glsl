A loop that would never end, but that nothing enters here, however the branch in front of it is written.
--- fragment
#version 300 es
precision highp float;
precision highp int;
in vec2 uv;
uniform int zero;
out vec4 color;
void main() {
    int L = int(floor(uv.x * 4.0)) + 4 * int(floor(uv.y * 4.0)), i = 0, sum = 0;
    for (;;) {
        i++;
        if (i >= (L & 1)) break;
        for (;;) {
            i++;
            sum += i * L;
            if (sum == sum) continue;
            break;
        }
    }
    if (zero != 0)
        while (true) sum++;
    if (zero == 0) {
        sum += L;
    } else {
        do sum *= 3; while (true);
    }
    color = sum == L ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);
}
