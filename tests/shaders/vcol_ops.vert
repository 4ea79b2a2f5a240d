// vertex-colour driven: rgb = baked light, a encodes material index * 16 + flags
attribute highp vec3 pos;
attribute lowp vec4 col;
attribute mediump vec2 uv;
uniform highp mat4 mvp;
uniform lowp vec4 palette[16];
uniform mediump float time;
uniform bool useHueShift;
uniform lowp vec3 timeOfDay;
varying lowp vec4 vcol;
varying mediump vec2 vuv;

lowp vec3 hueShift(lowp vec3 c, mediump float a)
{
    const mediump vec3 k = vec3(0.57735);
    mediump float ca = cos(a);
    return c * ca + cross(k, c) * sin(a) + k * dot(k, c) * (1.0 - ca);
}

void main()
{
    int code = int(floor(col.a * 255.0 + 0.5));
    int mat = code / 16;
    int flags = code - mat * 16;
    bool emissive = flags >= 8;
    if (emissive) flags -= 8;
    bool blink = flags >= 4;
    if (blink) flags -= 4;
    bool scroll = flags >= 2;
    if (scroll) flags -= 2;
    bool wet = flags == 1;

    lowp vec4 base = palette[mat];
    lowp vec3 c = emissive ? base.rgb : base.rgb * col.rgb * timeOfDay;
    if (blink)
        c *= step(0.5, fract(time * 1.5 + pos.x * 0.13));
    if (wet)
        c = mix(c, c * c, 0.7);
    if (useHueShift)
        c = hueShift(c, time);
    vcol = vec4(clamp(c, 0.0, 1.0), base.a);
    vuv = uv;
    if (scroll)
        vuv.x += fract(time * 0.25);
    gl_Position = mvp * vec4(pos, 1.0);
}
