// A 3x3 Gaussian, stronger the farther from the middle: a cheap lens.
precision mediump float;
uniform sampler2D u_picture;
uniform vec2 u_texel;
varying vec2 v_texcoord;

void main() {
    vec2 from = v_texcoord - 0.5;
    vec2 step = u_texel * (0.5 + 14.0 * dot(from, from));
    vec3 sum = 4.0 * texture2D(u_picture, v_texcoord).rgb;
    sum += 2.0 * texture2D(u_picture, v_texcoord + vec2(step.x, 0.0)).rgb;
    sum += 2.0 * texture2D(u_picture, v_texcoord - vec2(step.x, 0.0)).rgb;
    sum += 2.0 * texture2D(u_picture, v_texcoord + vec2(0.0, step.y)).rgb;
    sum += 2.0 * texture2D(u_picture, v_texcoord - vec2(0.0, step.y)).rgb;
    sum += texture2D(u_picture, v_texcoord + step).rgb;
    sum += texture2D(u_picture, v_texcoord - step).rgb;
    sum += texture2D(u_picture, v_texcoord + vec2(step.x, -step.y)).rgb;
    sum += texture2D(u_picture, v_texcoord + vec2(-step.x, step.y)).rgb;
    gl_FragColor = vec4(sum * (1.0 / 16.0), 1.0);
}
