precision mediump float;
#ifdef NEVER
#line 70
#endif
void main() { gl_FragColor = vec4(where); }
