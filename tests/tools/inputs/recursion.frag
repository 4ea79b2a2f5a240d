precision mediump float;
float odd(float n);
float even(float n) { return n < 1.0 ? 1.0 : odd(n - 1.0); }
float odd(float n) { return n < 1.0 ? 0.0 : even(n - 1.0); }

void main() {
    gl_FragColor = vec4(even(4.0));
}
