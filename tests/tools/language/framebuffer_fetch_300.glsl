GL_EXT_shader_framebuffer_fetch and GL_OES_EGL_image_external_essl3 in ES 3.00: the target is cleared to black first.
--- fragment
#version 300 es
#extension GL_EXT_shader_framebuffer_fetch : require
#extension GL_OES_EGL_image_external_essl3 : require
#extension GL_OES_standard_derivatives : enable
precision mediump float;
uniform samplerExternalOES video;
in vec2 uv;
inout vec4 color;
void change(inout vec4 c) { c.g = 1.0 - c.g; }
void main() {
    bool ok = texture(video, uv).r > 0.35 && texture(video, uv).r < 0.45 && textureSize(video, 0) == ivec2(1);
    ok = ok && color.r == 0.0 && color.g == 0.0 && dFdx(uv.y) == 0.0;
    change(color);
    color.r = ok ? color.r : 1.0;
    color.a = 1.0;
}
--- textures
[{"unit": 0, "params": [[10241, 9728]], "levels": [{"target": 3553, "level": 0, "w": 1, "h": 1, "fmt": 6409, "type": 5121, "data": [102]}]}]
