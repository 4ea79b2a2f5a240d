precision mediump float;
uniform int u_type; uniform sampler2D s; uniform vec4 a, b; varying vec2 v;
void main() {
  vec4 c = vec4(1.0);
  if (u_type == 0) c = mix(a, b, v.x);
  else if (u_type == 1) c = texture2D(s, v);
  else if (u_type == 3) { c = vec4(0.0); for (int i = 0; i < 5; i++) c += texture2D(s, v + float(i) * 0.01) * 0.2; }
  gl_FragColor = c;
}
