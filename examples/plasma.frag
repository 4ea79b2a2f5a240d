// Four waves added, their sum turned into a colour: the classic.
precision highp float;
varying vec2 v_place;
uniform float u_time;

void main() {
    vec2 p = v_place * 3.0;
    float sum = sin(p.x * 1.7 + u_time);
    sum += sin(0.8 * (p.y * 2.0 + u_time));
    sum += sin(0.9 * (p.x + p.y) + u_time * 0.7);
    vec2 c = p + vec2(sin(u_time * 0.4), cos(u_time * 0.3));
    sum += sin(sqrt(dot(c, c) * 4.0 + 1.0) + u_time);
    vec3 phase = vec3(0.0, 2.0944, 4.1888);
    vec3 color = 0.5 + 0.5 * sin(sum * 1.5708 + phase);
    gl_FragColor = vec4(color * vec3(0.9, 0.8, 1.0), 1.0);
}
