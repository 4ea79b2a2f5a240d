precision mediump float;
void main() {
    vec2 a = vec2(
        before,
        1.0);
#include "include/wrong.glsl"
	float t = /* a tab before this */ after;
    gl_FragColor = vec4(a, t, 1.0);
}
