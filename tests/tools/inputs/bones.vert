attribute vec4 a;
uniform mat4 u_bones[300];
void main() { gl_Position = u_bones[299] * a; }
