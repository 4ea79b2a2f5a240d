// REFUSED 2:1 '
varying mediump int a;
void main() { gl_FragColor = vec4(a); }
