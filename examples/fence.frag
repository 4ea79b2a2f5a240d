// Crossed wires; what lies between is discarded, so the far side shows through.
precision mediump float;
varying vec2 v_texcoord;
varying vec3 v_normal;

void main() {
    vec2 cell = abs(fract(v_texcoord * 4.0 + vec2(v_texcoord.y, -v_texcoord.x) * 4.0) - 0.5);
    float wire = max(cell.x, cell.y);
    if (wire < 0.38)
        discard;
    float round = 1.0 - abs(wire - 0.44) * 12.0;
    vec3 normal = normalize(v_normal);
    float light = abs(dot(normal, vec3(0.365, 0.548, 0.753)));
    vec3 base = gl_FrontFacing ? vec3(0.74, 0.78, 0.84) : vec3(0.42, 0.30, 0.22);
    gl_FragColor = vec4(base * (0.35 + 0.65 * light) * (0.6 + 0.4 * round), 1.0);
}
