// a transition between two pictures: none, cross fade, wipe, zoom
// draws: u_kind=0 | u_kind=1 | u_kind=2 | u_kind=3
precision mediump float;
uniform int u_kind;
uniform sampler2D u_from, u_to;
uniform float u_progress;
varying vec2 v_uv;
void main() {
    vec4 c;
    if (u_kind == 0)
        c = texture2D(u_from, v_uv);
    else if (u_kind == 1)
        c = mix(texture2D(u_from, v_uv), texture2D(u_to, v_uv), u_progress);
    else if (u_kind == 2)
        c = mix(texture2D(u_to, v_uv), texture2D(u_from, v_uv), step(u_progress, v_uv.x + 0.1 * sin(v_uv.y * 20.0)));
    else {
        vec2 p = (v_uv - 0.5) * (1.0 - 0.5 * u_progress) + 0.5;
        c = mix(texture2D(u_from, p), texture2D(u_to, v_uv), u_progress * u_progress);
    }
    gl_FragColor = c;
}
