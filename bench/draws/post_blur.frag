// a separable blur whose radius is a setting
// draws: u_radius=1 | u_radius=3 | u_radius=6
precision mediump float;
uniform int u_radius;
uniform sampler2D u_frame;
uniform vec2 u_step;
uniform float u_weight[7];
varying vec2 v_uv;
void main() {
    vec3 sum = texture2D(u_frame, v_uv).rgb * u_weight[0];
    for (int i = 1; i < 7; i++) {
        if (i > u_radius)
            break;
        vec2 d = u_step * float(i);
        sum += (texture2D(u_frame, v_uv + d).rgb + texture2D(u_frame, v_uv - d).rgb) * u_weight[i];
    }
    gl_FragColor = vec4(sum, 1.0);
}
