attribute vec4 a_position;
varying vec2 v_at;
void main() {
    v_at = a_position.xy * 0.5 + 0.5;
    gl_Position = vec4(a_position.xy, 0.0, 1.0);
}
