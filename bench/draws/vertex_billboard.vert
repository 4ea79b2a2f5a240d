// leaves and signs: as modelled, turned to the eye, moved by the wind
// draws: u_face=0; u_wind=0 | u_face=1; u_wind=0 | u_face=1; u_wind=1
// always: u_right=1,0,0; u_up=0,1,0
uniform bool u_face, u_wind;
uniform mat4 u_mvp;
uniform vec3 u_right, u_up;
uniform float u_time;
attribute vec4 a_position;
attribute vec2 a_uv;
varying vec2 v_uv;
void main() {
    vec3 p = a_position.xyz;
    if (u_face)
        p = u_right * a_position.x + u_up * a_position.y;
    if (u_wind) {
        float s = sin(u_time + p.x * 3.0) + 0.5 * sin(u_time * 2.3 + p.y * 5.0);
        p.xz += vec2(s, s * 0.5) * a_uv.y * 0.1;
    }
    v_uv = a_uv;
    gl_Position = u_mvp * vec4(p, 1.0);
}
