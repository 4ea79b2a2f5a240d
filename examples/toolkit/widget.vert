// A rectangle of a user interface, with the place in it in its own pixels.
attribute vec2 a_position;
uniform vec2 u_size;
varying vec2 v_at;

void main() {
    v_at = (a_position * 0.5 + 0.5) * u_size;
    gl_Position = vec4(a_position, 0.0, 1.0);
}
