precision highp float;
#define SKINNED 1
#define ALPHA_TEST 1
attribute vec3 aPosition;
attribute vec3 aNormal;
#if SKINNED
attribute vec4 aBone;
attribute vec4 aWeight;
uniform mat4 uBones[28];
uniform bool uSkin;
#endif
#if ALPHA_TEST
attribute vec2 aUv;
varying vec2 vUv;
#endif
uniform mat4 uModel;
uniform mat4 uLightVP;
uniform vec3 uLightPosOrDir;
uniform vec4 uBias;            // constant, slope, normal, pancake flag
varying vec2 vDepth;

void main()
{
    mat4 m = uModel;
#if SKINNED
    if (uSkin) {
        mat4 s = mat4(0.0);
        for (int i = 0; i < 4; i++)
            s += uBones[int(aBone[i])] * aWeight[i];
        m = uModel * s;
    }
#endif
    vec4 w = m * vec4(aPosition, 1.0);
    vec3 n = normalize(mat3(m) * aNormal);
    vec3 l = normalize(uLightPosOrDir);
    float c = dot(n, l);
    float sine = sqrt(max(1.0 - c * c, 0.0));
    w.xyz -= n * (uBias.z * sine);
    vec4 p = uLightVP * w;
    p.z += clamp(uBias.x + uBias.y * sine / max(abs(c), 0.05), 0.0, 0.01) * p.w;
    if (uBias.w > 0.5)
        p.z = max(p.z, -p.w);
    vDepth = p.zw;
#if ALPHA_TEST
    vUv = aUv;
#endif
    gl_Position = p;
}
