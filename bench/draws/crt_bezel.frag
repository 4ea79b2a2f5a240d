// a bezel with reflections around the picture, for those who like it
// draws: u_bezel=0; u_reflect=0 | u_bezel=1; u_reflect=0 | u_bezel=1; u_reflect=1
precision mediump float;
uniform bool u_bezel, u_reflect;
uniform sampler2D u_frame, u_border;
varying vec2 v_uv;
void main() {
    vec4 c = texture2D(u_frame, v_uv);
    if (u_bezel) {
        vec4 b = texture2D(u_border, v_uv);
        if (u_reflect) {
            vec2 m = 1.0 - abs(1.0 - abs(v_uv));
            vec3 r = texture2D(u_frame, m).rgb + texture2D(u_frame, m + 0.01).rgb + texture2D(u_frame, m - 0.01).rgb;
            b.rgb += r * 0.1;
        }
        c = mix(c, b, b.a);
    }
    gl_FragColor = c;
}
