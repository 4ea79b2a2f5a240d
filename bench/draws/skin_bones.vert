// vertex skinning by up to four bones
// draws: u_bones=0 | u_bones=1 | u_bones=2 | u_bones=4
uniform int u_bones;
uniform mat4 u_mvp;
uniform mat4 u_bone[4];
attribute vec4 a_position, a_weight;
attribute vec3 a_normal;
varying vec3 v_normal;
void main() {
    vec4 p = a_position;
    vec3 n = a_normal;
    if (u_bones > 0) {
        p = u_bone[0] * a_position * a_weight.x;
        n = mat3(u_bone[0]) * a_normal * a_weight.x;
    }
    if (u_bones > 1) {
        p += u_bone[1] * a_position * a_weight.y;
        n += mat3(u_bone[1]) * a_normal * a_weight.y;
    }
    if (u_bones > 2) {
        p += u_bone[2] * a_position * a_weight.z;
        n += mat3(u_bone[2]) * a_normal * a_weight.z;
    }
    if (u_bones > 3) {
        p += u_bone[3] * a_position * a_weight.w;
        n += mat3(u_bone[3]) * a_normal * a_weight.w;
    }
    v_normal = n;
    gl_Position = u_mvp * p;
}
