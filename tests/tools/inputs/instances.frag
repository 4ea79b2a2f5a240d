#version 300 es
precision mediump float;
flat in int which;
out vec4 color;
void main() { color = vec4(1.0, float(which) / 3.0, 0.0, 1.0); }
