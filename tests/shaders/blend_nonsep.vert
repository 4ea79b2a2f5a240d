attribute vec4 a;
varying vec4 uvs;
uniform vec4 backdropXform;
void main() {
    gl_Position = vec4(a.xy, 0.0, 1.0);
    uvs = vec4(a.zw, a.xy * backdropXform.xy + backdropXform.zw);
}
