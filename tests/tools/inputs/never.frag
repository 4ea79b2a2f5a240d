precision mediump float;
uniform float u_x;
void main() {
    if (u_x < 10.0)
        discard;
    gl_FragColor = vec4(u_x);
}
