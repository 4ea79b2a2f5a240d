// texture coordinates: given, by a matrix, from the normal, from the reflection
// draws: u_gen=0 | u_gen=1 | u_gen=2 | u_gen=3
uniform int u_gen;
uniform mat4 u_mvp, u_texture;
uniform vec3 u_eye;
attribute vec4 a_position;
attribute vec3 a_normal;
attribute vec2 a_uv;
varying vec2 v_uv;
void main() {
    if (u_gen == 0)
        v_uv = a_uv;
    else if (u_gen == 1)
        v_uv = (u_texture * vec4(a_uv, 0.0, 1.0)).xy;
    else if (u_gen == 2)
        v_uv = normalize(a_normal).xy * 0.5 + 0.5;
    else {
        vec3 r = reflect(normalize(a_position.xyz - u_eye), normalize(a_normal));
        v_uv = r.xy / (2.0 * length(vec3(r.xy, r.z + 1.0))) + 0.5;
    }
    gl_Position = u_mvp * a_position;
}
