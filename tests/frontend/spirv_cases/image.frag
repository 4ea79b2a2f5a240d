#version 450
// ERROR 5 storage image
layout(rgba8) uniform writeonly image2D picture;
layout(location=0) out vec4 colour;
void main() { imageStore(picture, ivec2(0), vec4(1.0)); colour = vec4(1.0); }
