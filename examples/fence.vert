attribute vec3 a_position;
attribute vec3 a_normal;
attribute vec2 a_texcoord;

uniform mat4 u_modelViewProjection;
uniform mat3 u_normalMatrix;

varying vec2 v_texcoord;
varying vec3 v_normal;

void main() {
    v_texcoord = a_texcoord;
    v_normal = u_normalMatrix * a_normal;
    gl_Position = u_modelViewProjection * vec4(a_position, 1.0);
}
