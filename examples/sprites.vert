// One point per attribute: place, size and colour come from its number in the spiral.
attribute vec3 a_position;
attribute vec2 a_texcoord;
varying vec3 v_color;

void main() {
    float t = a_texcoord.x;
    v_color = 0.55 + 0.45 * cos(6.2831853 * (t + vec3(0.0, 0.33, 0.67)));
    gl_PointSize = 12.0 + 14.0 * t;
    gl_Position = vec4(a_position.xy * vec2(0.75, 1.0) * 0.92, a_position.z, 1.0);
}
