uniform float u_level;
void main() { gl_FragColor = vec4(u_level); }
