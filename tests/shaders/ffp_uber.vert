// fixed function emulation: lighting
struct LightSrc { vec4 position; vec4 ambient; vec4 diffuse; vec4 specular; vec4 spotDir; vec4 atten; };
uniform LightSrc u_light[8];
uniform bool u_lightOn[8];
uniform bool u_lighting, u_colorMaterial, u_normalize, u_rescale, u_twoSide, u_localViewer;
uniform vec4 u_matEmission, u_matAmbient, u_matDiffuse, u_matSpecular, u_sceneAmbient;
uniform float u_matShininess, u_rescaleFactor;
uniform mat4 u_mv, u_proj, u_tex0;
uniform mat3 u_nm;
uniform vec4 u_clip[3];
uniform vec3 u_pointAtt;
uniform vec4 u_pointSize; // size,min,max,fade
attribute vec4 a_pos;
attribute vec3 a_nrm;
attribute vec4 a_col;
attribute vec4 a_tex0;
attribute vec2 a_tex1;
varying vec4 v_front, v_back, v_tex;
varying vec3 v_clip;
varying vec2 v_misc;
void lightOne(const in LightSrc L, in vec3 P, in vec3 N, in vec3 E, inout vec4 amb, inout vec4 dif, inout vec4 spc)
{
    vec3 V; float att = 1.0;
    if (L.position.w == 0.0) { V = normalize(L.position.xyz); }
    else {
        V = L.position.xyz / L.position.w - P;
        float d = length(V);
        V /= d;
        att = 1.0 / (L.atten.x + d * (L.atten.y + d * L.atten.z));
        if (L.spotDir.w > -1.0) {
            float sd = dot(-V, normalize(L.spotDir.xyz));
            att *= (sd < L.spotDir.w) ? 0.0 : pow(sd, L.atten.w);
        }
    }
    float nl = max(0.0, dot(N, V));
    float nh = max(0.0, dot(N, normalize(V + E)));
    float pf = (nl == 0.0) ? 0.0 : pow(nh, u_matShininess);
    amb += L.ambient * att;
    dif += L.diffuse * nl * att;
    spc += L.specular * pf * att;
}
void main()
{
    vec4 eye = u_mv * a_pos;
    vec3 N = u_nm * a_nrm;
    if (u_rescale) N *= u_rescaleFactor;
    if (u_normalize) N = normalize(N);
    vec3 E = u_localViewer ? -normalize(eye.xyz) : vec3(0.0, 0.0, 1.0);
    gl_Position = u_proj * eye;
    if (u_lighting) {
        vec4 ma = u_colorMaterial ? a_col : u_matAmbient, md = u_colorMaterial ? a_col : u_matDiffuse;
        vec4 A = vec4(0.0), D = vec4(0.0), S = vec4(0.0);
        for (int i = 0; i < 8; i++)
            if (u_lightOn[i]) lightOne(u_light[i], eye.xyz, N, E, A, D, S);
        vec4 base = u_matEmission + ma * u_sceneAmbient;
        v_front = clamp(base + A * ma + D * md + S * u_matSpecular, 0.0, 1.0);
        v_front.a = md.a;
        v_back = v_front;
        if (u_twoSide) {
            // only the first light for the back
            vec4 A2 = vec4(0.0), D2 = A2, S2 = A2;
            lightOne(u_light[0], eye.xyz, -N, E, A2, D2, S2);
            v_back = vec4(clamp(base + A2 * ma + D2 * md + S2 * u_matSpecular, 0.0, 1.0).rgb, md.a);
        }
    } else { v_front = a_col; v_back = a_col; }
    v_tex.xy = (u_tex0 * a_tex0).xy;
    v_tex.zw = a_tex1;
    for (int i = 0; i < 3; ++i) v_clip[i] = dot(eye, u_clip[i]);
    float dist = length(eye.xyz);
    float sz = u_pointSize.x * inversesqrt(u_pointAtt.x + u_pointAtt.y * dist + u_pointAtt.z * dist * dist);
    float cl = clamp(sz, u_pointSize.y, u_pointSize.z);
    v_misc.x = (cl < u_pointSize.w) ? (cl / u_pointSize.w) * (cl / u_pointSize.w) : 1.0;
    v_misc.y = -eye.z;
    gl_PointSize = max(cl, u_pointSize.w);
}
