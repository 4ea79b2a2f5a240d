/* A column of eight pixels for each row of docs/numerics.md's table: red is the value over 4, green its
 * negative, blue says that it is not equal to itself. Drawn by gl_reference. */
precision highp float;
varying vec2 v_zero;
float value(float column) {
    float n = v_zero.x - 0.5, x = 1.0 - v_zero.x;
    if (column < 1.0) return pow(n, 0.75);
    if (column < 2.0) return pow(n, x + x);
    if (column < 3.0) return sqrt(n);
    if (column < 4.0) return inversesqrt(n);
    if (column < 5.0) return log2(n);
    if (column < 6.0) return log2(v_zero.x);
    if (column < 7.0) return pow(v_zero.x, v_zero.y);
    if (column < 8.0) return v_zero.x / v_zero.y;
    if (column < 9.0) return x / v_zero.x;
    if (column < 10.0) return normalize(vec3(v_zero, v_zero.x)).x;
    if (column < 11.0) return mod(x, v_zero.x);
    if (column < 12.0) return smoothstep(x, 1.0 - v_zero.y, x);
    if (column < 13.0) return atan(v_zero.x, v_zero.y);
    return 1.0;
}
void main() {
    float v = value(floor(gl_FragCoord.x / 8.0));
    gl_FragColor = vec4(v * 0.25, -v * 0.25, v != v ? 1.0 : 0.0, 1.0);
}
