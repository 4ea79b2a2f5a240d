precision mediump float;
varying vec2 v_texcoord;

void main() {
    vec3 color = vec3(missing, 0.0);
    color.q = 1.0;
    gl_FragColor = vec4(color, other);
}
