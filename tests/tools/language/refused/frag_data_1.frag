// REFUSED 4:26 'gl_FragData': there is no element 1
#version 120
#extension GL_ARB_draw_buffers : require
void main() { gl_FragData[1] = vec4(1); }
