#version 450
// Blocks by GL's names: with an instance name by the block's, without one bare; vertex and instance numbers.
// CHECK uniform "bare" float 4x1 word 0 highp used
// CHECK uniform "camera.view" float 4x4 word 4 highp used
// CHECK output "result.shade" float 1x1
// CHECK output "gl_Position" float 4x1
// CHECK output "gl_PointSize" float 1x1
// CHECK input.i32
// CHECK uniform.i32
layout(std140) uniform camera { mat4 view; } c;
layout(std140) uniform other { vec4 bare; };
out result { float shade; } r;
void main() {
    r.shade = bare.x;
    gl_Position = c.view * bare;
    gl_PointSize = float(gl_VertexIndex + gl_InstanceIndex);
}
