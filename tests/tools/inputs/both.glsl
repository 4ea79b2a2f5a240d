#version 120
#pragma parameter GAIN "How bright" 0.5 0.0 2.0 0.1
#if defined(VERTEX)
attribute vec4 position;
attribute vec2 texcoord;
varying vec2 v;
void main() { gl_Position = position; v = texcoord; }
#elif defined(FRAGMENT)
varying vec2 v;
#ifdef PARAMETER_UNIFORM
uniform float GAIN;
#else
#define GAIN 1.0
#endif
void main() { gl_FragColor = vec4(v * GAIN, 0.0, 1.0); }
#endif
