attribute vec2 a_pos;
uniform mat3 u_view;
uniform mat3 u_paint;
varying vec2 v_paint;
void main() {
    v_paint = (u_paint * vec3(a_pos, 1.0)).xy;
    vec3 p = u_view * vec3(a_pos, 1.0);
    gl_Position = vec4(p.xy, 0.0, 1.0);
}
