// REFUSED 2:1 shader input/output': not supported for this version or the enabled extensions
varying mediump int a;
void main() { gl_FragColor = vec4(a); }
