// Shadertoy's mainImage works as it is; the pointer moves the centre.
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    vec2 m = iMouse.z > 0.0 ? (2.0 * iMouse.xy - iResolution.xy) / iResolution.y : vec2(0.0);
    float d = length(p - m);
    float ring = 0.5 + 0.5 * cos(14.0 * d - 3.0 * iTime);
    vec3 color = mix(vec3(0.10, 0.12, 0.22), vec3(0.95, 0.55, 0.35), ring * exp(-1.2 * d));
    color += 0.15 * vec3(0.2, 0.5, 0.9) * smoothstep(1.4, 0.2, d);
    fragColor = vec4(color, 1.0);
}
