// REFUSED 3:60 'a': there is no element 2
precision mediump float;
void main() { float a[2]; a[0] = 1.0; gl_FragColor = vec4(a[2]); }
