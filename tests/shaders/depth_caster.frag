precision highp float;
uniform sampler2D uMask;
uniform float uCut;
uniform int uFormat;           // 0 rgba8, 1 rg pair, 2 exponential
uniform float uEsmK;
varying vec2 vUv;
varying vec2 vDepth;
vec4 packRGBA(float d)
{
    vec4 e = fract(d * vec4(1.0, 255.0, 65025.0, 16581375.0));
    e -= e.yzww * vec4(1.0 / 255.0, 1.0 / 255.0, 1.0 / 255.0, 0.0);
    return e;
}
vec2 packHalf(float d)
{
    vec2 e = vec2(d, fract(d * 255.0));
    return vec2(e.x - e.y / 255.0, e.y);
}
void main()
{
    if (uCut > 0.0 && texture2D(uMask, vUv).a < uCut)
        discard;
    float d = vDepth.x / vDepth.y * 0.5 + 0.5;
    d = clamp(d, 0.0, 0.999999);
    if (uFormat == 0)
        gl_FragColor = packRGBA(d);
    else if (uFormat == 1)
        gl_FragColor = vec4(packHalf(d), packHalf(d * d));
    else
        gl_FragColor = packRGBA(exp(uEsmK * (d - 1.0)) * 0.999);
}
