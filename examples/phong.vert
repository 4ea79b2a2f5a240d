attribute vec3 a_position;
attribute vec3 a_normal;

uniform mat4 u_modelView;
uniform mat4 u_modelViewProjection;
uniform mat3 u_normalMatrix;

varying vec3 v_normal;
varying vec3 v_eye;

void main() {
    v_normal = u_normalMatrix * a_normal;
    v_eye = -vec3(u_modelView * vec4(a_position, 1.0));
    gl_Position = u_modelViewProjection * vec4(a_position, 1.0);
}
