precision mediump float;
varying vec3 v_texcoord;
void main() { gl_FragColor = vec4(v_texcoord, 1.0); }
