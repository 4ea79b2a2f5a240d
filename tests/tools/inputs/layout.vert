#version 330
layout(location = 0) in vec4 place;
in vec3 tint;
flat out int number;
centroid out vec2 middle;
noperspective out float straight;
uniform mat4 m;
void main() {
    gl_Position = m * place;
    number = int(tint.x);
    middle = tint.yz;
    straight = tint.x;
}
