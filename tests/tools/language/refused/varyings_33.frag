// REFUSED 11:14 36 words of varyings, but the hardware interpolates 32
precision mediump float;
varying vec4 v0;
varying vec4 v1;
varying vec4 v2;
varying vec4 v3;
varying vec4 v4;
varying vec4 v5;
varying vec4 v6;
varying vec4 v7;
varying vec4 v8;
void main() { gl_FragColor = v0 * 0.3 + v1 * 1.3 + v2 * 2.3 + v3 * 3.3 + v4 * 4.3 + v5 * 5.3 + v6 * 6.3 + v7 * 7.3 + v8 * 8.3; }
