#version 450
// Names and order of the interface tables; side table; unused entries stay.
// SYMBOL uniform lowp vec4 tint
// SYMBOL uniform none bool flag
// SYMBOL member mediump vec3 light.pos
// SYMBOL varying lowp vec2 uv
// OPTION ignore_locations
// CHECK uniform "lights[0].pos" float 3x1 word 0 mediump
// CHECK uniform "lights[1].pos" float 3x1 word 3 mediump
// CHECK uniform "lights[0].power" float 1x1 word 6 highp array 3
// CHECK uniform "lights[1].power" float 1x1 word 9 highp array 3 used
// CHECK uniform "tint" float 4x1 word 12 lowp used
// CHECK uniform "flag" bool 1x1 word 16 highp
// CHECK uniform "turn" float 3x2 word 17 highp
// CHECK sampler "map[0].t"
// CHECK input "place" float 4x1 word 0 highp used
// CHECK output "gl_Position" float 4x1 word 0 highp used
// CHECK output "uv" float 2x1 word 4 lowp used
// CHECK output "never" float 1x1 word 6 highp
// CHECK var "gl_Position"
// CHECK uniform.f32 u[10]
// CHECK lowp
// NOT vertex_id
// NOT location
struct light { vec3 pos; float power[3]; };
struct textured { sampler2D t; };
uniform light lights[2];
uniform vec4 tint;
uniform bool flag;
uniform mat2x3 turn;
uniform textured map[2];
in vec4 place;
out vec2 uv;
out float never;
void main() { gl_Position = place * lights[1].power[1]; uv = tint.xy; }
