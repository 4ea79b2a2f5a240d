precision mediump float;
precision mediump int;
// 8-bit index texture through a palette kept in uniforms
#define PAL_SIZE 32
varying vec2 v_uv;
uniform sampler2D u_indices;
uniform vec4 u_palette[PAL_SIZE];
uniform int u_cycleStart;
uniform int u_cycleLen;
uniform int u_cyclePhase;
uniform int u_transparent;
uniform float u_flash;

void main() {
    int idx = int(texture2D(u_indices, v_uv).a * 255.0 + 0.5);
    if (idx == u_transparent)
        discard;
    if (u_cycleLen > 0 && idx >= u_cycleStart && idx < u_cycleStart + u_cycleLen) {
        int k = idx - u_cycleStart + u_cyclePhase;
        k -= (k / u_cycleLen) * u_cycleLen;
        idx = u_cycleStart + k;
    }
    if (idx < 0 || idx >= PAL_SIZE) {
        gl_FragColor = vec4(1.0, 0.0, 1.0, 1.0);
        return;
    }
    vec4 c = u_palette[idx];
    c.rgb = mix(c.rgb, vec3(1.0), u_flash);
    gl_FragColor = c;
}
