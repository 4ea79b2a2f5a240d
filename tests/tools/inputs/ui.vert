attribute vec4 a_position;
attribute vec2 a_texcoord;
varying vec2 v;
void main() {
    gl_Position = a_position;
    v = a_texcoord;
}
