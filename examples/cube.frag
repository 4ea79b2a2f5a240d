// One texture lookup, one multiplication.
precision mediump float;
uniform sampler2D u_crate;
varying vec2 v_texcoord;
varying float v_light;

void main() {
    vec4 texel = texture2D(u_crate, v_texcoord);
    gl_FragColor = vec4(texel.rgb * v_light, texel.a);
}
