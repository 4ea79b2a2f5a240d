// bloom, vignette, grain and grading, each with its switch
// draws: u_bloom=0; u_vignette=0; u_grain=0 | u_bloom=1; u_vignette=0; u_grain=0 | u_bloom=1; u_vignette=1; u_grain=0 | u_bloom=1; u_vignette=1; u_grain=1
precision mediump float;
uniform bool u_bloom, u_vignette, u_grain;
uniform sampler2D u_frame, u_bright;
uniform float u_time;
varying vec2 v_uv;
void main() {
    vec3 c = texture2D(u_frame, v_uv).rgb;
    if (u_bloom) {
        vec3 b = texture2D(u_bright, v_uv).rgb + texture2D(u_bright, v_uv + 0.01).rgb + texture2D(u_bright, v_uv - 0.01).rgb;
        c += b * 0.333;
    }
    if (u_vignette) {
        vec2 p = v_uv - 0.5;
        c *= 1.0 - smoothstep(0.3, 0.8, length(p));
    }
    if (u_grain)
        c += (fract(sin(dot(v_uv + u_time, vec2(12.9898, 78.233))) * 437.5) - 0.5) * 0.05;
    gl_FragColor = vec4(c, 1.0);
}
