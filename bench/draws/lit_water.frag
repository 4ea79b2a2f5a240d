// waves of one to four sines, with foam if there is any
// draws: u_waves=1; u_foam=0 | u_waves=2; u_foam=0 | u_waves=4; u_foam=1
precision mediump float;
uniform int u_waves;
uniform bool u_foam;
uniform sampler2D u_froth;
uniform vec4 u_wave[4];
uniform float u_time;
uniform vec3 u_deep, u_sky;
varying vec2 v_at;
void main() {
    vec2 slope = vec2(0.0);
    for (int i = 0; i < 4; i++) {
        if (i >= u_waves)
            break;
        slope += u_wave[i].xy * cos(dot(u_wave[i].xy, v_at) + u_time * u_wave[i].z) * u_wave[i].w;
    }
    vec3 n = normalize(vec3(-slope, 1.0)), c = mix(u_deep, u_sky, pow(1.0 - n.z, 3.0));
    if (u_foam)
        c += texture2D(u_froth, v_at + slope).rgb * smoothstep(0.2, 0.5, dot(slope, slope));
    gl_FragColor = vec4(c, 1.0);
}
