Desktop GLSL 1.30 and 1.50: old and new words side by side, precision qualifiers that say nothing but what is written.
--- vertex
#version 330 compatibility
in vec3 vPosition;
attribute vec2 texCoord0;
flat out ivec3 whole;
noperspective out vec2 uv;
smooth out float plain[2];
out vec3 texture;                     // a word that is a function's elsewhere
struct light { vec3 at; float power; };
out light lamp;
void main() {
    whole = ivec3(1, -2, 1 << 20);
    uv = texCoord0;
    plain = float[2](1, 2);
    texture = vec3(0.25);
    lamp = light(vec3(1, 2, 3), 4);
    gl_TexCoord[1] = gl_Vertex * 0 + 3;
    gl_Position = vec4(vPosition, 1) * gl_ModelViewMatrixTranspose + ftransform() * 0;
}
--- fragment
#version 150 compatibility
precision mediump float;
flat in ivec3 whole;
noperspective in vec2 uv;
smooth in float plain[2];
in vec3 texture;
struct light { vec3 at; float power; };
in light lamp;
uniform sampler2DShadow shade;
uniform lowp vec4 c = vec4(0.5);
out highp vec4 color;
bool near(float a, float b) { return abs(a - b) < 0.01; }
uint twice(uint a) { return a * 2u; }
void main() {
    bool ok = whole == ivec3(1, -2, 1048576) && near(uv.x, gl_FragCoord.x / 32) && near(plain[1], 2) && near(texture.y, 0.25);
    ok = ok && near(lamp.at.z, 3) && near(lamp.power, 4) && near(gl_TexCoord[1].w, 3) && c.a == 0.5;
    ok = ok && twice(3u) == 6u && (whole.z >> 19) == 2 && (-7 / 2) == -3 && (whole.y & 3) == 2;
    ok = ok && textureLod(shade, vec3(0.875, 0.875, 0.5), 0) == 1.0 && textureSize(shade, 0) == ivec2(4, 4);
    ok = ok && textureOffset(shade, vec3(0.125, 0.125, 0.25), ivec2(3, 3)) == 1.0;
    ok = ok && isinf(1.0 / (uv.x * 0)) == true && trunc(2.5) == 2 && sinh(0.0) == 0.0;
    gl_FragDepth = gl_FragCoord.z;
    color = ok ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);
}
--- uniforms
[{"name": "gl_ModelViewMatrixTranspose", "value": [1, 0, 0, 0,  0, 1, 0, 0,  0, 0, 1, 0,  0, 0, 0, 1]}]
--- textures
[{"unit": 0, "params": [[10241, 9728], [10240, 9728]], "levels": [
  {"target": 3553, "level": 0, "w": 4, "h": 4, "fmt": 6409, "type": 5121, "data": [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150]}]}]
