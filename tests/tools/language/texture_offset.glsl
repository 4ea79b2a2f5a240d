ES 3.00: lookups moved by whole texels, at each level; 4 x 4 texels of 0 to 150 in steps of 10, then 160 to 190, then 200.
--- fragment
#version 300 es
precision highp float;
uniform sampler2D s;
uniform highp sampler2DShadow z;
in vec2 uv;
out vec4 color;
bool near(float a, float b) { return abs(a - b) < 0.3; }
float at(ivec2 p) { return float(p.x + 4 * p.y) * 10.0; }
void main() {
    ivec2 p = ivec2(gl_FragCoord.xy) & 1;                     // moved by up to 2
    vec2 c = (vec2(p) + 0.5) / 4.0;
    bool ok = near(textureOffset(s, c, ivec2(1, 0)).r * 255.0, at(p + ivec2(1, 0)));
    ok = ok && near(textureOffset(s, c, ivec2(0, 2)).r * 255.0, at(p + ivec2(0, 2)));
    ok = ok && near(textureLodOffset(s, c, 0.0, ivec2(2, 1)).r * 255.0, at(p + ivec2(2, 1)));
    ok = ok && near(textureLodOffset(s, vec2(0.25), 1.0, ivec2(1, 0)).r * 255.0, 170.0);
    ok = ok && near(textureLodOffset(s, vec2(0.25), 1.0, ivec2(0, 1)).r * 255.0, 180.0);
    ok = ok && near(textureLodOffset(s, vec2(0.25), 9.0, ivec2(1, 1)).r * 255.0, 200.0);
    ok = ok && near(textureProjOffset(s, vec3(c * 2.0, 2.0), ivec2(1, 1)).r * 255.0, at(p + 1));
    ok = ok && near(textureProjOffset(s, vec4(c * 4.0, 9.0, 4.0), ivec2(2, 1)).r * 255.0, at(p + ivec2(2, 1)));
    ok = ok && near(textureProjLodOffset(s, vec3(vec2(0.5), 2.0), 1.0, ivec2(1, 1)).r * 255.0, 190.0);
    ok = ok && near(textureGradOffset(s, vec2(0.25), vec2(0.5, 0.0), vec2(0.0, 0.5), ivec2(1, 0)).r * 255.0, 170.0);
    ok = ok && near(textureProjGradOffset(s, vec3(c, 1.0), vec2(0.1), vec2(0.1), ivec2(1, 2)).r * 255.0, at(p + ivec2(1, 2)));
    ok = ok && near(texelFetchOffset(s, p, 0, ivec2(2, 2)).r * 255.0, at(p + 2));
    ok = ok && textureOffset(z, vec3(c, 0.03), ivec2(1, 0)) == 1.0 && textureOffset(z, vec3(c, 0.9), ivec2(1, 0)) == 0.0;
    // The unit's own level: 16 texels of the first level a pixel makes the third, 2 the second.
    ok = ok && near(textureOffset(s, gl_FragCoord.xy * 4.0, ivec2(3, 1)).r * 255.0, 200.0);
    vec2 slow = gl_FragCoord.xy / 2.0;                        // in the middle of the second level's texels
    float here = texture(s, slow).r, right = textureOffset(s, slow, ivec2(1, 0)).r, up = textureOffset(s, slow, ivec2(0, 1)).r;
    ok = ok && near(abs(here - right) * 255.0, 10.0) && near(abs(here - up) * 255.0, 20.0);
    here = texture(s, slow * 0.5, 1.0).r, right = textureOffset(s, slow * 0.5, ivec2(1, 0), 1.0).r;
    ok = ok && near(abs(here - right) * 255.0, 10.0) && here > 0.62;
    color = vec4(ok ? 0.0 : 1.0, ok ? 1.0 : 0.0, 0.0, 1.0);
}
--- uniforms
[{"name": "s", "value": 0}, {"name": "z", "value": 0}]
--- textures
[{"unit": 0, "params": [[10241, 9984], [10240, 9728]], "levels": [
  {"target": 3553, "level": 0, "w": 4, "h": 4, "fmt": 6409, "type": 5121, "data": [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150]},
  {"target": 3553, "level": 1, "w": 2, "h": 2, "fmt": 6409, "type": 5121, "data": [160, 170, 180, 190]},
  {"target": 3553, "level": 2, "w": 1, "h": 1, "fmt": 6409, "type": 5121, "data": [200]}]}]
