#define HAS_NORMALS 1
#define HAS_TANGENTS 1
#define HAS_UV_SET2 1
#define HAS_VERTEX_COLOR_VEC4 1
#define KHR_TEXTURE_TRANSFORM
attribute vec4 a_Position;
#ifdef HAS_NORMALS
attribute vec4 a_Normal;
#endif
#ifdef HAS_TANGENTS
attribute vec4 a_Tangent;
#endif
attribute vec2 a_UV;
#if HAS_UV_SET2 == 1
attribute vec2 a_UV2;
#endif
#if defined(HAS_VERTEX_COLOR_VEC4)
attribute vec4 a_Col;
#elif defined(HAS_VERTEX_COLOR_VEC3)
attribute vec3 a_Col;
#endif
uniform mat4 u_MVP, u_Model, u_NormalM;
uniform mat3 u_UvXf;
varying vec3 v_Position; varying vec4 v_UV; varying vec4 v_Color;
#ifdef HAS_NORMALS
#ifdef HAS_TANGENTS
varying mat3 v_TBN;
#else
varying vec3 v_Normal;
#endif
#endif
void main()
{
  vec4 pos = u_Model * a_Position;
  v_Position = vec3(pos.xyz) / pos.w;
#ifdef HAS_NORMALS
  #ifdef HAS_TANGENTS
  vec3 nW = normalize(vec3(u_NormalM * vec4(a_Normal.xyz, 0.0)));
  vec3 tW = normalize(vec3(u_Model * vec4(a_Tangent.xyz, 0.0)));
  vec3 bW = cross(nW, tW) * a_Tangent.w;
  v_TBN = mat3(tW, bW, nW);
  #else
  v_Normal = normalize(vec3(u_Model * vec4(a_Normal.xyz, 0.0)));
  #endif
#endif
  v_UV = vec4(0);
#ifdef KHR_TEXTURE_TRANSFORM
  v_UV.xy = (u_UvXf * vec3(a_UV, 1)).xy;
#else
  v_UV.xy = a_UV;
#endif
#if HAS_UV_SET2 == 1
  v_UV.zw = a_UV2;
#endif
#if defined(HAS_VERTEX_COLOR_VEC4)
  v_Color = a_Col;
#elif defined(HAS_VERTEX_COLOR_VEC3)
  v_Color = vec4(a_Col, 1.0);
#else
  v_Color = vec4(1.0);
#endif
  gl_Position = u_MVP * a_Position;
}
