precision mediump float;
#line 1
void main() { gl_FragColor = vec4(either); }
