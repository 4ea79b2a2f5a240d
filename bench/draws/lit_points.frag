// an engine's loop over up to eight point lights
// draws: u_lights=0 | u_lights=1 | u_lights=3 | u_lights=8
precision mediump float;
uniform int u_lights;
uniform vec3 u_place[8], u_color[8];
uniform vec3 u_ambient, u_albedo;
varying vec3 v_normal, v_world;
void main() {
    vec3 n = normalize(v_normal), sum = u_ambient;
    for (int i = 0; i < 8; i++) {
        if (i >= u_lights)
            break;
        vec3 d = u_place[i] - v_world;
        float a = 1.0 / (1.0 + dot(d, d));
        sum += u_color[i] * max(dot(n, normalize(d)), 0.0) * a;
    }
    gl_FragColor = vec4(u_albedo * sum, 1.0);
}
