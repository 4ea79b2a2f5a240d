#extension GL_EXT_control_flow_attributes : enable
precision mediump float;
uniform sampler2D picture;
uniform float taps, fade;
varying vec2 at;

void main() {
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 12; i++) {
        if (float(i) >= taps) break;
        sum += texture2D(picture, at + float(i) * 0.01);
    }
    [[dont_unroll]] for (int i = 0; i < 4; i++)
        sum = sum * sum + 0.1;
    [[unroll]] for (int i = 0; float(i) < taps; i++)
        sum *= 0.99;
    [[branch]] if (at.x > 0.5)
        sum = sum.bgra;
    if (fade > 0.5)
        sum *= fade;
    gl_FragColor = sum;
}
