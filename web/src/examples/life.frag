// Buffer A with Conway's game of life. Red: is the cell alive? Green: how lately it was.
// iChannel0 is this buffer, as the frame before left it.
float alive(vec2 place) { return step(0.5, texture(iChannel0, place / iResolution.xy).r); }

float random(vec2 place) { return fract(sin(dot(place, vec2(12.9898, 78.233))) * 437.585453); }

void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float count = 0.0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            if (x != 0 || y != 0) count += alive(fragCoord + vec2(x, y));
    vec4 before = texture(iChannel0, fragCoord / iResolution.xy);
    // Two neighbours keep a cell as it is, three give life.
    float now = count == 3.0 || (count == 2.0 && before.r > 0.5) ? 1.0 : 0.0;
    if (iFrame == 0) now = step(0.72, random(fragCoord));
    if (iMouse.z > 0.0 && distance(fragCoord, iMouse.xy) < 6.0) now = step(0.5, random(fragCoord + iTime));
    fragColor = vec4(now, max(now, before.g - 5.0 / 255.0), 0.0, 1.0);
}
