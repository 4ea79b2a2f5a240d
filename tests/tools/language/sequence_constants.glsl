ES 1.00: the last of a sequence of constants is a constant; other sequences keep what they do.
--- fragment
precision mediump float;
const float k = (0.0, -1.0 + 2.0, 4.0);
float three() { return 3.0; }
void main() {
    float a[(2, 3)];
    a[2] = (1.0, 2.0, three());
    int i = 0;
    float b = (i++, 5.0), c = max(1.0, 2.0);
    if ((1, 2, i) == 1 && a[2] == 3.0 && b == 5.0 && c == 2.0 && k == 4.0)
        gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0);
    else
        gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
