// 3 bone skin + toon inputs
precision highp float;
#define MAX_BONES 28
attribute vec3 position;
attribute vec3 normal;
attribute vec2 uv;
attribute vec3 boneIdx;
attribute vec2 boneWgt;
uniform mat4 bones[MAX_BONES];
uniform mat4 viewMatrix;
uniform mat4 projMatrix;
uniform vec3 lightDir;
varying vec3 vN;
varying vec3 vV;
varying vec2 vUV;
varying vec2 vSphere;
void main() {
    vec3 w = vec3(boneWgt, 1.0 - boneWgt.x - boneWgt.y);
    mat4 m = bones[int(boneIdx.x)] * w.x;
    if (w.y > 0.0) m += bones[int(boneIdx.y)] * w.y;
    if (w.z > 0.0) m += bones[int(boneIdx.z)] * w.z;
    vec4 p = viewMatrix * (m * vec4(position, 1.0));
    vN = mat3(viewMatrix) * (mat3(m) * normal);
    vV = -p.xyz;
    vUV = uv;
    vec3 r = reflect(normalize(p.xyz), normalize(vN));
    r.z += 1.0;
    vSphere = r.xy * (0.5 * inversesqrt(dot(r, r) + 1e-6)) + 0.5;
    gl_Position = projMatrix * p;
}
