// vertex lighting by none to four lights
// draws: u_lights=0 | u_lights=1 | u_lights=4
uniform int u_lights;
uniform mat4 u_mvp;
uniform vec3 u_place[4], u_color[4];
attribute vec4 a_position;
attribute vec3 a_normal;
varying vec3 v_light;
void main() {
    vec3 sum = vec3(0.1);
    for (int i = 0; i < 4; i++) {
        if (i >= u_lights)
            break;
        vec3 d = u_place[i] - a_position.xyz;
        sum += u_color[i] * max(dot(a_normal, normalize(d)), 0.0) / (1.0 + dot(d, d));
    }
    v_light = sum;
    gl_Position = u_mvp * a_position;
}
