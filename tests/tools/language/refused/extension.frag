// REFUSED 3:12 extension GL_EXT_gpu_shader4 is not supported
#version 120
#extension GL_EXT_gpu_shader4 : require
void main() { gl_FragColor = vec4(1); }
