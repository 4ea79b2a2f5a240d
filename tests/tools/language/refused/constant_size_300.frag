// REFUSED 9:13 not evaluated at compile time: array size must be a constant integer expression
#version 300 es
precision highp float;
out vec4 color;
const float f = tanh(1.0);
const int n = int(f) + 2;
void main() {
    float a[3];
    float b[n];
    color = vec4(a[1] + b[1]);
}
