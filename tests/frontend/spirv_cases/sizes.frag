#version 450
// VALUES
// The interpreter's set-up words are not the texture's: this only asks that a size of 2048 (0 in the field) comes out.
uniform sampler2D t;
layout(location=0) in vec4 a;
layout(location=0) out vec2 result;
void main() {
    ivec2 base = textureSize(t, 0), small = textureSize(t, int(a.y)), least = textureSize(t, 12);
    result = vec2(base == ivec2(2048) && small == ivec2(512) && least == ivec2(1) ? 1.0 : 0.0, 0.0);
}
