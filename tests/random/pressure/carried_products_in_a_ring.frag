precision mediump float;
uniform sampler2D u_t0;
uniform sampler2D u_t1;
uniform float u_f;
uniform vec4 u_v;
uniform bool u_b;
uniform int u_n;
varying vec2 v_uv;
varying vec2 v_st;
varying vec4 v_color;
void main() {
    float r = 0.25, q = u_f; vec2 s = vec2(0.03125, 0.0625);
    mat4 m0 = mat4(floor(gl_FragCoord.x) * 1.0 / 1024.0);
    m0[0] += vec4(u_f * 0.25); m0[1].x += floor(gl_FragCoord.y) * 8.0 / 1024.0;
    mat4 m1 = mat4(floor(gl_FragCoord.y) * 2.0 / 1024.0);
    m1[0] += vec4(u_f * 0.25); m1[1].x += floor(gl_FragCoord.x) * 9.0 / 1024.0;
    mat4 m2 = mat4(floor(gl_FragCoord.x) * 3.0 / 1024.0);
    m2[0] += vec4(u_f * 0.25); m2[1].x += floor(gl_FragCoord.y) * 10.0 / 1024.0;
    vec4 v = vec4(floor(gl_FragCoord.y) * 6.0 / 1024.0);
    for (int i0 = 0; i0 < 1000; i0++) {
        m0 = m0 * m1 * 0.25;
        m0[0] = m0[1] * 0.5 + v * 0.25;
        m1 = m1 * m2 * 0.25;
        m1[1] = m1[2] * 0.5 + v * 0.25;
        m2 = m2 * m0 * 0.25;
        m2[2] = m2[3] * 0.5 + v * 0.25;
        if (gl_FragCoord.y > 12.0) { m0[0] = v; v = v.wzyx; }
        if (float(i0) * 4.0 > gl_FragCoord.y) break;
    }
    r = mix(r, dot(m0[0], v) * 0.25, 0.1);
    q = mix(q, dot(m0[1], v) * 0.25, 0.1);
    r = mix(r, dot(m0[2], v) * 0.25, 0.1);
    q = mix(q, dot(m0[3], v) * 0.25, 0.1);
    r = mix(r, dot(m1[0], v) * 0.25, 0.1);
    q = mix(q, dot(m1[1], v) * 0.25, 0.1);
    r = mix(r, dot(m1[2], v) * 0.25, 0.1);
    q = mix(q, dot(m1[3], v) * 0.25, 0.1);
    r = mix(r, dot(m2[0], v) * 0.25, 0.1);
    q = mix(q, dot(m2[1], v) * 0.25, 0.1);
    r = mix(r, dot(m2[2], v) * 0.25, 0.1);
    q = mix(q, dot(m2[3], v) * 0.25, 0.1);
    gl_FragColor = vec4(r, q, r * q, 1.0);
}
