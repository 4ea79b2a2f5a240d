attribute vec3 a_pos;
attribute vec3 a_normal;
uniform mat4 u_world;
uniform mat4 u_viewProj;
uniform vec3 u_eye;
varying vec3 v_local;
varying vec3 v_normal;
varying vec3 v_toEye;
void main() {
	vec4 w = u_world * vec4(a_pos, 1.0);
	v_local = a_pos;
	v_normal = (u_world * vec4(a_normal, 0.0)).xyz;
	v_toEye = u_eye - w.xyz;
	gl_Position = u_viewProj * w;
}
