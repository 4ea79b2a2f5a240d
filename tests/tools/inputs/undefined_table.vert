attribute vec4 position;
varying vec2 v_zero;
void main() {
    gl_Position = position;
    v_zero = position.zz;
}
