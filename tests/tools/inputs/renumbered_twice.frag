precision mediump float;
/* a #line in a comment counts for nothing:
#line 7
*/
#line 20
float f() { return first; }
#line 100 2
void main() {
    gl_FragColor = vec4(second);
}
