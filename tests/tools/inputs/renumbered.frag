precision mediump float;
#line 40
void main() {
    gl_FragColor = vec4(nowhere);
}
