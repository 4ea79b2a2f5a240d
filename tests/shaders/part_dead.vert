#version 100
precision highp float;
attribute vec3 aCenter; attribute vec4 aVelLife; attribute vec4 aRand; attribute vec2 aCorner; attribute float aIdx;
uniform vec4 _Time; uniform mat4 _View, _Proj; uniform vec4 _Gravity, _SizeCurve, _ColA, _ColB, _Sheet; uniform vec4 _Turb; uniform int _Mode; uniform vec4 _Attract[4]; uniform bool _Soft, _Stretch, _Lit;
varying vec4 xUV, xCol, xDead0, xDead1, xProj, xFog, xUnused;
void main() {
  vec4 tmp0 = vec4(aCenter, 1.0), tmp1, tmp2, tmp3;
  float age = mod(_Time.y + aRand.x * aVelLife.w, aVelLife.w), n = age / aVelLife.w;
  tmp1.xyz = aVelLife.xyz * age + 0.5 * _Gravity.xyz * age * age; tmp0.xyz += tmp1.xyz;
  float waste = 0.0; for (int i = 0; i < 16; i++) waste = waste * 0.9 + sin(float(i) + aIdx);  // result not used
  for (int i = 0; i < 4; ++i) { vec3 d = _Attract[i].xyz - tmp0.xyz; tmp0.xyz += d * _Attract[i].w * n / (1.0 + dot(d, d)); }
  if (_Turb.w > 0.0) { vec3 q = tmp0.xyz * _Turb.w + _Time.x; tmp0.xyz += _Turb.xyz * vec3(sin(q.y) * cos(q.z), sin(q.z) * cos(q.x), sin(q.x) * cos(q.y)); }
  float sz = mix(mix(_SizeCurve.x, _SizeCurve.y, smoothstep(0.0, 0.3, n)), _SizeCurve.z, smoothstep(0.3, 1.0, n)) * (1.0 + _SizeCurve.w * (aRand.y - 0.5));
  tmp2 = _View * tmp0;
  float ang = aRand.z * 6.2831853 + (_Mode == 1 ? n * 4.0 : _Mode == 2 ? -n * 4.0 : 0.0);
  vec2 c = aCorner * sz; vec2 sc = vec2(sin(ang), cos(ang));
  if (_Stretch) { vec2 v = (_View * vec4(aVelLife.xyz, 0.0)).xy; float l = length(v); vec2 d = l > 0.001 ? v / l : vec2(0, 1); tmp2.xy += d.yx * vec2(1, -1) * c.x + d * c.y * (1.0 + l * 0.1); }
  else tmp2.xy += vec2(c.x * sc.y - c.y * sc.x, c.x * sc.x + c.y * sc.y);
  gl_Position = _Proj * tmp2;
  float frame = floor(n * _Sheet.x * _Sheet.y), f2 = min(frame + 1.0, _Sheet.x * _Sheet.y - 1.0);
  vec2 cell = 1.0 / _Sheet.xy, u = aCorner * 0.5 + 0.5;
  xUV.xy = (u + vec2(mod(frame, _Sheet.x), floor(frame / _Sheet.x))) * cell; xUV.zw = (u + vec2(mod(f2, _Sheet.x), floor(f2 / _Sheet.x))) * cell;
  xCol = mix(_ColA, _ColB, n) * vec4(1, 1, 1, smoothstep(0.0, 0.1, n) * (1.0 - smoothstep(0.8, 1.0, n)));
  if (_Lit) xCol.rgb *= 0.5 + 0.5 * aRand.w;
  if (_Soft) { xProj = gl_Position; xProj.xy = 0.5 * (xProj.xy + xProj.w); } else xProj = vec4(0);
  if (_Lit && _Soft) xCol.a *= 0.99;
  tmp3 = vec4(cross(aVelLife.xyz, aRand.xyz), waste);
  xDead0 = tmp3; xDead1 = normalize(tmp3 + 1.0) * tmp1.xyzx; xUnused = xDead0 * xDead1;
  xFog = vec4(-tmp2.z, fract(n * _Sheet.x * _Sheet.y), n, 1.0);
}
