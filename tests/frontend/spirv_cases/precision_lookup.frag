#version 450
// A lookup is as precise as its sampler; a mediump variable does not remember.
// SYMBOL uniform lowp sampler2D s
// CHECK lowp
// CHECK fmul %
// CHECK texel 0, %
// CHECK lowp
// CHECK mediump
uniform mediump sampler2D s;
layout(location=0) in highp vec2 at;
layout(location=0) out highp vec4 colour;
void main() {
    mediump vec4 e = texture(s, at) * texture(s, at * 2.0);
    colour = e * texture(s, at.yx);
}
