// REFUSED 4:15 'a': a uniform cannot be changed
precision mediump float;
uniform float a;
void main() { a = 1.0; gl_FragColor = vec4(a); }
