// A Gaussian of seven texels, along the rows where the picture becomes smaller, along the columns where not.
#pragma parameter WIDTH "Width of the glow" 1.0 0.2 3.0 0.1
#if defined(VERTEX)
attribute vec4 VertexCoord;
attribute vec4 TexCoord;
uniform mat4 MVPMatrix;
uniform vec2 OutputSize, TextureSize;
uniform float WIDTH;
varying vec2 place, along;
void main() {
    gl_Position = MVPMatrix * VertexCoord;
    place = TexCoord.xy;
    along = OutputSize.x < TextureSize.x ? vec2(WIDTH / TextureSize.x, 0.0) : vec2(0.0, WIDTH / TextureSize.y);
}
#elif defined(FRAGMENT)
precision mediump float;
uniform sampler2D Texture;
varying vec2 place, along;
void main() {
    vec3 sum = texture2D(Texture, place).rgb * 0.3;
    sum += (texture2D(Texture, place + along).rgb + texture2D(Texture, place - along).rgb) * 0.2;
    sum += (texture2D(Texture, place + 2.0 * along).rgb + texture2D(Texture, place - 2.0 * along).rgb) * 0.1;
    sum += (texture2D(Texture, place + 3.0 * along).rgb + texture2D(Texture, place - 3.0 * along).rgb) * 0.05;
    gl_FragColor = vec4(sum, 1.0);
}
#endif
