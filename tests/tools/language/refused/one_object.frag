// REFUSED 5:37 'a' cannot be used, type of more than 16384 words: not supported on this hardware
precision mediump float;
uniform int k;
float a[20000];
void main() { gl_FragColor = vec4(a[k]); }
