// a face between up to three shapes
// draws: u_shapes=0 | u_shapes=1 | u_shapes=3
// always: u_weight[0]=0; u_weight[1]=0; u_weight[2]=0
uniform int u_shapes;
uniform float u_weight[3];
uniform mat4 u_mvp;
attribute vec4 a_position;
attribute vec3 a_first, a_second, a_third, a_normal;
varying vec3 v_normal;
void main() {
    vec3 p = a_position.xyz;
    if (u_shapes > 0)
        p += a_first * u_weight[0];
    if (u_shapes > 1)
        p += a_second * u_weight[1];
    if (u_shapes > 2)
        p += a_third * u_weight[2];
    v_normal = normalize(a_normal + p * 0.01);
    gl_Position = u_mvp * vec4(p, 1.0);
}
