// REFUSED 3:35 'noise1': the noise functions are not supported (no implementation ever computed them)
#version 120
void main() { gl_FragColor = vec4(noise1(1.0)); }
