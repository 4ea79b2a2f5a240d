// One line of colours as a modulated signal, kept over three fields and mixed.
precision highp float;
uniform sampler2D u_source;
uniform vec2 u_grid;
uniform float u_f;
varying vec2 v_uv;
const mat3 rgb_to_yiq = mat3(0.2989, 0.5959, 0.2115, 0.5870, -0.2744, -0.5229, 0.1140, -0.3216, 0.3114);
void main() {
    vec2 s = vec2(1.0) / u_grid;
    vec3 out_ = vec3(0.0);
    for (int field = 0; field < 3; field++) {
        float phase = 2.094 * float(field) + u_f * 6.28;
        vec3 a = rgb_to_yiq * texture2D(u_source, v_uv - vec2(s.x, 0.0)).rgb, b = rgb_to_yiq * texture2D(u_source, v_uv).rgb;
        vec3 c = rgb_to_yiq * texture2D(u_source, v_uv + vec2(s.x, 0.0)).rgb;
        float ma = a.x + a.y * cos(phase - 1.0) + a.z * sin(phase - 1.0), mb = b.x + b.y * cos(phase) + b.z * sin(phase);
        float mc = c.x + c.y * cos(phase + 1.0) + c.z * sin(phase + 1.0);
        out_ += vec3(0.25 * ma + 0.5 * mb + 0.25 * mc, (mb - ma) * cos(phase), (mc - mb) * sin(phase)) / 3.0;
    }
    gl_FragColor = vec4(out_ * 0.5 + 0.25, 1.0);
}
