#version 450
// ERROR 6 3D texture
uniform sampler3D fog;
layout(location=0) out vec4 colour;
void main() {
    colour = texture(fog, vec3(0.5));
}
