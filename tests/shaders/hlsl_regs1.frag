#version 100
precision highp float;
uniform vec4 pc[12];
uniform sampler2D s0;
uniform sampler2D s1;
varying vec4 oT0;
varying vec4 oT1;
varying vec4 oT2;
varying vec4 oD0;
void main()
{
    vec4 r0, r1, r2, r3, r4;
    const vec4 c12 = vec4(2.0, -1.0, 0.5, 1.0);
    const vec4 c13 = vec4(0.299, 0.587, 0.114, 0.0);
    r0 = texture2D(s0, oT0.xy);
    r1 = texture2D(s1, oT0.wz);
    r1.xyz = r1.xyz * c12.xxx + c12.yyy;
    r2.w = dot(oT2.xyz, oT2.xyz);
    r2.w = inversesqrt(r2.w);
    r2.xyz = oT2.xyz * r2.www;
    r3.x = dot(r1.xyz, pc[0].xyz);
    r3.y = dot(r1.xyz, pc[1].xyz);
    r3.z = dot(r1.xyz, r2.xyz);
    r3.xyz = normalize(r3.xyz);
    r3.w = clamp(dot(r3.xyz, pc[2].xyz), 0.0, 1.0);
    r4 = r3.wwww * pc[3] + pc[4];
    r4 = clamp(r4 * oD0, 0.0, 1.0);
    r0 = r0 * r4;
    r1.w = r0.w + -pc[5].x;
    if (any(lessThan(vec4(r1.w), vec4(0.0)))) discard;
    r2.x = dot(r0.xyz, c13.xyz);
    r2.yzw = mix(r2.xxx, r0.xyz, pc[6].xyz);
    // cmp r0.xyz, pc7.x, r2.yzw, r0.xyz
    r0.xyz = vec3((pc[7].x >= 0.0) ? r2.y : r0.x, (pc[7].y >= 0.0) ? r2.z : r0.y, (pc[7].z >= 0.0) ? r2.w : r0.z);
    r0.xyz = oT1.xyz * pc[8].xyz + r0.xyz;
    r1.xyz = -pc[9].xyz + r0.xyz;
    r0.xyz = oT1.www * r1.xyz + pc[9].xyz;
    r3.xyz = clamp(r0.xyz, 0.0, 1.0);
    r0.xyz = pow(abs(r3.xyz), pc[10].xxx);
    gl_FragColor = vec4(r0.xyz, r0.w * pc[11].w);
}
