// Composite video taken apart: 25 taps, each weighted by three filters, luma and two chroma sums at once.
precision highp float;
uniform sampler2D u_source;
uniform vec2 u_grid;
uniform float u_f;
varying vec2 v_uv;
const mat3 yiq_to_rgb = mat3(1.0, 1.0, 1.0, 0.956, -0.2721, -1.106, 0.6210, -0.6474, 1.7046);
vec3 signal(vec2 at, float phase) {
    vec3 c = texture2D(u_source, at).rgb;
    float y = dot(c, vec3(0.2989, 0.5870, 0.1140)), i = dot(c, vec3(0.5959, -0.2744, -0.3216));
    float q = dot(c, vec3(0.2115, -0.5229, 0.3114));
    float composite = y + i * cos(phase) * 0.5 + q * sin(phase) * 0.5;
    return vec3(composite, composite * cos(phase) * 2.0, composite * sin(phase) * 2.0);
}
void main() {
    float s = 0.25 / u_grid.x, phase = v_uv.x * 6.0 + u_f;
    vec3 sum = signal(v_uv, phase) * vec3(0.18, 0.08, 0.09);
    sum += (signal(v_uv - vec2(s, 0.0), phase - 0.5) + signal(v_uv + vec2(s, 0.0), phase + 0.5)) * vec3(0.16, 0.078, 0.085);
    sum += (signal(v_uv - vec2(2.0 * s, 0.0), phase - 1.0) + signal(v_uv + vec2(2.0 * s, 0.0), phase + 1.0)) * vec3(0.12, 0.075, 0.08);
    sum += (signal(v_uv - vec2(3.0 * s, 0.0), phase - 1.5) + signal(v_uv + vec2(3.0 * s, 0.0), phase + 1.5)) * vec3(0.08, 0.07, 0.074);
    sum += (signal(v_uv - vec2(4.0 * s, 0.0), phase - 2.0) + signal(v_uv + vec2(4.0 * s, 0.0), phase + 2.0)) * vec3(0.04, 0.064, 0.066);
    sum += (signal(v_uv - vec2(5.0 * s, 0.0), phase - 2.5) + signal(v_uv + vec2(5.0 * s, 0.0), phase + 2.5)) * vec3(0.01, 0.055, 0.055);
    sum += (signal(v_uv - vec2(6.0 * s, 0.0), phase - 3.0) + signal(v_uv + vec2(6.0 * s, 0.0), phase + 3.0)) * vec3(-0.01, 0.045, 0.043);
    sum += (signal(v_uv - vec2(7.0 * s, 0.0), phase - 3.5) + signal(v_uv + vec2(7.0 * s, 0.0), phase + 3.5)) * vec3(-0.015, 0.034, 0.03);
    sum += (signal(v_uv - vec2(8.0 * s, 0.0), phase - 4.0) + signal(v_uv + vec2(8.0 * s, 0.0), phase + 4.0)) * vec3(-0.01, 0.023, 0.02);
    gl_FragColor = vec4(clamp(yiq_to_rgb * sum, 0.0, 1.0), 1.0);
}
