attribute vec4 a_position;
uniform int u_count;
varying vec4 v_color;

void main() {
    vec4 sum = a_position;
    for (int i = 0; i < 1000; i++) {
        if (i >= u_count)
            break;
        sum = sum * 0.5 + a_position;
    }
    v_color = sum;
    gl_Position = sum;
}
