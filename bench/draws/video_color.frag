// matrices of BT.601 and BT.709 chosen by a number, full or limited range
// draws: u_matrix=0; u_full=0 | u_matrix=1; u_full=0 | u_matrix=1; u_full=1
precision mediump float;
uniform int u_matrix;
uniform bool u_full;
uniform sampler2D u_luma, u_chroma;
varying vec2 v_uv;
void main() {
    vec3 yuv = vec3(texture2D(u_luma, v_uv).r, texture2D(u_chroma, v_uv).ra);
    if (!u_full)
        yuv = (yuv - vec3(0.0625)) * vec3(1.164, 1.138, 1.138);
    yuv.yz -= 0.5;
    vec3 c;
    if (u_matrix == 0)
        c = vec3(yuv.x + 1.402 * yuv.z, yuv.x - 0.344 * yuv.y - 0.714 * yuv.z, yuv.x + 1.772 * yuv.y);
    else
        c = vec3(yuv.x + 1.575 * yuv.z, yuv.x - 0.187 * yuv.y - 0.468 * yuv.z, yuv.x + 1.856 * yuv.y);
    gl_FragColor = vec4(c, 1.0);
}
