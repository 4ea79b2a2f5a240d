precision mediump float;
uniform float u;
void main() { gl_FragColor = vec4(u * (0.0 / 0.0)); }
