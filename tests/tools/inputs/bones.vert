attribute vec4 a;
uniform mat4 u_bones[600], u_old[500];
void main() { gl_Position = (u_bones[599] + u_old[499]) * a; }
