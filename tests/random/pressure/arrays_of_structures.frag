// Arrays of structures that loops and functions change; lanes that no pixel covers are kept out of the loops.
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
    vec3 z0 = texture2D(u_t0, v_uv + vec2(0.0, 0.0) * s).rgb;
    float x0 = z0.r * u_f;
    float x1 = z0.g * u_f;
    float x2 = z0.b * u_f;
    vec3 z1 = texture2D(u_t0, v_uv + vec2(1.0, 0.0) * s).rgb;
    float x3 = z1.r * u_f;
    float x4 = z1.g * u_f;
    float x5 = z1.b * u_f;
    vec3 z2 = texture2D(u_t0, v_uv + vec2(2.0, 0.0) * s).rgb;
    float x6 = z2.r * u_f;
    float x7 = z2.g * u_f;
    float x8 = z2.b * u_f;
    vec3 z3 = texture2D(u_t1, v_uv + vec2(3.0, 0.0) * s).rgb;
    float x9 = z3.r * u_f;
    float x10 = z3.g * u_f;
    float x11 = z3.b * u_f;
    vec3 z4 = texture2D(u_t0, v_uv + vec2(4.0, 0.0) * s).rgb;
    float x12 = z4.r * u_f;
    float x13 = z4.g * u_f;
    float x14 = z4.b * u_f;
    vec3 z5 = texture2D(u_t0, v_uv + vec2(5.0, 0.0) * s).rgb;
    float x15 = z5.r * u_f;
    float x16 = z5.g * u_f;
    float x17 = z5.b * u_f;
    vec3 z6 = texture2D(u_t0, v_uv + vec2(6.0, 0.0) * s).rgb;
    float x18 = z6.r * u_f;
    float x19 = z6.g * u_f;
    float x20 = z6.b * u_f;
    vec3 z7 = texture2D(u_t0, v_uv + vec2(7.0, 0.0) * s).rgb;
    float x21 = z7.r * u_f;
    float x22 = z7.g * u_f;
    float x23 = z7.b * u_f;
    vec3 z8 = texture2D(u_t0, v_uv + vec2(8.0, 0.0) * s).rgb;
    float x24 = z8.r * u_f;
    float x25 = z8.g * u_f;
    float x26 = z8.b * u_f;
    S t[4];
    t[0] = S(floor(gl_FragCoord.x) * 1.0 / 1024.0, vec2(floor(gl_FragCoord.y) * 4.0 / 1024.0, u_f), vec3(floor(gl_FragCoord.y) * 2.0 / 1024.0, 0.5, u_v.x));
    t[1] = S(floor(gl_FragCoord.y) * 2.0 / 1024.0, vec2(floor(gl_FragCoord.x) * 5.0 / 1024.0, u_f), vec3(floor(gl_FragCoord.y) * 4.0 / 1024.0, 0.5, u_v.x));
    t[2] = S(floor(gl_FragCoord.x) * 3.0 / 1024.0, vec2(floor(gl_FragCoord.y) * 6.0 / 1024.0, u_f), vec3(floor(gl_FragCoord.y) * 6.0 / 1024.0, 0.5, u_v.x));
    t[3] = S(floor(gl_FragCoord.y) * 4.0 / 1024.0, vec2(floor(gl_FragCoord.x) * 7.0 / 1024.0, u_f), vec3(floor(gl_FragCoord.y) * 8.0 / 1024.0, 0.5, u_v.x));
    for (int i0 = 0; i0 < 1000; i0++) {
        if (float(i0) * 4.0 > gl_FragCoord.x) break;
        turn(t, clamp(r, 0.0, 1.0)); q = weigh(t, q * 0.5) * 0.5;
    }
    if (gl_FragCoord.x < 4.0) {
        turn(t, clamp(q, 0.0, 1.0)); r = weigh(t, r * 0.5) * 0.5;
    } else {
        for (int i1 = 0; i1 < 4000; i1++) {
            r = mix(r, q, 0.2);
            q = q * 0.8 + 0.1;
            if (float(i1) * 4.0 > gl_FragCoord.x) break;
        }
    }
    if (gl_FragCoord.y > 11.0) {
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
    q = max(q * 0.95, x0 * 0.4);
    q = max(q * 0.95, x13 * 0.5);
    q = max(q * 0.95, x26 * 0.6);
    q = max(q * 0.95, x12 * 0.7);
    q = max(q * 0.95, x25 * 0.8);
    q = max(q * 0.95, x11 * 0.9);
    q = max(q * 0.95, x24 * 0.4);
    q = max(q * 0.95, x10 * 0.5);
    q = max(q * 0.95, x23 * 0.6);
    q = max(q * 0.95, x9 * 0.7);
    q = max(q * 0.95, x22 * 0.8);
    q = max(q * 0.95, x8 * 0.9);
    q = max(q * 0.95, x21 * 0.4);
    q = max(q * 0.95, x7 * 0.5);
    q = max(q * 0.95, x20 * 0.6);
    q = max(q * 0.95, x6 * 0.7);
    q = max(q * 0.95, x19 * 0.8);
    q = max(q * 0.95, x5 * 0.9);
    q = max(q * 0.95, x18 * 0.4);
    q = max(q * 0.95, x4 * 0.5);
    q = max(q * 0.95, x17 * 0.6);
    q = max(q * 0.95, x3 * 0.7);
    q = max(q * 0.95, x16 * 0.8);
    q = max(q * 0.95, x2 * 0.9);
    q = max(q * 0.95, x15 * 0.4);
    q = max(q * 0.95, x1 * 0.5);
    q = max(q * 0.95, x14 * 0.6);
    gl_FragColor = vec4(r, q, r * q, 1.0);
}
