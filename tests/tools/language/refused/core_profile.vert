// REFUSED 3:29 'gl_ModelViewProjectionMatrix': undeclared identifier
#version 330 core
void main() { gl_Position = gl_ModelViewProjectionMatrix * vec4(1); }
