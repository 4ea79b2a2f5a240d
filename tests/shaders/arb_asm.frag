precision highp float;
// !!ARBfp1.0 translated
uniform vec4 fp_loc[10]; uniform sampler2D fp_t0, fp_t1; uniform samplerCube fp_t2;
varying vec4 vp_col0, vp_col1, vp_tex[3];
varying float vp_fogc;
#define SAT(x) clamp((x), 0.0, 1.0)
void main() {
 vec4 t0, t1, t2, t3; vec4 oC; float oD;
 t0 = texture2DProj(fp_t0, vp_tex[0]);
 t1.xy = t0.xy * fp_loc[0].xy + fp_loc[0].zw;
 t1 = texture2D(fp_t1, t1.xy + vp_tex[1].xy, fp_loc[1].x);
 // KIL
 t2 = t1 - fp_loc[1].yyyy; if (any(lessThan(t2, vec4(0.0)))) discard;
 t2.xyz = normalize(vp_tex[2].xyz);
 // XPD
 t3.xyz = t2.yzx * fp_loc[2].zxy - t2.zxy * fp_loc[2].yzx;
 t3.w = dot(t3.xyz, t3.xyz);
 t2 = textureCube(fp_t2, t3.xyz) * SAT(t3.wwww);
 // CMP
 t3 = vec4(lessThan(t0 - fp_loc[3], vec4(0.0))); t0 = mix(fp_loc[4], t0, t3);
 // SCS, LIT skipped by optimiser
 t3.x = cos(fp_loc[5].x); t3.y = sin(fp_loc[5].x); t3.zw = vec2(0.0, 1.0);
 t1.xy = vec2(dot(t1.xy, vec2(t3.x, -t3.y)), dot(t1.xy, t3.yx));
 // LRP
 oC = fp_loc[6] * t0 + (vec4(1.0) - fp_loc[6]) * t1;
 oC = SAT(oC * vp_col0 + vp_col1);
 oC.xyz = oC.xyz + t2.xyz * fp_loc[7].xyz;
 t3.x = SAT(vp_fogc * fp_loc[8].x + fp_loc[8].y);
 oC.xyz = mix(fp_loc[9].xyz, oC.xyz, t3.x);
 oD = gl_FragCoord.z;
 gl_FragColor = oC;
}
