// rectangles with round corners and a border where the style asks for them
// draws: u_radius=0; u_border=0 | u_radius=8; u_border=0 | u_radius=8; u_border=1
precision mediump float;
uniform float u_radius, u_border;
uniform vec2 u_half;
uniform vec4 u_fill, u_line;
varying vec2 v_at;
void main() {
    vec4 c = u_fill;
    if (u_radius > 0.0) {
        vec2 q = abs(v_at) - u_half + u_radius;
        float d = length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - u_radius;
        if (u_border > 0.0)
            c = mix(c, u_line, smoothstep(-u_border - 0.5, -u_border + 0.5, d));
        c *= 1.0 - smoothstep(-0.5, 0.5, d);
    }
    gl_FragColor = c;
}
