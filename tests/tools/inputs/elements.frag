precision mediump float;
struct layer {
    vec2 shift;
    float weights[2];
    mat2 turn;
};
struct stack {
    layer layers[2];
    vec3 base;
};
uniform stack u_stacks[2];
uniform float u_levels[4];
uniform sampler2D u_pictures[2];
uniform bool u_on;
varying vec2 v_texcoord;

void main() {
    vec3 sum = u_stacks[0].base + u_stacks[1].base;
    for (int s = 0; s < 2; s++)
        for (int l = 0; l < 2; l++) {
            float weight = u_stacks[s].layers[l].weights[0] + u_stacks[s].layers[l].weights[1];
            sum += weight * vec3(u_stacks[s].layers[l].turn * u_stacks[s].layers[l].shift, u_levels[2 * s + l]);
        }
    vec4 picture = texture2D(u_pictures[0], v_texcoord) + texture2D(u_pictures[1], v_texcoord);
    gl_FragColor = u_on ? vec4(sum, 1.0) : picture;
}
