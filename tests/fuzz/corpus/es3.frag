#version 300 es
precision highp float;
uniform sampler2D image; uniform Block { vec4 a; mat3 m; } blk; in vec2 uv; flat in int kind; out vec4 color;
float table[4] = float[4](1.0, 2.0, 3.0, 4.0);
void main() {
    switch (kind) { case 1: color = texture(image, uv); break; default: color = blk.a; }
    uint bits = floatBitsToUint(uv.x) ^ 3u << 2;
    color.xyz += blk.m[1] * table[int(bits & 3u)];
}
