// REFUSED 2:1 shader input/output': not in GLSL ES 1.00
varying mediump int a;
void main() { gl_FragColor = vec4(a); }
