precision mediump float;
uniform sampler2D skin;
uniform vec4 shirtColor;
uniform vec4 pantsColor;
uniform sampler2D teamMask;
uniform bool colorize;
varying highp vec3 light;
varying highp vec2 st;
void main()
{
    vec3 c = texture2D(skin, st).rgb;
    if (colorize) {
        vec2 m = texture2D(teamMask, st).rg;
        c += shirtColor.rgb * m.r;
        c += pantsColor.rgb * m.g;
    }
    gl_FragColor = vec4(c * light * 1.4, 1.0);
}
