precision mediump float;
uniform float u_end;
void main() {
    float x = 0.0;
    while (gl_FragCoord.x > 30.0 && gl_FragCoord.y > 30.0 && x < u_end + 1.0) x *= 0.5;
    gl_FragColor = vec4(x);
}
