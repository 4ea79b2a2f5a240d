ES 1.00: elements of uniform arrays by a run-time number and its neighbours, at the arrays' ends, too.
--- fragment
precision highp float;
uniform float p[5];
uniform vec4 q[5];
uniform mat2 m[5];
uniform int which, beyond;
uniform int chain[5];
bool near(float a, float b) { return abs(a - b) < 0.001; }
void main() {
    bool ok = true;
    int i = int(gl_FragCoord.x) - int(gl_FragCoord.x) / 5 * 5;
    float f = float(i);
    /* each is right where its neighbour is out of range and counts nothing */
    ok = ok && near(mix(p[i], p[i + 1], i < 4 ? 0.25 : 0.0), i < 4 ? 10.0 * f + 2.5 : 40.0);
    ok = ok && near(mix(p[i - 1], p[i], i > 0 ? 0.25 : 1.0), i > 0 ? 10.0 * f - 7.5 : 0.0);
    ok = ok && near(p[i] * 2.0 - (i < 3 ? p[i + 2] : p[i]), i < 3 ? 10.0 * f - 20.0 : 10.0 * f);
    vec4 sum = q[i] + (i < 4 ? q[i + 1] : vec4(0.0));
    ok = ok && near(sum.x, i < 4 ? 8.0 * f + 4.0 : 16.0) && near(sum.w, i < 4 ? 8.0 * f + 10.0 : 19.0);
    ok = ok && near(q[i].z + q[i].y * 100.0, 4.0 * f + 2.0 + 400.0 * f + 100.0);
    /* columns and words of them */
    ok = ok && near(m[i][1].x, 100.0 * f + 3.0) && near(m[i][0].y + m[i][1].y, 200.0 * f + 6.0);
    /* by a uniform */
    ok = ok && near(q[which].y + p[which + 1] * 100.0, 4013.0) && near(m[which - 1][1].y, 204.0);
    ok = ok && near(p[beyond], 40.0) && near(p[-beyond], 0.0);
    ok = ok && near(p[chain[chain[which]]], 20.0);
    /* out of range: within the array */
    ok = ok && near(p[i + 10], 40.0) && near(p[i - 10], 0.0);
    gl_FragColor = vec4(ok ? 0.0 : 1.0, ok ? 1.0 : 0.0, 0.0, 1.0);
}
--- uniforms
[{"name": "p[0]", "value": [0, 10, 20, 30, 40]},
 {"name": "q[0]", "value": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]},
 {"name": "m[0]", "value": [1, 2, 3, 4, 101, 102, 103, 104, 201, 202, 203, 204, 301, 302, 303, 304, 401, 402, 403, 404]},
 {"name": "which", "value": 3}, {"name": "beyond", "value": 7}, {"name": "chain[0]", "value": [4, 2, 0, 1, 3]}]
