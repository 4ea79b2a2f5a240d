// REFUSED 3:40 'gl_ClipVertex': user clip planes are not supported: discard in the fragment shader instead
#version 120
void main() { gl_Position = vec4(1.0); gl_ClipVertex = gl_Vertex; }
