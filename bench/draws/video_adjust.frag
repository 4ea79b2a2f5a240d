// contrast, hue and gamma sliders, most of them at rest
// draws: u_contrast=1; u_hue=0; u_gamma=1 | u_contrast=1.2; u_hue=0; u_gamma=1 | u_contrast=1.2; u_hue=0.3; u_gamma=2.2
precision mediump float;
uniform float u_contrast, u_hue, u_gamma;
uniform sampler2D u_frame;
varying vec2 v_uv;
void main() {
    vec3 c = texture2D(u_frame, v_uv).rgb;
    if (u_contrast != 1.0)
        c = (c - 0.5) * u_contrast + 0.5;
    if (u_hue != 0.0) {
        float s = sin(u_hue), k = cos(u_hue), g = dot(c, vec3(0.333));
        c = c * k + cross(vec3(0.577), c) * s + g * (1.0 - k);
    }
    if (u_gamma != 1.0)
        c = pow(max(c, 0.0), vec3(1.0 / u_gamma));
    gl_FragColor = vec4(c, 1.0);
}
