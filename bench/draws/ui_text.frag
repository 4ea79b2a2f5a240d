// glyphs: plain coverage, or a distance field with an outline and a shadow
// draws: u_field=0; u_outline=0; u_shadow=0 | u_field=1; u_outline=0; u_shadow=0 | u_field=1; u_outline=1; u_shadow=0 | u_field=1; u_outline=1; u_shadow=1
precision mediump float;
uniform bool u_field, u_outline, u_shadow;
uniform sampler2D u_glyphs;
uniform vec4 u_color, u_line, u_dark;
uniform vec2 u_offset;
varying vec2 v_uv;
void main() {
    float s = texture2D(u_glyphs, v_uv).a;
    vec4 c = u_color * s;
    if (u_field) {
        c = u_color * smoothstep(0.45, 0.55, s);
        if (u_outline)
            c = mix(u_line * smoothstep(0.3, 0.4, s), c, smoothstep(0.45, 0.55, s));
        if (u_shadow) {
            float t = smoothstep(0.3, 0.6, texture2D(u_glyphs, v_uv - u_offset).a);
            c += u_dark * t * (1.0 - c.a);
        }
    }
    gl_FragColor = c;
}
