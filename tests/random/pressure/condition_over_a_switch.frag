// One condition chooses what was looked up before and the coordinates of what is looked up then: with two
// threads the flags would have to survive the switch between the two.
precision mediump float;
uniform sampler2D u_t0;
uniform int u_n;
uniform float u_k[5];
uniform bool u_b;
varying vec4 v_color;
void main() {
    float k = u_b ? u_k[u_n] : 0.25;
    gl_FragColor = texture2D(u_t0, u_b ? vec2(0.5, 0.25) : v_color.wy) * k;
}
