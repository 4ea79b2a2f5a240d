ES 1.00: samplers of an array by a loop's counter, by arithmetic on it, in nested loops, and by a run-time number.
--- fragment
precision highp float;
uniform sampler2D s[4];
uniform int which;
varying vec2 uv;
bool near(float a, float b) { return abs(a - b) < 0.003; }
void main() {
    bool ok = true;
    float sum = 0.0, weight = 1.0;
    for (int i = 0; i < 4; i++) {
        sum += weight * texture2D(s[i], uv).r;
        weight *= 2.0;
    }
    ok = ok && near(sum, (10.0 + 2.0 * 20.0 + 4.0 * 30.0 + 8.0 * 40.0) / 255.0);
    sum = 0.0;
    for (int i = 3; i >= 1; i -= 2)
        for (int k = 0; k < 2; k++)
            sum += texture2D(s[i - k], uv).r * float(i * 2 + k);
    ok = ok && near(sum, (40.0 * 6.0 + 30.0 * 7.0 + 20.0 * 2.0 + 10.0 * 3.0) / 255.0);
    ok = ok && near(texture2D(s[which], uv).r, 30.0 / 255.0);
    ok = ok && near(texture2D(s[int(gl_FragCoord.x / 8.0)], uv).r, (10.0 + 10.0 * floor(gl_FragCoord.x / 8.0)) / 255.0);
    gl_FragColor = vec4(ok ? 0.0 : 1.0, ok ? 1.0 : 0.0, 0.0, 1.0);
}
--- uniforms
[{"name": "s[0]", "value": [0, 1, 2, 3]}, {"name": "which", "value": 2}]
--- textures
[{"unit": 0, "params": [[10241, 9728]], "levels": [{"target": 3553, "level": 0, "w": 1, "h": 1, "fmt": 6409, "type": 5121, "data": [10]}]},
 {"unit": 1, "params": [[10241, 9728]], "levels": [{"target": 3553, "level": 0, "w": 1, "h": 1, "fmt": 6409, "type": 5121, "data": [20]}]},
 {"unit": 2, "params": [[10241, 9728]], "levels": [{"target": 3553, "level": 0, "w": 1, "h": 1, "fmt": 6409, "type": 5121, "data": [30]}]},
 {"unit": 3, "params": [[10241, 9728]], "levels": [{"target": 3553, "level": 0, "w": 1, "h": 1, "fmt": 6409, "type": 5121, "data": [40]}]}]
