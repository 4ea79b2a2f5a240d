// A full-screen rectangle that hands its place on.
attribute vec2 a_position;
varying vec2 v_place;

void main() {
    v_place = a_position;
    gl_Position = vec4(a_position, 0.0, 1.0);
}
