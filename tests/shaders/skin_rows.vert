// Ogre flavoured: 3x4 palette as vec4 triples
#define BONES 24
attribute vec4 vertex;
attribute vec3 normal;
attribute vec4 uv0;
attribute vec4 blendIndices;
attribute vec4 blendWeights;

uniform vec4 worldMatrix3x4Array[BONES * 3];
uniform mat4 viewProjectionMatrix;
uniform vec4 lightPos[2];
uniform vec4 lightDiffuseColour[2];
uniform vec4 ambient;

varying vec4 colour;
varying vec2 oUv0;

vec3 blendRow(int base, vec4 p)
{
    return vec3(dot(worldMatrix3x4Array[base], p),
                dot(worldMatrix3x4Array[base + 1], p),
                dot(worldMatrix3x4Array[base + 2], p));
}

void main()
{
    vec3 blendPos = vec3(0.0, 0.0, 0.0);
    vec3 blendNorm = vec3(0.0, 0.0, 0.0);
    for (int bone = 0; bone < 4; ++bone)
    {
        int idx = int(blendIndices[bone]) * 3;
        float weight = blendWeights[bone];
        blendPos += blendRow(idx, vertex) * weight;
        mat3 m;
        m[0] = vec3(worldMatrix3x4Array[idx].x, worldMatrix3x4Array[idx + 1].x, worldMatrix3x4Array[idx + 2].x);
        m[1] = vec3(worldMatrix3x4Array[idx].y, worldMatrix3x4Array[idx + 1].y, worldMatrix3x4Array[idx + 2].y);
        m[2] = vec3(worldMatrix3x4Array[idx].z, worldMatrix3x4Array[idx + 1].z, worldMatrix3x4Array[idx + 2].z);
        blendNorm += (m * normal) * weight;
    }
    blendNorm = normalize(blendNorm);
    gl_Position = viewProjectionMatrix * vec4(blendPos, 1.0);

    vec3 lightDir0 = normalize(lightPos[0].xyz - (blendPos * lightPos[0].w));
    vec3 lightDir1 = normalize(lightPos[1].xyz - (blendPos * lightPos[1].w));
    colour = vec4(0.5, 0.5, 0.5, 1.0) * ambient
        + clamp(dot(lightDir0, blendNorm), 0.0, 1.0) * lightDiffuseColour[0]
        + clamp(dot(lightDir1, blendNorm), 0.0, 1.0) * lightDiffuseColour[1];
    oUv0 = uv0.xy;
}
