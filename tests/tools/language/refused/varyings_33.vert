attribute vec4 p;
varying vec4 v0;
varying vec4 v1;
varying vec4 v2;
varying vec4 v3;
varying vec4 v4;
varying vec4 v5;
varying vec4 v6;
varying vec4 v7;
varying vec4 v8;
void main() { gl_Position = p; v0 = p * p * 0.5; v1 = p * p * 1.5; v2 = p * p * 2.5; v3 = p * p * 3.5; v4 = p * p * 4.5; v5 = p * p * 5.5; v6 = p * p * 6.5; v7 = p * p * 7.5; v8 = p * p * 8.5; }
