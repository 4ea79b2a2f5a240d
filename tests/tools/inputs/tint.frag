precision mediump float;
uniform sampler2D u_picture;
uniform vec4 u_tint;
varying vec2 v_texcoord;

void main() {
    gl_FragColor = texture2D(u_picture, v_texcoord) * u_tint;
}
