// REFUSED 5:36 'a' cannot be used, more than 16384 words in one variable: not supported on this hardware
precision mediump float;
uniform int k;
float a[20000];
void main() { gl_FragColor = vec4(a[k]); }
