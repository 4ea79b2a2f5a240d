precision lowp float;
uniform sampler2D detail;
uniform vec4 flash;
varying lowp vec4 vcol;
varying mediump vec2 vuv;
void main()
{
    vec4 d = texture2D(detail, vuv);
    vec3 lo = 2.0 * vcol.rgb * d.rgb;
    vec3 hi = 1.0 - 2.0 * (1.0 - vcol.rgb) * (1.0 - d.rgb);
    vec3 sel = step(0.5, vcol.rgb);
    vec3 c = mix(lo, hi, sel);
    if (flash.a > 0.0)
        c = mix(c, flash.rgb, flash.a);
    gl_FragColor = vec4(c, vcol.a * d.a);
}
