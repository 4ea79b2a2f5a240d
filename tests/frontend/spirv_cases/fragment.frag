#version 450
// Built-ins of the fragment stage, discard, the last block.
// OPTION lower_left
// CHECK shader fragment discard
// CHECK output "gl_FragColor" float 4x1 word 0
// CHECK output "gl_FragDepth" float 1x1 word 4
// CHECK const.bool false
// CHECK store v
// CHECK builtin.f32 frag_coord_x
// CHECK builtin.f32 frag_coord_y
// CHECK builtin.f32 point_coord_x
// CHECK builtin.bool front_facing
// CHECK const.bool true
// CHECK output 0
// CHECK output 4
// CHECK discard
// CHECK end
// NOT frame.height
layout(location=0) out vec4 colour;
void main() {
    colour = vec4(gl_FragCoord.xy, gl_PointCoord.x, 1.0);
    if (!gl_FrontFacing) discard;
    gl_FragDepth = gl_FragCoord.z;
}
