// four lights, each directional or a point, or off
// draws: u_kind=0,0,0,0 | u_kind=1,0,0,0 | u_kind=1,2,0,0 | u_kind=1,2,2,2
precision mediump float;
uniform ivec4 u_kind;
uniform vec3 u_place[4], u_color[4], u_albedo;
varying vec3 v_normal, v_world;
vec3 light(int kind, vec3 place, vec3 color, vec3 n) {
    vec3 c = vec3(0.0);
    if (kind == 1)
        c = color * max(dot(n, place), 0.0);
    else if (kind == 2) {
        vec3 d = place - v_world;
        c = color * max(dot(n, normalize(d)), 0.0) / (0.5 + dot(d, d));
    }
    return c;
}
void main() {
    vec3 n = normalize(v_normal);
    vec3 c = light(u_kind.x, u_place[0], u_color[0], n) + light(u_kind.y, u_place[1], u_color[1], n) +
             light(u_kind.z, u_place[2], u_color[2], n) + light(u_kind.w, u_place[3], u_color[3], n);
    gl_FragColor = vec4(u_albedo * (c + 0.1), 1.0);
}
