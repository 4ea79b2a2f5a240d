// REFUSED 3:40 'gl_ClipDistance': user clip planes are not supported: discard in the fragment shader instead
#version 130
void main() { gl_Position = vec4(1.0); gl_ClipDistance[0] = 1.0; }
