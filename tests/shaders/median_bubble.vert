attribute vec2 v;
varying vec2 t;
uniform vec2 flip;
void main() { t = (v * flip) * 0.5 + 0.5; gl_Position = vec4(v, 0.0, 1.0); }
