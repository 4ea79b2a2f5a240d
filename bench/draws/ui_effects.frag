// a scene graph's effects one after the other: blur, desaturate, brightness, colorise
// draws: u_effect=0 | u_effect=1 | u_effect=2 | u_effect=3 | u_effect=4
precision mediump float;
uniform int u_effect;
uniform sampler2D u_source;
uniform vec2 u_pixel;
uniform vec4 u_tint;
uniform float u_amount;
varying vec2 v_uv;
void main() {
    vec4 c = texture2D(u_source, v_uv);
    if (u_effect == 1) {
        c += texture2D(u_source, v_uv + vec2(u_pixel.x, 0.0)) + texture2D(u_source, v_uv - vec2(u_pixel.x, 0.0));
        c += texture2D(u_source, v_uv + vec2(0.0, u_pixel.y)) + texture2D(u_source, v_uv - vec2(0.0, u_pixel.y));
        c *= 0.2;
    } else if (u_effect == 2) {
        float g = dot(c.rgb, vec3(0.3, 0.59, 0.11));
        c.rgb = mix(c.rgb, vec3(g), u_amount);
    } else if (u_effect == 3) {
        c.rgb = (c.rgb - 0.5) * (1.0 + u_amount) + 0.5 + u_tint.rgb;
    } else if (u_effect == 4) {
        float l = max(c.r, max(c.g, c.b));
        c.rgb = mix(u_tint.rgb * l, c.rgb, u_amount) + pow(l, 4.0);
    }
    gl_FragColor = c;
}
