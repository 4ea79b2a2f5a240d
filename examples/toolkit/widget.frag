// All that a toolkit draws, in one shader: u_kind chooses, and each draw uses one of the ways.
precision mediump float;
const int FILL = 0, GRADIENT = 1, PICTURE = 2, SHADOW = 3, BUTTON = 4;
uniform int u_kind;
uniform highp vec2 u_size;
uniform float u_radius, u_border;
uniform vec4 u_color, u_second, u_edge;
uniform sampler2D u_picture;
varying highp vec2 v_at;

// How far a point is outside of the rounded rectangle, in pixels.
float outside(vec2 half_size, float radius) {
    vec2 d = abs(v_at - u_size * 0.5) - half_size + radius;
    return length(max(d, 0.0)) + min(max(d.x, d.y), 0.0) - radius;
}

vec4 slope() {
    return mix(u_color, u_second, v_at.y / u_size.y);
}

void main() {
    vec4 color;
    if (u_kind == FILL) {
        color = u_color;
    } else if (u_kind == GRADIENT) {
        color = slope();
    } else if (u_kind == PICTURE) {
        color = texture2D(u_picture, v_at / u_size) * u_color;
        color *= 1.0 - smoothstep(-0.5, 0.5, outside(u_size * 0.5, u_radius));
    } else if (u_kind == SHADOW) {
        float away = max(outside(u_size * 0.5 - u_border, u_radius), 0.0) / u_border;
        color = u_color * exp(-4.0 * away * away);
    } else {
        float distance = outside(u_size * 0.5 - 1.0, u_radius);
        float inside = 1.0 - smoothstep(-0.5, 0.5, distance);
        float edge = 1.0 - smoothstep(-0.5, 0.5, abs(distance + u_border) - u_border * 0.5);
        color = mix(slope(), u_edge, edge) * inside;
    }
    gl_FragColor = color;
}
