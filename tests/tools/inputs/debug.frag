precision highp float;
varying vec2 v_at;
uniform float u_limit, u_last;
float bounded(float amount) {
    float clipped = min(amount, u_limit);
    return clipped * 0.5;
}
void main() {
    float total = v_at.x * 3.0 + v_at.y;
    float bright = bounded(total);
    float count = 0.0;
    float i = 0.0;
    while (i < u_last) {
        count += v_at.x;
        i += 1.0;
    }
    gl_FragColor = vec4(bright, count / 10.0, 0.0, 1.0);
}
