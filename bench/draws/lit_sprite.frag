// sprites of a game: flash, palette, outline
// draws: u_flash=0; u_palette=0; u_outline=0 | u_flash=1; u_palette=0; u_outline=0 | u_flash=0; u_palette=1; u_outline=0 | u_flash=0; u_palette=1; u_outline=1
precision mediump float;
uniform float u_flash;
uniform bool u_palette, u_outline;
uniform sampler2D u_sprite, u_colors;
uniform vec2 u_pixel;
uniform vec4 u_line;
varying vec2 v_uv;
void main() {
    vec4 c = texture2D(u_sprite, v_uv);
    float a = c.a;
    if (u_palette)
        c = texture2D(u_colors, vec2(c.r, 0.5));
    if (u_outline) {
        float o = max(max(texture2D(u_sprite, v_uv + vec2(u_pixel.x, 0.0)).a, texture2D(u_sprite, v_uv - vec2(u_pixel.x, 0.0)).a),
                      max(texture2D(u_sprite, v_uv + vec2(0.0, u_pixel.y)).a, texture2D(u_sprite, v_uv - vec2(0.0, u_pixel.y)).a));
        c = mix(u_line * o, c, a);
    }
    if (u_flash > 0.0)
        c.rgb = mix(c.rgb, vec3(1.0), u_flash);
    gl_FragColor = c;
}
