attribute vec4 Vertex;
varying vec2 At;
uniform mat4 Transform;
void main(void) { At = (Transform * Vertex).xy; gl_Position = Vertex; }
