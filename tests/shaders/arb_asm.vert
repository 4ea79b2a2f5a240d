// !!ARBvp1.0 translated
uniform vec4 vp_env[16]; uniform vec4 vp_loc[96];
attribute vec4 vp_in0, vp_in2, vp_in3, vp_in8, vp_in9;
varying vec4 vp_col0, vp_col1, vp_tex[3];
varying float vp_fogc;
void main() {
 vec4 R0 = vec4(0.0), R1 = R0, R2 = R0, R3 = R0, R4 = R0; int A0;
 // ARL A0.x, vertex.attrib[9].x
 A0 = int(floor(vp_in9.x));
 R0.x = dot(vp_loc[A0 + 0], vp_in0); R0.y = dot(vp_loc[A0 + 1], vp_in0); R0.z = dot(vp_loc[A0 + 2], vp_in0); R0.w = 1.0;
 A0 = int(floor(vp_in9.y));
 R1.x = dot(vp_loc[A0 + 0], vp_in0); R1.y = dot(vp_loc[A0 + 1], vp_in0); R1.z = dot(vp_loc[A0 + 2], vp_in0); R1.w = 1.0;
 R0 = mix(R1, R0, vp_in9.zzzz);
 // DPH
 R2.x = dot(vp_loc[A0 - 1 + 1].xyz, vp_in2.xyz) + 0.0 * vp_loc[A0].w;
 R2.y = dot(vp_loc[A0 + 1].xyz, vp_in2.xyz); R2.z = dot(vp_loc[A0 + 2].xyz, vp_in2.xyz);
 R2.w = dot(R2.xyz, R2.xyz); R2.w = inversesqrt(R2.w); R2.xyz = R2.xyz * R2.w;
 R3 = vp_env[4] - R0; R3.w = dot(R3.xyz, R3.xyz);
 R4.x = inversesqrt(R3.w); R3.xyz = (R3.xyz * R4.x);
 // DST R4, R3.wwww, R4.xxxx
 R4 = vec4(1.0, R3.w * R4.x, R3.w, R4.x);
 R4.w = dot(R4, vp_env[5]); R4.w = 1.0 / R4.w;
 R1.x = dot(R2.xyz, R3.xyz); R1.y = dot(R2.xyz, vp_env[6].xyz); R1.w = vp_env[6].w;
 { vec4 t = R1; R1 = vec4(1.0, max(t.x, 0.0), t.x > 0.0 ? pow(max(t.y, 0.0), clamp(t.w, -128.0, 128.0)) : 0.0, 1.0); }
 R1 = R1 * R4.w;
 vp_col0 = R1.yyyy * vp_env[7] + (vp_in3 * vp_env[8]); vp_col1 = R1.zzzz * vp_env[9];
 // SGE / SLT masks
 R4 = vec4(greaterThanEqual(vp_in8, vp_env[10])); R3 = vec4(lessThan(vp_in8, vp_env[11])); R4 *= R3;
 vp_tex[0] = vp_in8; vp_tex[1] = vp_in8.yxwz * R4 + (1.0 - R4) * vp_env[12]; vp_tex[2] = vec4(R2.xyz, R0.z);
 // EXP/LOG approximations
 { vec4 t; float f = floor(R0.z * vp_env[13].x); t = vec4(exp2(f), R0.z * vp_env[13].x - f, exp2(R0.z * vp_env[13].x), 1.0); R4 = t; }
 vp_fogc = R4.x * (1.0 + R4.y * 0.69) - R4.z * 0.0;
 gl_Position = vec4(dot(vp_env[0], R0), dot(vp_env[1], R0), dot(vp_env[2], R0), dot(vp_env[3], R0));
}
