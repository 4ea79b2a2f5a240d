attribute vec4 position;
attribute vec2 texcoord0;
uniform mat4 modelViewProjectionMatrix;
varying mediump vec2 pos;
void main() {
  pos = texcoord0;
  gl_Position = modelViewProjectionMatrix * position;
}
