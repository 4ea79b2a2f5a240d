// Uniforms become controls. The comment after a uniform says which: a range, a colour, a first value.
precision mediump float;
varying vec2 v_place;

uniform float u_scale;     // [1, 12] = 5
uniform float u_softness;  // [0.01, 0.5] = 0.08
uniform vec3 u_warm;       // color = 0.96, 0.58, 0.30
uniform vec3 u_cold;       // color = 0.12, 0.16, 0.30
uniform bool u_dots;       // = 1

void main() {
    vec2 cell = fract(v_place * u_scale) - 0.5;
    float d = u_dots ? length(cell) : max(abs(cell.x), abs(cell.y));
    float inside = smoothstep(0.35 + u_softness, 0.35 - u_softness, d);
    gl_FragColor = vec4(mix(u_cold, u_warm, inside), 1.0);
}
