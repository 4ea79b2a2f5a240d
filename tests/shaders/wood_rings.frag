precision mediump float;
varying vec3 v_local;
varying vec3 v_normal;
varying vec3 v_toEye;

struct Wood {
	vec3 light;
	vec3 dark;
	float ringFreq;
	float grain;
	float wobble;
};
uniform Wood u_wood;
uniform vec3 u_sun;

float hash1(float n) { return fract(sin(n) * 753.5453123); }

float noise(vec3 x) {
	vec3 p = floor(x);
	vec3 f = fract(x);
	f = f * f * (3.0 - 2.0 * f);
	float n = p.x + p.y * 157.0 + 113.0 * p.z;
	return mix(mix(mix(hash1(n), hash1(n + 1.0), f.x),
	               mix(hash1(n + 157.0), hash1(n + 158.0), f.x), f.y),
	           mix(mix(hash1(n + 113.0), hash1(n + 114.0), f.x),
	               mix(hash1(n + 270.0), hash1(n + 271.0), f.x), f.y), f.z);
}

vec3 woodColor(Wood w, vec3 p, out float gloss) {
	vec3 q = p + w.wobble * (noise(p * 1.5) - 0.5);
	float r = length(q.xz) * w.ringFreq;
	r += noise(vec3(p.x, p.y * 0.1, p.z) * 4.0) * 0.6;
	float ring = fract(r);
	// sawtooth with a soft falling side: early wood and late wood
	if (ring < 0.75)
		ring = ring / 0.75;
	else
		ring = (1.0 - ring) * 4.0;
	float fibre = noise(vec3(p.x * 60.0, p.y * 2.0, p.z * 60.0));
	vec3 c = mix(w.light, w.dark, ring);
	c *= 1.0 - w.grain * step(0.72, fibre) * 0.5;
	gloss = mix(0.5, 0.15, ring);
	return c;
}

void main() {
	float gloss;
	vec3 albedo = woodColor(u_wood, v_local, gloss);
	vec3 N = normalize(v_normal);
	vec3 V = normalize(v_toEye);
	vec3 H = normalize(V + u_sun);
	float nl = max(dot(N, u_sun), 0.0);
	float sp = nl > 0.0 ? pow(max(dot(N, H), 0.0), 40.0) : 0.0;
	gl_FragColor = vec4(albedo * (0.2 + 0.8 * nl) + gloss * sp, 1.0);
}
