precision mediump float;
uniform sampler2D u_s0, u_s1;
uniform int u_envMode[2];
uniform int u_combRGB, u_combA, u_alphaFunc, u_fogMode;
uniform ivec3 u_srcRGB, u_opRGB;
uniform vec4 u_envColor[2];
uniform vec4 u_fogColor;
uniform vec3 u_fog; // density, start, end
uniform float u_alphaRef, u_combScale;
uniform bool u_texOn[2];
uniform bvec3 u_clipOn;
varying vec4 v_front, v_back, v_tex;
varying vec3 v_clip;
varying vec2 v_misc;
vec4 prev, prim, tex;
vec3 fetchSrc(int s, int op)
{
    vec4 r;
    if (s == 0) r = tex; else if (s == 1) r = u_envColor[1]; else if (s == 2) r = prim; else r = prev;
    if (op == 0) return r.rgb;
    if (op == 1) return 1.0 - r.rgb;
    if (op == 2) return r.aaa;
    return vec3(1.0 - r.a);
}
bool alphaPass(float a)
{
    if (u_alphaFunc == 0) return false;
    else if (u_alphaFunc == 1) return a < u_alphaRef;
    else if (u_alphaFunc == 2) return a == u_alphaRef;
    else if (u_alphaFunc == 3) return a <= u_alphaRef;
    else if (u_alphaFunc == 4) return a > u_alphaRef;
    else if (u_alphaFunc == 5) return a != u_alphaRef;
    else if (u_alphaFunc == 6) return a >= u_alphaRef;
    return true;
}
void main()
{
    if ((u_clipOn.x && v_clip.x < 0.0) || (u_clipOn.y && v_clip.y < 0.0) || (u_clipOn.z && v_clip.z < 0.0)) discard;
    prim = gl_FrontFacing ? v_front : v_back;
    prev = prim;
    if (u_texOn[0]) {
        tex = texture2D(u_s0, v_tex.xy);
        if (u_envMode[0] == 0) prev = tex;
        else if (u_envMode[0] == 1) prev *= tex;
        else if (u_envMode[0] == 2) prev.rgb = mix(prev.rgb, tex.rgb, tex.a);
        else if (u_envMode[0] == 3) prev = vec4(mix(prev.rgb, u_envColor[0].rgb, tex.rgb), prev.a * tex.a);
        else if (u_envMode[0] == 4) prev = vec4(min(prev.rgb + tex.rgb, 1.0), prev.a * tex.a);
    }
    if (u_texOn[1]) {
        tex = texture2D(u_s1, v_tex.zw);
        vec3 a0 = fetchSrc(u_srcRGB.x, u_opRGB.x), a1 = fetchSrc(u_srcRGB.y, u_opRGB.y), a2 = fetchSrc(u_srcRGB.z, u_opRGB.z);
        vec3 r;
        if (u_combRGB == 0) r = a0;
        else if (u_combRGB == 1) r = a0 * a1;
        else if (u_combRGB == 2) r = a0 + a1;
        else if (u_combRGB == 3) r = a0 + a1 - 0.5;
        else if (u_combRGB == 4) r = a0 * a2 + a1 * (1.0 - a2);
        else if (u_combRGB == 5) r = a0 - a1;
        else r = vec3(4.0 * dot(a0 - 0.5, a1 - 0.5));
        float al = (u_combA == 0) ? tex.a : (u_combA == 1) ? tex.a * prev.a : (u_combA == 2) ? tex.a + prev.a : prev.a;
        prev = clamp(vec4(r * u_combScale, al), 0.0, 1.0);
    }
    prev.a *= v_misc.x;
    if (!alphaPass(prev.a)) discard;
    float f = 1.0;
    if (u_fogMode == 1) f = (u_fog.z - v_misc.y) / (u_fog.z - u_fog.y);
    else if (u_fogMode == 2) f = exp(-u_fog.x * v_misc.y);
    else if (u_fogMode == 3) { f = u_fog.x * v_misc.y; f = exp(-f * f); }
    gl_FragColor = vec4(mix(u_fogColor.rgb, prev.rgb, clamp(f, 0.0, 1.0)), prev.a);
}
