// The lines, the glow around them, the mask before them, on a curved screen.
#pragma parameter GLOW "Glow" 0.2 0.0 1.0 0.05
#pragma parameter CURVE "Curvature" 0.06 0.0 0.3 0.01
#if defined(VERTEX)
attribute vec4 VertexCoord;
attribute vec4 TexCoord;
uniform mat4 MVPMatrix;
varying vec2 place;
void main() {
    gl_Position = MVPMatrix * VertexCoord;
    place = TexCoord.xy * 2.0 - 1.0;
}
#elif defined(FRAGMENT)
precision mediump float;
uniform sampler2D Texture, PassPrev2Texture, MASK;
uniform float GLOW, CURVE;
varying vec2 place;
void main() {
    vec2 bent = place * (1.0 + CURVE * dot(place.yx, place.yx)) * 0.5 + 0.5;
    vec3 light = texture2D(Texture, bent).rgb * 1.4;
    light = mix(light, texture2D(PassPrev2Texture, bent).rgb, GLOW);
    light *= texture2D(MASK, gl_FragCoord.xy / 3.0).rgb * 0.6 + 0.6;
    vec2 inside = step(abs(bent - 0.5), vec2(0.5));
    gl_FragColor = vec4(sqrt(light) * inside.x * inside.y, 1.0);
}
#endif
