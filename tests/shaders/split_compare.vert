attribute vec4 a_position;
varying vec2 v_uv;
varying float v_side;
uniform highp vec3 u_split;    // a, b, c of ax + by = c
void main() {
    v_uv = a_position.xy * 0.5 + 0.5;
    v_side = dot(v_uv, u_split.xy) - u_split.z;
    gl_Position = a_position;
}
