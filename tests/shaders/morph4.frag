precision mediump float;
uniform vec3 skin;
uniform vec3 blush;
uniform float wrinkleAt;
varying vec3 vNormal;
varying float vStretch;
void main() {
	vec3 n = normalize(vNormal);
	float key = max(dot(n, normalize(vec3(0.5, 0.6, 0.8))), 0.0);
	float fill = max(dot(n, normalize(vec3(-0.8, 0.1, 0.4))), 0.0);
	vec3 base = mix(skin, blush, clamp(vStretch * 3.0, 0.0, 1.0));
	vec3 c = base * (key * vec3(1.0, 0.96, 0.9) + fill * vec3(0.2, 0.25, 0.35) + 0.08);
	if (vStretch > wrinkleAt) {
		c *= 1.0 - 0.3 * min(vStretch - wrinkleAt, 1.0);
	}
	gl_FragColor = vec4(sqrt(c), 1.0);
}
