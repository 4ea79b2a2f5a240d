precision highp float;
uniform sampler2D u_t0;
uniform sampler2D u_t1;
uniform float u_f;
uniform vec4 u_v;
uniform bool u_b;
uniform int u_n;
varying vec2 v_uv;
varying vec2 v_st;
varying vec4 v_color;
struct S { float a; vec2 b; vec3 c; };
float weigh(S t[4], float x) {
    for (int i = 0; i < 4; i++)
    x = x * 0.5 + dot(t[i].c, vec3(0.1)) + t[i].b.x * t[i].a * 0.125;
    return x;
}
void turn(inout S t[4], float x) {
    S old = t[0];
    for (int i = 0; i < 3; i++) {
        t[i].a = t[i + 1].a * 0.5 + x * 0.25; t[i].b = t[i + 1].b.yx; t[i].c = mix(t[i].c, t[i + 1].c.zxy, x);
    }
    t[3] = old;
}
void main() {
    float r = 0.25, q = u_f; vec2 s = vec2(0.03125, 0.0625);
    S t[4];
    t[0] = S(floor(gl_FragCoord.x) * 1.0 / 1024.0, vec2(floor(gl_FragCoord.y) * 4.0 / 1024.0, u_f), vec3(floor(gl_FragCoord.y) * 2.0 / 1024.0, 0.5, u_v.x));
    t[1] = S(floor(gl_FragCoord.y) * 2.0 / 1024.0, vec2(floor(gl_FragCoord.x) * 5.0 / 1024.0, u_f), vec3(floor(gl_FragCoord.y) * 4.0 / 1024.0, 0.5, u_v.x));
    t[2] = S(floor(gl_FragCoord.x) * 3.0 / 1024.0, vec2(floor(gl_FragCoord.y) * 6.0 / 1024.0, u_f), vec3(floor(gl_FragCoord.y) * 6.0 / 1024.0, 0.5, u_v.x));
    t[3] = S(floor(gl_FragCoord.y) * 4.0 / 1024.0, vec2(floor(gl_FragCoord.x) * 7.0 / 1024.0, u_f), vec3(floor(gl_FragCoord.y) * 8.0 / 1024.0, 0.5, u_v.x));
    for (int i0 = 0; i0 < 2000; i0++) {
        if (i0 > u_n) break;
        turn(t, clamp(r, 0.0, 1.0)); q = weigh(t, q * 0.5) * 0.5;
    }
    if (gl_FragCoord.y > 13.0) {
        turn(t, clamp(q, 0.0, 1.0)); r = weigh(t, r * 0.5) * 0.5;
    } else {
        for (int i1 = 0; i1 < 1000; i1++) {
            if (float(i1) * 4.0 > gl_FragCoord.y) break;
            r = mix(r, q, 0.2);
            q = q * 0.8 + 0.1;
        }
    }
    if (gl_FragCoord.x < 3.0) {
        turn(t, clamp(r, 0.0, 1.0)); q = weigh(t, q * 0.5) * 0.5;
    } else {
        for (int i2 = 0; i2 < 2000; i2++) {
            r = mix(r, q, 0.2);
            q = q * 0.8 + 0.1;
            if (float(i2) * 4.0 > gl_FragCoord.x) break;
        }
    }
    turn(t, clamp(q, 0.0, 1.0)); r = weigh(t, r * 0.5) * 0.5;
    r = clamp(r * 0.5 + weigh(t, q) * 0.25, 0.0, 1.0); q = clamp(q, 0.0, 1.0);
    gl_FragColor = vec4(r, q, r * q, 1.0);
}
