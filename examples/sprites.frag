// gl_PointCoord makes a ball of each square.
precision mediump float;
varying vec3 v_color;

void main() {
    vec2 p = gl_PointCoord * 2.0 - 1.0;
    float r2 = dot(p, p);
    if (r2 > 1.0)
        discard;
    float z = sqrt(1.0 - r2);
    float light = max(0.0, dot(vec3(p, z), vec3(-0.4082, -0.4082, 0.8165)));
    float shine = light * light;
    shine *= shine;
    shine *= shine;
    gl_FragColor = vec4(v_color * (0.2 + 0.8 * light) + 0.5 * shine, 1.0);
}
