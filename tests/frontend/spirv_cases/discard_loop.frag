#version 450
// A discard may be what ends the loop for a lane: it leaves at once.
// CHECK const.bool true
// CHECK jump b8
// CHECK b8:
// CHECK discard
layout(location=0) in vec4 v;
layout(location=0) out vec4 colour;
void main() {
    float x = v.x;
    while (x != 1.0) { if (x < 0.0) discard; x -= 1.0; }
    colour = vec4(x);
}
