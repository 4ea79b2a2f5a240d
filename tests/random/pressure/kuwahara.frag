// Means and variances of four overlapping 4 x 4 quarters of 49 texels; the calmest wins by weight.
precision highp float;
uniform sampler2D u_source;
uniform vec2 u_grid;
varying vec2 v_uv;
void main() {
    vec2 s = vec2(1.0) / u_grid;
    vec3 m0 = vec3(0.0), m1 = vec3(0.0), m2 = vec3(0.0), m3 = vec3(0.0), s0 = vec3(0.0), s1 = vec3(0.0), s2 = vec3(0.0), s3 = vec3(0.0);
    for (int j = -3; j <= 3; j++)
        for (int i = -3; i <= 3; i++) {
            vec3 c = texture2D(u_source, v_uv + s * vec2(float(i), float(j))).rgb, q = c * c;
            if (i <= 0 && j <= 0) { m0 += c; s0 += q; }
            if (i >= 0 && j <= 0) { m1 += c; s1 += q; }
            if (i >= 0 && j >= 0) { m2 += c; s2 += q; }
            if (i <= 0 && j >= 0) { m3 += c; s3 += q; }
        }
    m0 /= 16.0; m1 /= 16.0; m2 /= 16.0; m3 /= 16.0;
    vec4 v = vec4(dot(s0 / 16.0 - m0 * m0, vec3(1.0)), dot(s1 / 16.0 - m1 * m1, vec3(1.0)), dot(s2 / 16.0 - m2 * m2, vec3(1.0)), dot(s3 / 16.0 - m3 * m3, vec3(1.0)));
    vec4 w = 1.0 / (0.02 + v);
    gl_FragColor = vec4((m0 * w.x + m1 * w.y + m2 * w.z + m3 * w.w) / dot(w, vec4(1.0)), 1.0);
}
