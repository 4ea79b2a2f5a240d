precision mediump float;
uniform sampler2D u_tex;
uniform bool u_textured;
varying vec4 v_primary;
varying vec4 v_secondary;
varying vec2 v_uv;
void main()
{
    vec4 c = v_primary;
    if (u_textured)
        c *= texture2D(u_tex, v_uv);
    c.rgb += v_secondary.rgb;
    if (c.a <= 0.0)
        discard;
    gl_FragColor = c;
}
