precision mediump float;
uniform sampler2D road;
uniform sampler2D sleepers;
uniform vec4 highlight;        // from, to, strength, pulse
uniform vec3 sun;
varying vec3 wn;
varying vec2 tc;
varying highp float along;
void main()
{
    vec4 a = texture2D(road, tc);
    vec4 b = texture2D(sleepers, vec2(tc.x, fract(along * 4.0)));
    vec3 c = mix(a.rgb, b.rgb, b.a);
    c *= 0.3 + 0.7 * clamp(dot(normalize(wn), sun), 0.0, 1.0);
    bool on = along >= highlight.x && along < highlight.y;
    if (on && highlight.z > 0.0)
        c += vec3(0.1, 0.6, 1.0) * highlight.z * (0.5 + 0.5 * sin(along * 20.0 - highlight.w));
    gl_FragColor = vec4(c, a.a);
}
