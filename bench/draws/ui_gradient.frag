// gradients of two to six stops, linear or radial
// draws: u_stops=2; u_radial=0 | u_stops=4; u_radial=0 | u_stops=6; u_radial=1
precision mediump float;
uniform int u_stops;
uniform bool u_radial;
uniform vec4 u_color[6];
uniform float u_place[6];
varying vec2 v_at;
void main() {
    float t = v_at.x;
    if (u_radial)
        t = length(v_at);
    vec4 c = u_color[0];
    for (int i = 1; i < 6; i++) {
        if (i >= u_stops)
            break;
        c = mix(c, u_color[i], clamp((t - u_place[i - 1]) / (u_place[i] - u_place[i - 1]), 0.0, 1.0));
    }
    gl_FragColor = c;
}
