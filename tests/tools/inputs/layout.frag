#version 330
flat in int number;
centroid in vec2 middle;
noperspective in float straight;
uniform sampler2D picture;
out vec4 color;
void main() {
    if (straight < 0.25)
        discard;
    color = texture(picture, middle) * float(number);
}
