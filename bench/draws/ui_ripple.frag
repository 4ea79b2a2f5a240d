// a touch's ripple over a button, and its pressed state
// draws: u_ripple=0; u_pressed=0 | u_ripple=1; u_pressed=0 | u_ripple=1; u_pressed=1
precision mediump float;
uniform bool u_ripple, u_pressed;
uniform vec2 u_center;
uniform float u_radius;
uniform vec4 u_color, u_wave;
varying vec2 v_at;
void main() {
    vec4 c = u_color;
    if (u_pressed)
        c.rgb *= 0.8 - 0.2 * smoothstep(0.0, 1.0, v_at.y);
    if (u_ripple) {
        float d = distance(v_at, u_center);
        float a = 1.0 - smoothstep(u_radius - 0.02, u_radius, d);
        c = mix(c, u_wave, a * u_wave.a * (1.0 - u_radius));
    }
    gl_FragColor = c;
}
