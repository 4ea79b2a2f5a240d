// A texture around a tunnel: one request for each pixel, two threads to hide its latency.
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    float r = length(p);
    vec2 uv = vec2(0.3 / r + 0.4 * iTime, atan(p.y, p.x) / 3.1416);
    vec3 color = texture(iChannel0, uv).rgb;
    fragColor = vec4(color * min(1.0, 1.6 * r), 1.0);
}
