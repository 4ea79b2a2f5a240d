// REFUSED 3:19 17 samplers, but 16 are the limit; 's' takes 17 of them
precision mediump float;
uniform sampler2D s[17];
void main() { gl_FragColor = texture2D(s[16], vec2(0.5)); }
