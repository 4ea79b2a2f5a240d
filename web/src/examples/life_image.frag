// The image: iChannel0 is buffer A. The pointer sows.
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec2 place = fragCoord / iResolution.xy;
    vec2 cell = texture(iChannel0, place).rg;
    vec3 past = mix(vec3(0.04, 0.06, 0.14), vec3(0.85, 0.25, 0.1), cell.y * cell.y);
    fragColor = vec4(mix(past, vec3(1.0, 0.95, 0.75), cell.x) * (1.2 - distance(place, vec2(0.5))), 1.0);
}
