// What shines of each of the source's rows: bright rows are wider.
#if defined(VERTEX)
attribute vec4 VertexCoord;
attribute vec4 TexCoord;
uniform mat4 MVPMatrix;
varying vec2 place;
void main() {
    gl_Position = MVPMatrix * VertexCoord;
    place = TexCoord.xy;
}
#elif defined(FRAGMENT)
precision mediump float;
uniform sampler2D LINEARTexture;
uniform vec2 OrigTextureSize;
varying vec2 place;
void main() {
    vec3 c = texture2D(LINEARTexture, place).rgb;
    float from_row = abs(fract(place.y * OrigTextureSize.y * 0.25) - 0.5) * 2.0;
    vec3 width = 0.4 + 0.6 * c;
    gl_FragColor = vec4(c * clamp(1.5 - from_row / width, 0.0, 1.0), 1.0);
}
#endif
