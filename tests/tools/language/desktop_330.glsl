Desktop GLSL 3.30, core profile.
--- vertex
#version 330 core
#extension GL_ARB_separate_shader_objects : enable
layout(location = 3) in vec3 vPosition;
layout(location = 0) in vec2 texCoord0;
layout(std140) uniform Camera { mat4 view; vec4 tint[2]; } camera;
out Data { vec2 uv; flat int id; vec3 rgb; } data;
noperspective out float straight;
flat out uint bits;
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; };
void main() {
    data.uv = texCoord0;
    data.id = gl_InstanceID + 7;
    data.rgb = camera.tint[1].rgb;
    straight = float(gl_VertexID * 0 + 2);
    bits = floatBitsToUint(1.0);
    gl_Position = camera.view * vec4(vPosition, 1);
}
--- fragment
#version 330 core
#extension GL_ARB_separate_shader_objects : enable
in Data { vec2 uv; flat int id; vec3 rgb; } data;
noperspective in float straight;
flat in uint bits;
layout(location = 0, index = 0) out vec4 color;
uniform uvec2 u = uvec2(0xfffffff0u, 3u);
uniform sampler2D picture;
const mat3x2 m = mat3x2(1, 2, 3, 4, 5, 6);
struct pair { float a; vec2 b[2]; };
bool near(float a, float b) { return abs(a - b) < 0.01; }
int pick(int k) {
    switch (k) {
    case 7: return 1;
    case 8: k += 1;
    default: return k;
    }
}
void main() {
    bool ok = near(data.uv.x, gl_FragCoord.x / 32) && data.id == 7 && near(data.rgb.g, 0.75);
    ok = ok && near(straight, 2) && bits == 0x3f800000u && uintBitsToFloat(bits) == 1.0;
    ok = ok && u.x >> 4 == 0x0fffffffu && (u.x / u.y) == 1431655760u && int(u.y) % 2 == 1 && (~u.y & 0xffu) == 0xfcu;
    ok = ok && pick(7) == 1 && pick(8) == 9 && pick(20) == 20;
    vec2 v = m * vec3(1, 10, 100);
    ok = ok && v == vec2(531, 642) && transpose(m)[0] == vec3(1, 3, 5) && outerProduct(vec2(1, 2), vec3(1, 2, 3))[2].y == 6;
    pair p = pair(1, vec2[2](vec2(1), vec2(2, 3)));
    ok = ok && p.b[1] == vec2(2, 3) && p.b.length() == 2 && p == pair(1.0, vec2[](vec2(1, 1), vec2(2, 3)));
    ok = ok && textureSize(picture, 0) == ivec2(2, 2) && near(texelFetch(picture, ivec2(1, 1), 0).r * 255, 40);
    ok = ok && near(texture(picture, vec2(0.75, 0.25)).r * 255, 20) && near(textureLod(picture, vec2(0.25, 0.75), 0).r * 255, 30);
    ok = ok && trunc(-1.5) == -1 && round(2.6) == 3 && roundEven(2.5) == 2 && isnan(uintBitsToFloat(0x7fc00000u));
    ok = ok && near(determinant(mat2(1, 2, 3, 4)), -2) && near(inverse(mat2(2, 0, 0, 4))[1].y, 0.25);
    ok = ok && near(dFdx(gl_FragCoord.x), 1) && all(equal(mix(vec2(1), vec2(2), bvec2(true, false)), vec2(2, 1)));
    int i = 3;
    float f = i;
    f += i / 2;
    ok = ok && f == 4 && gl_FrontFacing;
    gl_FragDepth = 0.5;
    color = ok ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);
}
--- uniforms
[{"name": "Camera.view", "value": [1, 0, 0, 0,  0, 1, 0, 0,  0, 0, 1, 0,  0, 0, 0, 1]},
 {"name": "Camera.tint[0]", "value": [0, 0, 0, 0, 0.5, 0.75, 1, 1]}]
--- textures
[{"unit": 0, "params": [[10241, 9728], [10240, 9728]], "levels": [
  {"target": 3553, "level": 0, "w": 2, "h": 2, "fmt": 6409, "type": 5121, "data": [10, 20, 0, 0, 30, 40, 0, 0]}]}]
