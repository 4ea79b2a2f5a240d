attribute vec4 position;
varying vec2 v_at;
uniform mediump float u_zero;
void main() {
    gl_Position = position;
    v_at = position.xy * 0.5 + 0.5 + vec2(sqrt(position.x) * u_zero);
}
