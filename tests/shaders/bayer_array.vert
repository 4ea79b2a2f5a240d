attribute vec2 aPosition;
varying vec2 vTexCoord;
void main() {
    vTexCoord = aPosition;
    gl_Position = vec4(aPosition * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
}
