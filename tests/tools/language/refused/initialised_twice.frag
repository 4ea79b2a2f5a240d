// REFUSED 4:17 '=': uniform initializers must be constant
#version 120
varying float a;
uniform float k = a;
void main() { gl_FragColor = vec4(k); }
