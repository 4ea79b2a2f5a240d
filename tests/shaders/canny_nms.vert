attribute vec3 position;
attribute vec2 texCoord;
varying highp vec2 coord;
uniform bool yUp;
void main() {
    coord = yUp ? texCoord : vec2(texCoord.x, 1.0 - texCoord.y);
    gl_Position = vec4(position, 1.0);
}
