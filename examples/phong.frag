// Phong's lighting with two lights, per pixel.
precision mediump float;

struct Light {
    vec3 direction;
    vec3 color;
};

uniform Light u_light[2];
uniform vec3 u_base;
uniform float u_shininess;

varying vec3 v_normal;
varying vec3 v_eye;

vec3 shade(Light light, vec3 normal, vec3 eye) {
    float diffuse = max(dot(normal, light.direction), 0.0);
    vec3 mirrored = reflect(-light.direction, normal);
    float specular = pow(max(dot(mirrored, eye), 0.0), u_shininess);
    return light.color * (u_base * diffuse + vec3(0.6 * specular));
}

void main() {
    vec3 normal = normalize(v_normal);
    vec3 eye = normalize(v_eye);
    vec3 color = u_base * 0.12;
    for (int i = 0; i < 2; i++)
        color += shade(u_light[i], normal, eye);
    gl_FragColor = vec4(color, 1.0);
}
