// a player's picture: packed RGB, two planes, three planes
// draws: u_format=0 | u_format=1 | u_format=2
precision mediump float;
uniform int u_format;
uniform sampler2D u_a, u_b, u_c;
uniform mat3 u_yuv;
uniform vec3 u_low;
varying vec2 v_uv;
void main() {
    vec3 c;
    if (u_format == 0)
        c = texture2D(u_a, v_uv).rgb;
    else if (u_format == 1)
        c = u_yuv * (vec3(texture2D(u_a, v_uv).r, texture2D(u_b, v_uv).ra) - u_low);
    else
        c = u_yuv * (vec3(texture2D(u_a, v_uv).r, texture2D(u_b, v_uv).r, texture2D(u_c, v_uv).r) - u_low);
    gl_FragColor = vec4(c, 1.0);
}
