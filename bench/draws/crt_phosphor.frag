// afterglow of the frames before, where it is switched on
// draws: u_glow=0 | u_glow=1 | u_glow=3
precision mediump float;
uniform int u_glow;
uniform sampler2D u_now, u_before, u_earlier, u_first;
uniform float u_decay;
varying vec2 v_uv;
void main() {
    vec3 c = texture2D(u_now, v_uv).rgb;
    if (u_glow > 0)
        c = max(c, texture2D(u_before, v_uv).rgb * u_decay);
    if (u_glow > 1)
        c = max(c, texture2D(u_earlier, v_uv).rgb * u_decay * u_decay);
    if (u_glow > 2)
        c = max(c, texture2D(u_first, v_uv).rgb * u_decay * u_decay * u_decay);
    gl_FragColor = vec4(c, 1.0);
}
