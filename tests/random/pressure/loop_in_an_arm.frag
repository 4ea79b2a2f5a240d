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
    vec4 a0 = vec4(floor(gl_FragCoord.x) * 1.0 / 1024.0, floor(gl_FragCoord.y) * 2.0 / 1024.0, u_f, 0.75);
    vec4 a1 = vec4(floor(gl_FragCoord.y) * 2.0 / 1024.0, floor(gl_FragCoord.x) * 5.0 / 1024.0, u_f, 0.75);
    vec4 a2 = vec4(floor(gl_FragCoord.x) * 3.0 / 1024.0, floor(gl_FragCoord.y) * 8.0 / 1024.0, u_f, 0.75);
    vec4 a3 = vec4(floor(gl_FragCoord.y) * 4.0 / 1024.0, floor(gl_FragCoord.x) * 11.0 / 1024.0, u_f, 0.75);
    vec4 a4 = vec4(floor(gl_FragCoord.x) * 5.0 / 1024.0, floor(gl_FragCoord.y) * 14.0 / 1024.0, u_f, 0.75);
    vec4 a5 = vec4(floor(gl_FragCoord.y) * 6.0 / 1024.0, floor(gl_FragCoord.x) * 17.0 / 1024.0, u_f, 0.75);
    vec4 a6 = vec4(floor(gl_FragCoord.x) * 7.0 / 1024.0, floor(gl_FragCoord.y) * 20.0 / 1024.0, u_f, 0.75);
    vec4 a7 = vec4(floor(gl_FragCoord.y) * 8.0 / 1024.0, floor(gl_FragCoord.x) * 23.0 / 1024.0, u_f, 0.75);
    vec4 a8 = vec4(floor(gl_FragCoord.x) * 9.0 / 1024.0, floor(gl_FragCoord.y) * 26.0 / 1024.0, u_f, 0.75);
    vec4 a9 = vec4(floor(gl_FragCoord.y) * 10.0 / 1024.0, floor(gl_FragCoord.x) * 29.0 / 1024.0, u_f, 0.75);
    vec4 a10 = vec4(floor(gl_FragCoord.x) * 11.0 / 1024.0, floor(gl_FragCoord.y) * 32.0 / 1024.0, u_f, 0.75);
    vec4 a11 = vec4(floor(gl_FragCoord.y) * 12.0 / 1024.0, floor(gl_FragCoord.x) * 35.0 / 1024.0, u_f, 0.75);
    vec4 a12 = vec4(floor(gl_FragCoord.x) * 13.0 / 1024.0, floor(gl_FragCoord.y) * 38.0 / 1024.0, u_f, 0.75);
    for (int i1 = 0; i1 < 1000; i1++) {
        if (i1 > u_n) break;
        a0 = a0 * 0.75 + a1.wxyz * 0.25;
        a0 = clamp(a0, 0.0, 1.0);
        a1 = clamp(a1, 0.0, 1.0);
        a2 = clamp(a2, 0.0, 1.0);
        a3 = clamp(a3, 0.0, 1.0);
        a4 = clamp(a4, 0.0, 1.0);
        a5 = clamp(a5, 0.0, 1.0);
        a6 = clamp(a6, 0.0, 1.0);
        a7 = a7 * 0.75 + a8.wxyz * 0.25;
        a7 = clamp(a7, 0.0, 1.0);
        a8 = a8 * 0.75 + a9.wxyz * 0.25;
        a8 = clamp(a8, 0.0, 1.0);
        a9 = clamp(a9, 0.0, 1.0);
        a10 = mix(a10, a11, u_v.z);
        a10 = clamp(a10, 0.0, 1.0);
        a11 = clamp(a11, 0.0, 1.0);
        a12 = clamp(a12, 0.0, 1.0);
        if (u_b) {
            a1 = a1 * a2 + 0.125;
            a2 = a2 * a3 + 0.125;
            a3 = a3 * a4 + 0.125;
            a4 = a4 * a5 + 0.125;
            a5 = a5 * a6 + 0.125;
            a9 = vec4(dot(a9, a10) * 0.25) + a9 * 0.5;
            a11 = vec4(dot(a11, a12) * 0.25) + a11 * 0.5;
        } else {
            a6 = vec4(dot(a6, a7) * 0.25) + a6 * 0.5;
            a12 = vec4(dot(a12, a0) * 0.25) + a12 * 0.5;
            for (int i0 = 0; i0 < 1000; i0++) {
                r = mix(r, q, 0.2);
                q = q * 0.8 + 0.1;
                if (float(i0) * 4.0 > gl_FragCoord.y) break;
            }
        }
    }
    r = mix(r, a0.x, 0.2); q = mix(q, dot(a0, vec4(0.25)), 0.2);
    r = mix(r, a1.x, 0.2); q = mix(q, dot(a1, vec4(0.25)), 0.2);
    r = mix(r, a2.x, 0.2); q = mix(q, dot(a2, vec4(0.25)), 0.2);
    r = mix(r, a3.x, 0.2); q = mix(q, dot(a3, vec4(0.25)), 0.2);
    r = mix(r, a4.x, 0.2); q = mix(q, dot(a4, vec4(0.25)), 0.2);
    r = mix(r, a5.x, 0.2); q = mix(q, dot(a5, vec4(0.25)), 0.2);
    r = mix(r, a6.x, 0.2); q = mix(q, dot(a6, vec4(0.25)), 0.2);
    r = mix(r, a7.x, 0.2); q = mix(q, dot(a7, vec4(0.25)), 0.2);
    r = mix(r, a8.x, 0.2); q = mix(q, dot(a8, vec4(0.25)), 0.2);
    r = mix(r, a9.x, 0.2); q = mix(q, dot(a9, vec4(0.25)), 0.2);
    r = mix(r, a10.x, 0.2); q = mix(q, dot(a10, vec4(0.25)), 0.2);
    r = mix(r, a11.x, 0.2); q = mix(q, dot(a11, vec4(0.25)), 0.2);
    r = mix(r, a12.x, 0.2); q = mix(q, dot(a12, vec4(0.25)), 0.2);
    gl_FragColor = vec4(r, q, r * q, 1.0);
}
