// particles: plain, with a texture, soft at surfaces
// draws: u_texture=0; u_soft=0 | u_texture=1; u_soft=0 | u_texture=1; u_soft=1
precision mediump float;
uniform bool u_texture, u_soft;
uniform sampler2D u_sprite, u_depth;
uniform vec4 u_color;
varying vec2 v_uv, v_screen;
varying float v_z;
void main() {
    vec4 c = u_color;
    if (u_texture)
        c *= texture2D(u_sprite, v_uv);
    else
        c *= 1.0 - smoothstep(0.3, 0.5, length(v_uv - 0.5));
    if (u_soft)
        c.a *= clamp((texture2D(u_depth, v_screen).r - v_z) * 8.0, 0.0, 1.0);
    gl_FragColor = c;
}
