#version 450
// spec.frag.spv: glslangValidator -V spec.frag -o spec.frag.spv
layout(constant_id = 3) const int taps = 4;
layout(constant_id = 4) const float weight = 0.25;
layout(constant_id = 10) const bool warm = false;
layout(location = 0) in vec4 v_color;
layout(location = 0) out vec4 color;
void main() {
    vec4 sum = vec4(0.0);
    for (int i = 0; i < taps; i++)
        sum += sin(v_color * float(i)) * weight;
    color = warm ? sum.zyxw : sum;
}
