Desktop GLSL: the same lookups in the core profile, which has them up to 4.10.
--- fragment
#version 330 core
#extension GL_ARB_texture_rectangle : require
#extension GL_ARB_shader_texture_lod : require
uniform sampler1D line;
uniform sampler2DRect box;
uniform sampler2DShadow shade;
uniform sampler1DShadow shade1;
uniform sampler2DRectShadow shade_box;
uniform sampler2D plain;
out vec4 color;
bool near(float a, float b) { return abs(a - b) < 0.3; }
void main() {
    bool ok = true;
    vec2 p = mod(floor(gl_FragCoord.xy), 4.0);
    ok = ok && near(texture1D(line, (p.x + 0.5) / 4).r * 255, 10 * p.x);
    ok = ok && near(texture1DProj(line, vec2(p.x + 0.5, 4)).g * 255, 10 * p.x);
    ok = ok && near(texture1DProj(line, vec4(p.x + 0.5, 7, 7, 4)).g * 255, 10 * p.x);
    ok = ok && near(texture1DLod(line, 0.125, 1.0).r * 255, 100);
    ok = ok && near(texture1DProjLod(line, vec4(1, 7, 7, 8), 1.0).r * 255, 100);
    ok = ok && near(texture1DGradARB(line, 0.125, 0.5, 0.0).r * 255, 100);
    ok = ok && near(texture2DRect(box, p + 0.5).r * 255, 10 * p.x + 40 * p.y);
    ok = ok && near(texture2DRectProj(box, vec3((p + 0.5) * 2, 2)).r * 255, 10 * p.x + 40 * p.y);
    ok = ok && near(texture2DGradARB(plain, vec2(0.125), vec2(0), vec2(0)).r * 255, 0);
    ok = ok && near(texture2DLod(plain, vec2(0.875, 0.125), 0).r * 255, 30);
    ok = ok && shadow2D(shade, vec3((p + 0.5) / 4, 0.3)) == vec4(vec3(10 * p.x + 40 * p.y > 75 ? 1 : 0), 1);
    ok = ok && shadow2DProj(shade, vec4((p + 0.5) / 2, 0.6, 2)).rgb == vec3(10 * p.x + 40 * p.y > 75 ? 1 : 0);
    ok = ok && shadow2D(shade, vec3(0.875, 0.875, 0.5), 0.0).r == 1 && shadow2DLod(shade, vec3(0.1, 0.1, 0.5), 0.0).r == 0;
    ok = ok && shadow1D(shade1, vec3((p.x + 0.5) / 4, 7, 0.05)) == vec4(vec3(10 * p.x > 12 ? 1 : 0), 1);
    ok = ok && shadow1DProj(shade1, vec4((p.x + 0.5), 7, 0.2, 4)).r == (10 * p.x > 12 ? 1 : 0);
    ok = ok && shadow1DLod(shade1, vec3(0.1, 0, 0.1), 0.0).r == 0 && shadow2DProjLod(shade, vec4(0.9, 0.9, 0.1, 1), 0.0).a == 1;
    float inside = 10 * p.x + 40 * p.y > 75 ? 1 : 0;
    ok = ok && shadow2DRect(shade_box, vec3(p + 0.5, 0.3)) == vec4(vec3(inside), 1);
    ok = ok && shadow2DRectProj(shade_box, vec4((p + 0.5) * 2, 0.6, 2)) == vec4(vec3(inside), 1);
    ok = ok && shadow2DRectGradARB(shade_box, vec3(p + 0.5, 0.3), vec2(0), vec2(0)).g == inside;
    ok = ok && shadow2DRectProjGradARB(shade_box, vec4((p + 0.5) * 2, 0.6, 2), vec2(0), vec2(0)).b == inside;
    ok = ok && shadow2DGradARB(shade, vec3((p + 0.5) / 4, 0.3), vec2(0), vec2(0)).r == inside;
    ok = ok && shadow2DProjGradARB(shade, vec4((p + 0.5) / 2, 0.6, 2), vec2(0), vec2(0)).r == inside;
    ok = ok && shadow1DGradARB(shade1, vec3((p.x + 0.5) / 4, 7, 0.05), 0.0, 0.0).r == (10 * p.x > 12 ? 1 : 0);
    ok = ok && shadow1DProjGradARB(shade1, vec4(p.x + 0.5, 7, 0.2, 4), 0.0, 0.0).a == 1;
    color = ok ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);
}
--- uniforms
[{"name": "line", "value": 0}, {"name": "shade1", "value": 0}, {"name": "box", "value": 1}, {"name": "shade", "value": 1}, {"name": "plain", "value": 1}, {"name": "shade_box", "value": 1}]
--- textures
[{"unit": 0, "params": [[10241, 9984], [10240, 9728]], "levels": [
  {"target": 3553, "level": 0, "w": 4, "h": 1, "fmt": 6409, "type": 5121, "data": [0, 10, 20, 30]},
  {"target": 3553, "level": 1, "w": 2, "h": 1, "fmt": 6409, "type": 5121, "data": [100, 110]},
  {"target": 3553, "level": 2, "w": 1, "h": 1, "fmt": 6409, "type": 5121, "data": [200]}]},
 {"unit": 1, "params": [[10241, 9728], [10240, 9728]], "levels": [
  {"target": 3553, "level": 0, "w": 4, "h": 4, "fmt": 6409, "type": 5121, "data": [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150]}]}]
