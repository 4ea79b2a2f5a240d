attribute vec4 position;
attribute vec2 uv0;
uniform vec4 sourceSize;    // w, h, 1/w, 1/h
varying vec4 t1;   // centre, step
varying vec4 t2;   // diagonal corners
void main() {
    gl_Position = position;
    t1 = vec4(uv0, sourceSize.zw);
    t2 = vec4(uv0 - sourceSize.zw, uv0 + sourceSize.zw);
}
