// fog: none, linear, exponential, squared exponential
// draws: u_fog=0 | u_fog=1 | u_fog=2 | u_fog=3
precision mediump float;
uniform int u_fog;
uniform sampler2D u_albedo;
uniform vec3 u_color;
uniform float u_density, u_from, u_to;
varying vec2 v_uv;
varying float v_depth;
void main() {
    vec3 c = texture2D(u_albedo, v_uv).rgb;
    if (u_fog == 1)
        c = mix(u_color, c, clamp((u_to - v_depth) / (u_to - u_from), 0.0, 1.0));
    else if (u_fog == 2)
        c = mix(u_color, c, exp(-u_density * v_depth));
    else if (u_fog == 3)
        c = mix(u_color, c, exp(-u_density * u_density * v_depth * v_depth));
    gl_FragColor = vec4(c, 1.0);
}
