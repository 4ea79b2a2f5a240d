precision highp float;
attribute vec4 a; // pos.xy uv.xy
uniform vec4 T[3];
varying vec2 s; varying vec2 d;
void main(void){
  vec3 p = vec3(a.xy, 1.0);
  vec2 q = vec2(dot(p, T[0].xyz), dot(p, T[1].xyz));
  s = a.zw; d = q * 0.5 + 0.5; if (T[2].x != 0.0) d.y = 1.0 - d.y;
  gl_Position = vec4(q, T[2].yz + vec2(0.0, 1.0));
}
