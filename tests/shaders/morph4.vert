attribute vec3 position;
attribute vec3 normal;
attribute vec3 morphTarget0;
attribute vec3 morphTarget1;
attribute vec3 morphTarget2;
attribute vec3 morphNormal0;
attribute vec3 morphNormal1;
attribute vec3 morphNormal2;
#define MORPHS 3
uniform float morphTargetInfluences[MORPHS];
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
uniform bool morphNormalsOn;
uniform bool absoluteTargets;
varying mediump vec3 vNormal;
varying mediump float vStretch;
void main() {
	vec3 p = position;
	vec3 n = normal;
	float total = 0.0;
	for (int i = 0; i < MORPHS; i++) total += morphTargetInfluences[i];
	if (total > 0.001) {
		vec3 t[MORPHS];
		t[0] = morphTarget0;
		t[1] = morphTarget1;
		t[2] = morphTarget2;
		for (int i = 0; i < MORPHS; i++) {
			float w = morphTargetInfluences[i];
			if (absoluteTargets)
				p += (t[i] - position) * w;
			else
				p += t[i] * w;
		}
		if (morphNormalsOn) {
			if (absoluteTargets) {
				n += (morphNormal0 - normal) * morphTargetInfluences[0];
				n += (morphNormal1 - normal) * morphTargetInfluences[1];
				n += (morphNormal2 - normal) * morphTargetInfluences[2];
			} else {
				n += mat3(morphNormal0, morphNormal1, morphNormal2) *
				     vec3(morphTargetInfluences[0], morphTargetInfluences[1], morphTargetInfluences[2]);
			}
		}
	}
	vStretch = length(p - position);
	vec4 mv = modelViewMatrix * vec4(p, 1.0);
	vNormal = mat3(modelViewMatrix[0].xyz, modelViewMatrix[1].xyz, modelViewMatrix[2].xyz) * normalize(n);
	gl_Position = projectionMatrix * mv;
}
