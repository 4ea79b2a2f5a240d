precision highp float;
uniform int u_count;
uniform float u_level;
varying vec2 v_texcoord;

void main() {
    float sum = 0.0;
    int n = v_texcoord.x > 0.5 ? u_count : 2;
    for (int i = 0; i < 100; i++) {
        if (i >= n)
            break;
        sum += u_level * v_texcoord.y;
    }
    gl_FragColor = vec4(sum);
}
