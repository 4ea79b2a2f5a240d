// REFUSED 3:12 a structure or a block needs a member
precision mediump float;
struct S { };
void main() { gl_FragColor = vec4(1.0); }
