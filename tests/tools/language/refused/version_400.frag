// REFUSED 2:10 #version 400 is not supported: there are 100, 300 es, and 110, 120, 130, 140, 150 and 330
#version 400
void main() {}
