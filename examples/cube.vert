// Transforms position and normal; the light comes from beside the eye.
attribute vec3 a_position;
attribute vec3 a_normal;
attribute vec2 a_texcoord;

uniform mat4 u_modelViewProjection;
uniform mat3 u_normalMatrix;

varying vec2 v_texcoord;
varying float v_light;

void main() {
    vec3 normal = u_normalMatrix * a_normal;
    v_light = 0.25 + 0.85 * max(0.0, dot(normal, vec3(0.365, 0.548, 0.753)));
    v_texcoord = a_texcoord;
    gl_Position = u_modelViewProjection * vec4(a_position, 1.0);
}
