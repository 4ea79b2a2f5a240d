#version 450
#extension GL_EXT_control_flow_attributes : enable
// What the module wants of loops and branches.
// CHECK b1: unroll
// CHECK : dont_unroll
// CHECK dont_flatten
// CHECK flatten
layout(location=0) in vec4 v;
layout(location=0) out vec4 colour;
void main() {
    float sum = 0.0;
    [[unroll]] for (int k = 0; k < 4; k++) sum += v[k];
    [[dont_unroll]] for (int k = 0; k < 4; k++) sum *= v[k];
    [[branch]] if (v.x > 0.5) sum += 1.0;
    [[flatten]] switch (int(v.y)) { case 0: sum += 2.0; break; case 1: sum += 3.0; break; }
    if (v.z > 0.5) sum += 4.0;
    colour = vec4(sum);
}
