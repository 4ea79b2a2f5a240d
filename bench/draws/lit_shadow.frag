// a shadow map: off, one lookup, four, or sixteen
// draws: u_samples=0 | u_samples=1 | u_samples=4 | u_samples=16
precision mediump float;
uniform int u_samples;
uniform sampler2D u_albedo, u_map;
uniform float u_texel;
varying vec2 v_uv;
varying vec3 v_shadow;
void main() {
    vec3 c = texture2D(u_albedo, v_uv).rgb;
    float lit = 1.0;
    if (u_samples > 0) {
        float sum = 0.0;
        for (int i = 0; i < 16; i++) {
            if (i >= u_samples)
                break;
            vec2 d = vec2(mod(float(i), 4.0), floor(float(i) / 4.0)) * u_texel;
            sum += step(v_shadow.z, texture2D(u_map, v_shadow.xy + d).r);
        }
        lit = 0.3 + 0.7 * sum / float(u_samples);
    }
    gl_FragColor = vec4(c * lit, 1.0);
}
