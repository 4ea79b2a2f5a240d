#version 100
precision highp float;

attribute vec3 aPosition;
attribute vec3 aNormal;
attribute vec4 aTangent;
attribute vec2 aUV;
attribute vec4 aJoints;
attribute vec4 aWeights;

uniform vec4 uJointDQ[60];   // real, dual interleaved (30 joints)
uniform mat4 uViewProj;
uniform mat4 uWorld;
uniform vec3 uCamPos;
uniform vec3 uSunDir;

varying vec3 vToEyeT;
varying vec3 vSunT;
varying vec2 vUV;

struct DQ { vec4 r; vec4 d; };

DQ fetchDQ(float j)
{
    int i = int(j + 0.5) * 2;
    return DQ(uJointDQ[i], uJointDQ[i + 1]);
}

void addDQ(inout DQ acc, float j, float w)
{
    if (w <= 0.0) return;
    DQ q = fetchDQ(j);
    float s = dot(acc.r, q.r) < 0.0 ? -w : w;   // antipodality
    acc.r += q.r * s;
    acc.d += q.d * s;
}

vec3 qrot(vec4 q, vec3 v)
{
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

vec3 dqTransform(const DQ b, vec3 p)
{
    vec3 t = 2.0 * (b.r.w * b.d.xyz - b.d.w * b.r.xyz + cross(b.r.xyz, b.d.xyz));
    return qrot(b.r, p) + t;
}

void main()
{
    DQ b = fetchDQ(aJoints.x);
    b.r *= aWeights.x;
    b.d *= aWeights.x;
    addDQ(b, aJoints.y, aWeights.y);
    addDQ(b, aJoints.z, aWeights.z);
    addDQ(b, aJoints.w, aWeights.w);
    float inv = inversesqrt(dot(b.r, b.r));
    b.r *= inv;
    b.d *= inv;

    vec4 wp = uWorld * vec4(dqTransform(b, aPosition), 1.0);
    vec3 n = normalize((uWorld * vec4(qrot(b.r, aNormal), 0.0)).xyz);
    vec3 t = normalize((uWorld * vec4(qrot(b.r, aTangent.xyz), 0.0)).xyz);
    vec3 bt = cross(n, t) * aTangent.w;
    mat3 toTangent = mat3(t.x, bt.x, n.x, t.y, bt.y, n.y, t.z, bt.z, n.z);
    vToEyeT = toTangent * (uCamPos - wp.xyz);
    vSunT = toTangent * uSunDir;
    vUV = aUV;
    gl_Position = uViewProj * wp;
}
