// an emulator's screen: bare, scanlines, scanlines with a mask, a curved tube
// draws: u_quality=0 | u_quality=1 | u_quality=2 | u_quality=3
precision mediump float;
uniform int u_quality;
uniform sampler2D u_frame;
uniform vec2 u_size;
varying vec2 v_uv;
void main() {
    vec2 at = v_uv;
    if (u_quality > 2) {
        vec2 p = at * 2.0 - 1.0;
        p *= 1.0 + dot(p.yx * p.yx, vec2(0.03, 0.04));
        at = p * 0.5 + 0.5;
    }
    vec3 c = texture2D(u_frame, at).rgb;
    if (u_quality > 0) {
        float line = fract(at.y * u_size.y) - 0.5;
        c *= 1.0 - 1.5 * line * line;
    }
    if (u_quality > 1) {
        float m = fract(at.x * u_size.x * 0.333);
        c *= vec3(m < 0.333 ? 1.2 : 0.8, m >= 0.333 && m < 0.666 ? 1.2 : 0.8, m >= 0.666 ? 1.2 : 0.8);
        c = pow(c, vec3(0.9));
    }
    gl_FragColor = vec4(c, 1.0);
}
