// REFUSED 4:17 integer colour outputs are not supported: the tile buffer holds normalised colours
#version 300 es
precision mediump float;
out highp ivec4 c;
void main() { c = ivec4(1); }
