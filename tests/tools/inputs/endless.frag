precision mediump float;
uniform float u_step;

float grow(float x) {
    while (true) {
        x += u_step;
        if (x > 4.0)
            x = 0.0;
    }
    return x;
}

void main() {
    gl_FragColor = vec4(grow(0.5));
}
