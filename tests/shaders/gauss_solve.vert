attribute vec2 position;
varying float x;
varying float y;
uniform vec4 viewRect;
void main() {
  x = mix(viewRect.x, viewRect.z, position.x * 0.5 + 0.5);
  y = mix(viewRect.y, viewRect.w, position.y * 0.5 + 0.5);
  gl_Position = vec4(position, 0.0, 1.0);
}
