// high dynamic range to the screen by one of three curves, or none
// draws: u_curve=0 | u_curve=1 | u_curve=2 | u_curve=3
precision mediump float;
uniform int u_curve;
uniform sampler2D u_frame;
uniform float u_exposure, u_white;
varying vec2 v_uv;
void main() {
    vec3 c = texture2D(u_frame, v_uv).rgb * u_exposure;
    if (u_curve == 1)
        c = c / (c + 1.0);
    else if (u_curve == 2)
        c = c * (1.0 + c / (u_white * u_white)) / (1.0 + c);
    else if (u_curve == 3)
        c = (c * (2.51 * c + 0.03)) / (c * (2.43 * c + 0.59) + 0.14);
    gl_FragColor = vec4(c, 1.0);
}
