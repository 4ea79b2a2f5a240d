attribute vec3 aCorner;
uniform mat4 uInvViewProj;
uniform vec3 uCamera;
varying vec3 vDir;
void main() {
  vec4 far = uInvViewProj * vec4(aCorner.xy, 1.0, 1.0);
  vDir = far.xyz / far.w - uCamera;
  gl_Position = vec4(aCorner.xy, 0.0, 1.0);
}
