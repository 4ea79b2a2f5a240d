// physically based light, with reflections and occlusion where the settings have them
// draws: u_reflections=0; u_occlusion=0 | u_reflections=1; u_occlusion=0 | u_reflections=1; u_occlusion=1
precision mediump float;
uniform bool u_reflections, u_occlusion;
uniform sampler2D u_albedo, u_rough, u_ao;
uniform samplerCube u_sky;
uniform vec3 u_sun;
varying vec3 v_normal, v_eye;
varying vec2 v_uv;
void main() {
    vec3 n = normalize(v_normal), v = normalize(v_eye), h = normalize(v + u_sun);
    vec3 base = texture2D(u_albedo, v_uv).rgb;
    float r = texture2D(u_rough, v_uv).g, a = r * r, nh = max(dot(n, h), 0.0), nl = max(dot(n, u_sun), 0.0);
    float d = nh * nh * (a * a - 1.0) + 1.0;
    vec3 c = (base + a * a / (3.14 * d * d + 0.001) * 0.04) * nl;
    if (u_reflections)
        c += textureCube(u_sky, reflect(-v, n)).rgb * (0.04 + 0.96 * pow(1.0 - max(dot(n, v), 0.0), 5.0)) * (1.0 - r);
    if (u_occlusion)
        c *= texture2D(u_ao, v_uv).r;
    gl_FragColor = vec4(c, 1.0);
}
