Numbers of all spellings, among them zeros before an exponent with a minus sign, which glslang 12 takes off.
--- fragment
#version 300 es
precision highp float;
precision highp int;
uniform float one;
out vec4 color;
const float ten = 1000.0e-2, list[3] = float[](5400.e-01, 960000E-01f, 20000e-1F);
bool is(float a, float b) { return a * one == b * one; }
void main() {
    bool ok = ten == 10.0 && list[0] == 540.0 && list[1] == 96000.0 && list[2] == 2000.0;
    ok = ok && is(100.0e-1, 10.0) && is(1000.e-0, 1000.0) && is(7000000.00e-3, 7000.0) && is(120.000e-0, 120.0);
    ok = ok && is(000100e-1, 10.0) && is(10000000000.0e-01, 1e9) && is(12000.0e-2, 120.0);
    ok = ok && is(100.0e-2, 1.0) && is(100.0e-3, 0.1) && is(1000.5e-2, 10.005) && is(1000.0e+2, 1e5) && is(1000.0e2, 1e5);
    ok = ok && is(0.0e-1, 0.) && is(00.e-01, .0) && is(.5e1, 5.0) && is(100.10e-1, 10.01) && is(1000.0f, 1e3);
    ok = ok && 0x1e-2 == 28 && 0100 == 64 && 0xffffffffu == 4294967295U && 1000 - 2 == 998 && 10.0e-1-1.0e0 == 0.0;
    color = ok ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);
}
--- uniforms
[{"name": "one", "value": 1}]
