// REFUSED 7:38 fragment shader: 'table' has 1200 words, too many to be indexed at run time so often
precision highp float;
varying vec4 v;
float table[1200];
void main() {
    for (int i = 0; i < 1200; i++)
        table[i] = fract(v.x * float(i));
    float sum = 0.0;
    for (int i = 0; i < 9; i++)
        sum = table[int(abs(sum + v[0] * float(i)))];
    gl_FragColor = vec4(sum);
}
