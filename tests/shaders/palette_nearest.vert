attribute vec4 vPosition;
varying vec2 uv;
uniform vec2 outputSize;
varying vec2 pixelPos;
void main() {
    gl_Position = vPosition;
    uv = vPosition.xy * vec2(0.5, -0.5) + 0.5;
    pixelPos = uv * outputSize;
}
