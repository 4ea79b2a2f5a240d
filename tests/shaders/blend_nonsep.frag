precision highp float;
varying vec4 uvs;
uniform sampler2D src;
uniform sampler2D dst;
uniform int mode;   // 0 hue, 1 saturation, 2 color, 3 luminosity, 4 darker, 5 lighter

float lum(vec3 c) { return dot(c, vec3(0.3, 0.59, 0.11)); }
float sat(vec3 c) { return max(c.r, max(c.g, c.b)) - min(c.r, min(c.g, c.b)); }

vec3 clipColor(vec3 c) {
    float l = lum(c);
    float n = min(c.r, min(c.g, c.b));
    float x = max(c.r, max(c.g, c.b));
    if (n < 0.0) c = l + (c - l) * l / (l - n);
    if (x > 1.0) c = l + (c - l) * (1.0 - l) / (x - l);
    return c;
}

vec3 setLum(vec3 c, float l) { return clipColor(c + (l - lum(c))); }

void setSatSorted(inout float mn, inout float md, inout float mx, float s) {
    if (mx > mn) {
        md = (md - mn) * s / (mx - mn);
        mx = s;
    } else {
        md = 0.0;
        mx = 0.0;
    }
    mn = 0.0;
}

vec3 setSat(vec3 c, float s) {
    if (c.r <= c.g) {
        if (c.g <= c.b) setSatSorted(c.r, c.g, c.b, s);
        else if (c.r <= c.b) setSatSorted(c.r, c.b, c.g, s);
        else setSatSorted(c.b, c.r, c.g, s);
    } else {
        if (c.r <= c.b) setSatSorted(c.g, c.r, c.b, s);
        else if (c.g <= c.b) setSatSorted(c.g, c.b, c.r, s);
        else setSatSorted(c.b, c.g, c.r, s);
    }
    return c;
}

void main() {
    vec4 s = texture2D(src, uvs.xy);
    vec4 d = texture2D(dst, uvs.zw);
    vec3 cs = s.a > 0.0 ? s.rgb / s.a : vec3(0.0);
    vec3 cb = d.a > 0.0 ? d.rgb / d.a : vec3(0.0);
    vec3 r = cs;
    if (mode == 0) r = setLum(setSat(cs, sat(cb)), lum(cb));
    else if (mode == 1) r = setLum(setSat(cb, sat(cs)), lum(cb));
    else if (mode == 2) r = setLum(cs, lum(cb));
    else if (mode == 3) r = setLum(cb, lum(cs));
    else if (mode == 4) r = lum(cs) < lum(cb) ? cs : cb;
    else if (mode == 5) r = lum(cs) > lum(cb) ? cs : cb;
    vec3 co = s.rgb * (1.0 - d.a) + d.rgb * (1.0 - s.a) + r * s.a * d.a;
    gl_FragColor = vec4(co, s.a + d.a - s.a * d.a);
}
