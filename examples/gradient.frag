// Dusk: three colours blended over the height, and a soft sun.
precision mediump float;
varying vec2 v_place;

uniform vec3 u_zenith, u_horizon, u_ground;
uniform vec2 u_sun;

void main() {
    float height = v_place.y;
    vec3 sky = mix(u_horizon, u_zenith, smoothstep(-0.2, 1.0, height));
    vec3 color = mix(u_ground, sky, smoothstep(-0.75, -0.15, height));
    vec2 d = (v_place - u_sun) * vec2(1.3333, 1.0);
    float glow = max(0.0, 1.0 - dot(d, d));
    color += vec3(1.0, 0.75, 0.45) * (0.55 * glow * glow * glow);
    color += vec3(0.5, 0.45, 0.3) * smoothstep(0.035, 0.025, dot(d, d));
    gl_FragColor = vec4(color, 1.0);
}
