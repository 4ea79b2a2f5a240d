// REFUSED 2:10 #version 310 es is not supported: there are 100, 300 es, and 110, 120, 130, 140, 150 and 330
#version 310 es
void main() {}
