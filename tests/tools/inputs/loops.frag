precision mediump float;
uniform int u_steps;
varying vec4 v_color;

void main() {
    vec4 sum = v_color;
    for (int i = 0; i < 1000; i++) {
        if (i >= u_steps)
            break;
        sum = sum * sum + v_color;
    }
    gl_FragColor = sum;
}
