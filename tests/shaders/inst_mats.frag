#version 100
precision mediump float;
uniform sampler2D u_matcap;
uniform sampler2D u_diffuse;
uniform float u_matcapAmount;
varying vec4 v_color;
varying vec3 v_nv;
varying vec2 v_uv;
void main()
{
    vec3 n = normalize(v_nv);
    vec3 mc = texture2D(u_matcap, n.xy * 0.495 + 0.5).rgb;
    vec4 d = texture2D(u_diffuse, v_uv) * v_color;
    gl_FragColor = vec4(d.rgb * mix(vec3(1.0), mc * 2.0, u_matcapAmount), d.a);
}
