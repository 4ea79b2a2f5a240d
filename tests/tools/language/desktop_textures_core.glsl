Desktop GLSL: lookups by the names of 1.20 in the core profile, which has them up to 4.10.
--- fragment
#version 330 core
uniform sampler2D plain;
uniform sampler2DShadow shade;
out vec4 color;
bool is(vec4 texel, float bytes) { return abs(texel.r * 255.0 - bytes) < 0.3; }
void main() {
    bool ok = is(texture2D(plain, vec2(0.75, 0.25)), 20.0) && is(texture2DProj(plain, vec3(1.5, 1.5, 2.0)), 40.0);
    ok = ok && is(texture2DLod(plain, vec2(0.25, 0.75), 0.0), 30.0) && is(texture2DProj(plain, vec4(0.5, 0.5, 9.0, 2.0)), 10.0);
    ok = ok && shadow2D(shade, vec3(0.75, 0.75, 0.1)) == vec4(1.0) && shadow2DProj(shade, vec4(0.5, 0.5, 0.2, 2.0)) == vec4(0, 0, 0, 1);
    color = vec4(ok ? 0 : 1, ok ? 1 : 0, 0, 1);
}
--- textures
[{"unit": 0, "params": [[10241, 9728], [10240, 9728]], "levels": [
  {"target": 3553, "level": 0, "w": 2, "h": 2, "fmt": 6409, "type": 5121, "data": [10, 20, 0, 0, 30, 40, 0, 0]}]}]
