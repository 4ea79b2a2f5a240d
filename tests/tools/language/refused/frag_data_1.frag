// REFUSED 4:26 '[': array index out of range '1'
#version 120
#extension GL_ARB_draw_buffers : require
void main() { gl_FragData[1] = vec4(1); }
