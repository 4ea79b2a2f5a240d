precision mediump float;
uniform sampler2D diffuseMap;
uniform sampler2D glowMap;
uniform float glowAmount;
uniform vec4 hitFlash;
varying vec4 colour;
varying vec2 oUv0;
void main()
{
    vec4 base = texture2D(diffuseMap, oUv0);
    vec4 c = base * colour;
    if (glowAmount > 0.0)
    {
        vec4 g = texture2D(glowMap, oUv0);
        c.rgb = max(c.rgb, g.rgb * glowAmount);
    }
    c.rgb = mix(c.rgb, hitFlash.rgb, hitFlash.a);
    gl_FragColor = vec4(c.rgb, base.a);
}
