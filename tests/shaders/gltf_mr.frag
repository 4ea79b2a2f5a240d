#define HAS_NORMALS 1
#define HAS_TANGENTS 1
#define HAS_BASECOLORMAP
#define HAS_NORMALMAP
#define HAS_METALROUGHNESSMAP
#define HAS_OCCLUSIONMAP
#define USE_IBL
#define LIGHT_COUNT 3
#define ALPHAMODE_MASK
#define TONEMAP 2
//#define USE_CLEARCOAT
#define DEBUG_OUT 0
precision highp float;
struct Light { vec3 direction; float range; vec3 color; float intensity; vec3 position; float innerConeCos; float outerConeCos; int type; };
uniform Light u_Lights[LIGHT_COUNT];
uniform samplerCube u_Env;
uniform sampler2D u_Base, u_Norm, u_MR, u_Occ, u_Lut;
uniform vec4 u_BaseFactor, u_ScaleOcc; uniform vec2 u_MRFactor; uniform vec3 u_Camera; uniform float u_Cutoff, u_Exposure, u_EnvMips;
varying vec3 v_Position; varying vec4 v_UV; varying vec4 v_Color;
#ifdef HAS_NORMALS
# ifdef HAS_TANGENTS
varying mat3 v_TBN;
# else
varying vec3 v_Normal;
# endif
#endif
const float M_PI = 3.141592653589793;
const float MIN_R = 0.04;
#define SRGB(c) pow((c), vec3(2.2))
struct Mat { float r; float a2; vec3 f0; vec3 f90; vec3 diff; };
vec3 getN() {
#ifdef HAS_NORMALMAP
  vec3 n = texture2D(u_Norm, v_UV.xy).rgb;
  n = normalize((2.0 * n - 1.0) * vec3(u_ScaleOcc.x, u_ScaleOcc.x, 1.0));
  return normalize(v_TBN * n);
#elif defined(HAS_TANGENTS)
  return normalize(v_TBN[2]);
#else
  return normalize(v_Normal);
#endif
}
float Vis(float nl, float nv, float a2) { return 0.5 / max(nl * sqrt(nv * nv * (1.0 - a2) + a2) + nv * sqrt(nl * nl * (1.0 - a2) + a2), 1e-5); }
float Dist(float nh, float a2) { float f = (nh * a2 - nh) * nh + 1.0; return a2 / (M_PI * f * f); }
float rangeAtt(float range, float d) { return range <= 0.0 ? 1.0 / (d * d) : max(min(1.0 - pow(d / range, 4.0), 1.0), 0.0) / (d * d); }
float spotAtt(vec3 l, Light L) { float c = dot(normalize(L.direction), normalize(-l)); return c > L.outerConeCos ? (c < L.innerConeCos ? smoothstep(L.outerConeCos, L.innerConeCos, c) : 1.0) : 0.0; }
vec3 shade(Light L, Mat m, vec3 N, vec3 V) {
  vec3 toL = L.type == 0 ? -L.direction : L.position - v_Position;
  float att = 1.0;
  if (L.type != 0) att = rangeAtt(L.range, length(toL));
  if (L.type == 2) att *= spotAtt(toL, L);
  vec3 l = normalize(toL), h = normalize(l + V);
  float nl = clamp(dot(N, l), 0.0, 1.0), nv = clamp(dot(N, V), 0.001, 1.0), nh = clamp(dot(N, h), 0.0, 1.0), vh = clamp(dot(V, h), 0.0, 1.0);
  if (nl > 0.0) {
    vec3 F = m.f0 + (m.f90 - m.f0) * pow(1.0 - vh, 5.0);
    return att * L.intensity * L.color * nl * ((1.0 - F) * m.diff / M_PI + F * Vis(nl, nv, m.a2) * Dist(nh, m.a2));
  }
  return vec3(0.0);
}
vec3 tone(vec3 c) {
  c *= u_Exposure;
#if TONEMAP == 1
  c = c / (c + 1.0);
#elif TONEMAP == 2
  c = clamp((c * (2.51 * c + 0.03)) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0);
#endif
  return pow(c, vec3(1.0 / 2.2));
}
void main() {
  vec4 base = u_BaseFactor * v_Color;
#ifdef HAS_BASECOLORMAP
  vec4 bt = texture2D(u_Base, v_UV.xy); base *= vec4(SRGB(bt.rgb), bt.a);
#endif
#ifdef ALPHAMODE_MASK
  if (base.a < u_Cutoff) discard;
  base.a = 1.0;
#endif
  float metal = u_MRFactor.x, rough = u_MRFactor.y;
#ifdef HAS_METALROUGHNESSMAP
  vec4 mr = texture2D(u_MR, v_UV.xy); rough = mr.g * rough; metal = mr.b * metal;
#endif
  rough = clamp(rough, MIN_R, 1.0); metal = clamp(metal, 0.0, 1.0);
  Mat m; m.r = rough; m.a2 = rough * rough * rough * rough;
  vec3 f0 = vec3(0.04);
  m.diff = base.rgb * (vec3(1.0) - f0) * (1.0 - metal);
  m.f0 = mix(f0, base.rgb, metal);
  m.f90 = vec3(clamp(max(max(m.f0.r, m.f0.g), m.f0.b) * 50.0, 0.0, 1.0));
  vec3 N = getN(), V = normalize(u_Camera - v_Position), color = vec3(0.0);
  for (int i = 0; i < LIGHT_COUNT; ++i) color += shade(u_Lights[i], m, N, V);
#ifdef USE_IBL
  float nv = clamp(dot(N, V), 0.0, 1.0);
  vec2 brdf = texture2D(u_Lut, vec2(nv, 1.0 - m.r)).rg;
  vec3 spec = SRGB(textureCube(u_Env, reflect(-V, N), m.r * u_EnvMips).rgb), dif = SRGB(textureCube(u_Env, N, u_EnvMips).rgb);
  color += dif * m.diff + spec * (m.f0 * brdf.x + brdf.y);
#endif
  float ao = 1.0;
#ifdef HAS_OCCLUSIONMAP
  ao = texture2D(u_Occ, v_UV.zw).r; color = mix(color, color * ao, u_ScaleOcc.y);
#endif
#if DEBUG_OUT
  gl_FragColor = vec4(vec3(m.r, metal, ao), 1.0);
#else
  gl_FragColor = vec4(tone(color), base.a);
#endif
}
