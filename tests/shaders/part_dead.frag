#version 100
precision mediump float;
uniform sampler2D _Sprite, _Depth; uniform highp vec4 _ZP; uniform vec4 _Fog, _Erode; uniform bool _SoftF, _Blend, _Add;
varying highp vec4 xUV, xCol, xProj, xFog;
void main() {
  vec4 t = texture2D(_Sprite, xUV.xy);
  if (_Blend) t = mix(t, texture2D(_Sprite, xUV.zw), xFog.y);
  vec4 o = t * xCol;
  if (_SoftF) { highp float z = texture2D(_Depth, xProj.xy / xProj.w).r; z = 1.0 / (_ZP.x * z + _ZP.y); o.a *= clamp((z - xProj.w) * _ZP.z, 0.0, 1.0); }
  float er = smoothstep(xFog.z - _Erode.x, xFog.z + _Erode.x, t.a + _Erode.y); o.a *= _Erode.z > 0.5 ? er : 1.0;
  float f = clamp(exp2(-xFog.x * _Fog.w), 0.0, 1.0);
  if (_Add) o.rgb *= o.a * f; else o.rgb = mix(_Fog.rgb, o.rgb, f);
  if (_SoftF && _Add) o.a = 0.0;
  if (!_Add && o.a < 0.004) discard;
  gl_FragColor = o;
}
