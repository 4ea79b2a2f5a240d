// A picture on an old tube: bent glass, scan lines, a mask of red, green and blue, dark corners.
precision highp float;
uniform sampler2D u_picture;
uniform float u_lines;
varying vec2 v_texcoord;

void main() {
    vec2 p = v_texcoord * 2.0 - 1.0;
    p *= 1.0 + 0.09 * p.yx * p.yx;
    vec2 place = p * 0.5 + 0.5;
    vec3 color = texture2D(u_picture, place).rgb;
    float line = 0.5 + 0.5 * sin(place.y * u_lines * 6.2831853);
    float stripe = 6.2831853 * place.x * u_lines * 0.6;
    vec3 mask = 0.5 + 0.5 * sin(vec3(stripe, stripe - 2.0944, stripe + 2.0944));
    color *= (0.72 + 0.4 * line) * (0.82 + 0.3 * mask);
    vec2 border = smoothstep(1.0, 0.93, abs(p));
    gl_FragColor = vec4(color * border.x * border.y, 1.0);
}
