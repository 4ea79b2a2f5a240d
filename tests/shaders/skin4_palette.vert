attribute highp vec4 inVertex;
attribute mediump vec3 inNormal;
attribute mediump vec3 inTangent;
attribute mediump vec2 inTexCoord;
attribute mediump vec4 inBoneIndex;
attribute mediump vec4 inBoneWeights;

uniform highp mat4 ViewProjMatrix;
uniform mediump vec3 LightPos;
uniform mediump int BoneCount;
uniform highp mat4 BoneMatrixArray[16];
uniform highp mat3 BoneMatrixArrayIT[16];
uniform bool bUseDot3;

varying mediump vec3 Light;
varying mediump vec2 TexCoord;

void main()
{
	if (BoneCount > 0)
	{
		mediump ivec4 boneIndex = ivec4(inBoneIndex);
		mediump vec4 boneWeights = inBoneWeights;
		highp mat4 boneMatrix = BoneMatrixArray[boneIndex.x];
		mediump mat3 normalMatrix = BoneMatrixArrayIT[boneIndex.x];
		highp vec4 position = boneMatrix * inVertex * boneWeights.x;
		mediump vec3 worldNormal = normalMatrix * inNormal * boneWeights.x;
		mediump vec3 worldTangent;
		if (bUseDot3)
			worldTangent = normalMatrix * inTangent * boneWeights.x;

		for (lowp int i = 1; i < 3; ++i)
		{
			if (i < BoneCount)
			{
				// rotate so the next influence sits in .x
				boneIndex = boneIndex.yzwx;
				boneWeights = boneWeights.yzwx;
				boneMatrix = BoneMatrixArray[boneIndex.x];
				normalMatrix = BoneMatrixArrayIT[boneIndex.x];
				position += boneMatrix * inVertex * boneWeights.x;
				worldNormal += normalMatrix * inNormal * boneWeights.x;
				if (bUseDot3)
					worldTangent += normalMatrix * inTangent * boneWeights.x;
			}
		}
		gl_Position = ViewProjMatrix * position;
		mediump vec3 toLight = normalize(LightPos - position.xyz);
		if (bUseDot3)
		{
			mediump vec3 bitangent = cross(worldNormal, worldTangent);
			Light.x = dot(toLight, normalize(worldTangent));
			Light.y = dot(toLight, normalize(bitangent));
			Light.z = dot(toLight, normalize(worldNormal));
		}
		else
		{
			Light = vec3(0.0, 0.0, dot(normalize(worldNormal), toLight));
		}
	}
	else
	{
		gl_Position = ViewProjMatrix * inVertex;
		Light = vec3(0.0, 0.0, 1.0);
	}
	TexCoord = inTexCoord;
}
