#version 450
// Lanes that are dropped go on as helpers where there is no loop: one way through, no edge to the end.
// CHECK branch %
// CHECK b1:
// CHECK const.bool true
// CHECK jump b2
// CHECK b2:
// CHECK tex s0
// CHECK load.bool
// CHECK discard
// NOT b3:
uniform sampler2D t;
layout(location=0) in vec4 v;
layout(location=0) out vec4 colour;
void main() { if (v.x < 0.5) discard; colour = texture(t, v.xy); }
