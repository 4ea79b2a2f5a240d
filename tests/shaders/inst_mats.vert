#version 100
#define BATCH 16
attribute vec4 a_posId;      // w: instance within batch
attribute vec4 a_normUV;     // oct normal xy, uv zw
uniform mat4 u_inst[BATCH];
uniform vec4 u_instColor[BATCH];
uniform int u_instFlags[BATCH];
uniform mat4 u_vp;
uniform mat3 u_viewRot;
varying vec4 v_color;
varying vec3 v_nv;
varying vec2 v_uv;

vec3 octDecode(vec2 e)
{
    vec3 v = vec3(e, 1.0 - abs(e.x) - abs(e.y));
    if (v.z < 0.0)
        v.xy = (1.0 - abs(v.yx)) * vec2(v.x >= 0.0 ? 1.0 : -1.0, v.y >= 0.0 ? 1.0 : -1.0);
    return normalize(v);
}

void main()
{
    int id = int(a_posId.w + 0.5);
    int flags = u_instFlags[id];
    bool hidden = flags - (flags / 2) * 2 == 1;
    bool selected = (flags / 2) - (flags / 4) * 2 == 1;
    mat4 m = u_inst[id];
    v_color = u_instColor[id];
    if (selected)
        v_color.rgb = mix(v_color.rgb, vec3(1.0, 0.7, 0.0), 0.6);
    vec3 n = octDecode(a_normUV.xy);
    v_nv = u_viewRot * (mat3(m) * n);
    v_uv = a_normUV.zw;
    gl_Position = hidden ? vec4(0.0, 0.0, -2.0, 1.0) : u_vp * m * vec4(a_posId.xyz, 1.0);
}
