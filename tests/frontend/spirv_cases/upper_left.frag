#version 450
// Vulkan counts from the top: y is turned round.
// CHECK builtin.f32 frag_coord_y
// CHECK uniform.f32 frame.height
// CHECK fsub
layout(location=0) out vec4 colour;
void main() { colour = vec4(gl_FragCoord.y); }
