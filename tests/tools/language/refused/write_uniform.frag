// REFUSED 4:17 'assign': l-value required "a" (can't modify a uniform)
precision mediump float;
uniform float a;
void main() { a = 1.0; gl_FragColor = vec4(a); }
