Desktop GLSL 1.20 with the compatibility profile's variables and functions.
--- vertex
#version 120
attribute vec2 texCoord0;
attribute vec3 vPosition;
uniform mat4 half_way = mat4(0.5);
invariant gl_Position;
varying float round;                 // words of later versions
centroid varying vec3 smooth;
varying mat2 flat_[2];
float length(float x, float y) { return x + y; }   // an overload of a built-in
mat3 inverse(mat3 m) { return m; }   // not there before 1.40
void main() {
    round = length(1, 2) + 3;        // integers become floats
    smooth = inverse(mat3(2)) * vec3(1, 2, 3);
    flat_[0] = mat2(1, 2, 3, 4);
    flat_[1] = transpose(flat_[0]);
    gl_TexCoord[0] = gl_TextureMatrix[0] * vec4(texCoord0, 0, 1);
    gl_TexCoord[1].xy = gl_MultiTexCoord3.xy + gl_Normal.xy;
    gl_FrontColor = vec4(2.0, -1.0, 0.25, 1.0);     // clamped
    gl_FrontSecondaryColor = gl_Color;
    gl_FogFragCoord = gl_LightSource[2].spotDirection.y + gl_FrontMaterial.shininess;
    gl_Position = gl_ModelViewProjectionMatrix * vec4(gl_NormalMatrix * vPosition, 1.0) * 2.0;
    gl_Position = half_way * gl_Position;
}
--- fragment
#version 120
varying float round;
centroid varying vec3 smooth;
varying mat2 flat_[2];
uniform float k = 3, list[2] = float[2](5, 6.5);
uniform struct S { vec2 a; float b[2]; bool c; } s = S(vec2(1, 2), float[](7.0, 8.0), true);
uniform mat2x3 m = mat2x3(1, 2, 3, 4, 5, 6);
uniform ivec2 n = ivec2(-3, 4);
const float texture = 0.5;
bool near(float a, float b) { return abs(a - b) < 0.01; }
void main() {
    float values[] = float[](1, 2, 3);
    bool ok = near(round, 6) && near(smooth.z, 6) && near(flat_[1][0].y, 3) && values.length() == 3;
    ok = ok && near(gl_TexCoord[0].x, gl_FragCoord.x / 32) && near(gl_TexCoord[0].y, gl_FragCoord.y / 32 + 0.5);
    ok = ok && near(gl_TexCoord[1].x, 0.0);
    ok = ok && near(gl_Color.r, 1) && near(gl_Color.g, 0) && near(gl_Color.b, 0.25);
    ok = ok && near(gl_SecondaryColor.r, 0.0) && near(gl_FogFragCoord, 7.0);
    ok = ok && k == 3 && list[0] == 5 && list[1] == 6.5 && s.a.y == 2 && s.b[1] == 8 && s.c && m[1].y == 5 && n == ivec2(-3, 4);
    ok = ok && near(gl_Fog.color.g * gl_Fog.density, 2.0) && gl_MaxTextureCoords == 8 && gl_MaxDrawBuffers == 1;
    ok = ok && texture == 0.5 && near(values[int(gl_FragCoord.x) / 12], 1 + floor(gl_FragCoord.x / 12));
    gl_FragColor = ok ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);
}
--- uniforms
[{"name": "gl_ModelViewProjectionMatrix", "value": [1, 0, 0, 0,  0, 1, 0, 0,  0, 0, 1, 0,  0, 0, 0, 1]},
 {"name": "gl_TextureMatrix[0]", "value": [1, 0, 0, 0,  0, 1, 0, 0,  0, 0, 1, 0,  0, 0.5, 0, 1]},
 {"name": "gl_NormalMatrix", "value": [1, 0, 0,  0, 1, 0,  0, 0, 1]},
 {"name": "gl_LightSource[2].spotDirection", "value": [1, 3, 2]},
 {"name": "gl_FrontMaterial.shininess", "value": 4},
 {"name": "gl_Fog.color", "value": [0, 4, 0, 0]},
 {"name": "gl_Fog.density", "value": 0.5}]
