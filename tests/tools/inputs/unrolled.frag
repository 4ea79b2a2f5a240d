precision mediump float;
uniform float u[20];
varying vec2 v;
void main() { vec4 c = vec4(0.0); for (int i = 0; i < 16; i++) c += u[i] * v.x; gl_FragColor = c; }
