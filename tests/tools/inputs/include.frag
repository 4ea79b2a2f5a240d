#include "half.glsl"
void main() { gl_FragColor = vec4(halve(LEVEL)); }
