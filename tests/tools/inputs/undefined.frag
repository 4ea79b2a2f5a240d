precision mediump float;
varying vec2 v_at;
uniform float u_zero;
vec3 shade(vec3 n) {
    return normalize(n);
}
void main() {
    float a = 0.0;
    if (v_at.x > 0.5)
        a += sqrt(0.5 - v_at.x);
    else
        a += log(v_at.x - 0.75);
    vec3 n = shade(vec3(floor(v_at.x * 2.0), 0.0, u_zero));
    float m = mod(v_at.y, u_zero), s = smoothstep(u_zero, u_zero, v_at.x);
    for (int i = 0; i < 4; i++)
        s += pow(v_at.y - 0.25 * float(i), 0.7);
    gl_FragColor = vec4(n.x + a, m + s, atan(u_zero, u_zero), u_zero / u_zero + 1.0 / (u_zero * v_at.x));
}
