// Light instead of what is stored of it.
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
uniform sampler2D Texture;
varying vec2 place;
void main() {
    vec3 c = texture2D(Texture, place).rgb;
    gl_FragColor = vec4(c * c, 1.0);
}
#endif
