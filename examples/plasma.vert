attribute vec2 a_position;
varying vec2 v_place;

void main() {
    v_place = a_position * vec2(1.3333, 1.0);
    gl_Position = vec4(a_position, 0.0, 1.0);
}
