// layers of ground, as many as the map has
// draws: u_layers=1 | u_layers=2 | u_layers=4
precision mediump float;
uniform int u_layers;
uniform sampler2D u_weights, u_a, u_b, u_c, u_d;
varying vec2 v_uv, v_tile;
void main() {
    vec4 w = texture2D(u_weights, v_uv);
    vec3 c = texture2D(u_a, v_tile).rgb;
    if (u_layers > 1)
        c = mix(c, texture2D(u_b, v_tile).rgb, w.y);
    if (u_layers > 2)
        c = mix(c, texture2D(u_c, v_tile).rgb, w.z);
    if (u_layers > 3)
        c = mix(c, texture2D(u_d, v_tile).rgb, w.w);
    gl_FragColor = vec4(c, 1.0);
}
