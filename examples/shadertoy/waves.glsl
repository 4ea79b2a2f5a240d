// Circles that run into each other on water, as one writes it at shadertoy.com: qpucc supplies the uniforms and main.
//   qpucc run examples/shadertoy/waves.glsl --size 320x180 --uniform iTime=1.5 -o waves.png

float height(vec2 p) {
    float sum = 0.0;
    for (int i = 0; i < 5; i++) {
        float turn = float(i) * 1.2566;
        vec2 drop = 0.6 * vec2(cos(turn + 0.3 * iTime), sin(turn));
        float away = length(p - drop);
        sum += cos(away * 18.0 - iTime * 4.0) * exp(-2.0 * away);
    }
    return sum;
}

void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    float h = height(p);
    vec2 slope = vec2(height(p + vec2(0.01, 0.0)), height(p + vec2(0.0, 0.01))) - h;
    vec3 normal = normalize(vec3(-slope * 12.0, 1.0));
    float light = max(dot(normal, normalize(vec3(0.4, 0.6, 0.7))), 0.0);
    vec3 water = mix(vec3(0.02, 0.12, 0.25), vec3(0.15, 0.55, 0.65), 0.5 + 0.3 * h);
    fragColor = vec4(water * (0.35 + light) + pow(light, 40.0), 1.0);
}
