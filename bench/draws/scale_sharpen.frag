// an upscaled picture, sharpened lightly or strongly
// draws: u_sharpen=0 | u_sharpen=1 | u_sharpen=2
precision mediump float;
uniform int u_sharpen;
uniform sampler2D u_frame;
uniform vec2 u_pixel;
uniform float u_amount;
varying vec2 v_uv;
void main() {
    vec3 c = texture2D(u_frame, v_uv).rgb;
    if (u_sharpen > 0) {
        vec3 n = texture2D(u_frame, v_uv + vec2(u_pixel.x, 0.0)).rgb + texture2D(u_frame, v_uv - vec2(u_pixel.x, 0.0)).rgb;
        float k = 2.0;
        if (u_sharpen > 1) {
            n += texture2D(u_frame, v_uv + vec2(0.0, u_pixel.y)).rgb + texture2D(u_frame, v_uv - vec2(0.0, u_pixel.y)).rgb;
            n += texture2D(u_frame, v_uv + u_pixel).rgb + texture2D(u_frame, v_uv - u_pixel).rgb;
            k = 6.0;
        }
        c += (c * k - n) * u_amount;
    }
    gl_FragColor = vec4(c, 1.0);
}
