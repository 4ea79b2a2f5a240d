// pictures with tint, greyscale, opacity and a mask
// draws: u_grey=0; u_mask=0 | u_grey=1; u_mask=0 | u_grey=0; u_mask=1
precision mediump float;
uniform float u_grey;
uniform int u_mask;
uniform sampler2D u_picture, u_shape;
uniform vec4 u_tint;
varying vec2 v_uv, v_mask;
void main() {
    vec4 c = texture2D(u_picture, v_uv) * u_tint;
    if (u_grey > 0.0)
        c.rgb = mix(c.rgb, vec3(dot(c.rgb, vec3(0.299, 0.587, 0.114))), u_grey);
    if (u_mask != 0)
        c *= texture2D(u_shape, v_mask).a;
    gl_FragColor = c;
}
