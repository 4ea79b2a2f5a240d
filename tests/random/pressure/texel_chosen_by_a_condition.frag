// The packed colour is a texel or what subtracting from it gives; its alpha is the texel's in any case.
precision mediump float;
uniform sampler2D u_t0;
uniform bool u_b;
uniform int u_n;
uniform vec4 u_a[5];
varying vec2 v_uv;
void main() {
    vec4 c = texture2D(u_t0, u_b ? vec2(0.5, 0.25) : v_uv);
    if (u_b)
        c.gb -= abs(u_a[u_n].xz);
    gl_FragColor = c;
}
