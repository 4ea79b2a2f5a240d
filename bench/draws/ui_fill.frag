// a toolkit's rectangles: a gradient, a picture, plain white, a blurred picture
// draws: u_type=0 | u_type=1 | u_type=2 | u_type=3
precision mediump float;
uniform int u_type;
uniform sampler2D u_picture;
uniform vec4 u_from, u_to;
uniform vec2 u_step;
varying vec2 v_uv;
void main() {
    vec4 c;
    if (u_type == 0)
        c = mix(u_from, u_to, v_uv.y);
    else if (u_type == 1)
        c = texture2D(u_picture, v_uv);
    else if (u_type == 2)
        c = vec4(1.0);
    else {
        c = vec4(0.0);
        for (int i = -2; i <= 2; i++)
            c += texture2D(u_picture, v_uv + float(i) * u_step) * 0.2;
    }
    gl_FragColor = c;
}
