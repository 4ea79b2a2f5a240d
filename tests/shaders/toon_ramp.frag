precision highp float;
uniform sampler2D texMain;
uniform sampler2D texRamp;
uniform sampler2D texSphere;
uniform sampler2D texMask;
uniform vec3 lightDir;     // view space
uniform vec3 matDiffuse, matAmbient, matSpecular;
uniform float matPower;
uniform int sphereMode;    // 0 off, 1 mul, 2 add
uniform int bands;         // 0 = ramp texture
uniform vec4 rim;          // rgb, power
varying vec3 vN;
varying vec3 vV;
varying vec2 vUV;
varying vec2 vSphere;

float quantize(float x) {
    float b = float(bands);
    float q = floor(x * b) / b;
    float e = fract(x * b);
    return q + smoothstep(0.45, 0.55, e) / b;
}

void main() {
    vec3 n = normalize(vN);
    vec3 v = normalize(vV);
    vec4 mask = texture2D(texMask, vUV);
    float nl = dot(n, lightDir) * 0.5 + 0.5;
    nl = clamp(nl + (mask.g - 0.5), 0.0, 1.0);
    vec3 shade = bands > 0 ? vec3(quantize(nl)) : texture2D(texRamp, vec2(nl, 0.5)).rgb;
    vec4 c = texture2D(texMain, vUV);
    c.rgb *= clamp(matDiffuse + matAmbient, 0.0, 1.0);
    if (sphereMode == 1) c.rgb *= texture2D(texSphere, vSphere).rgb;
    else if (sphereMode == 2) c.rgb += texture2D(texSphere, vSphere).rgb;
    c.rgb *= shade;
    if (matPower > 0.0) {
        float s = pow(max(dot(normalize(lightDir + v), n), 0.0), matPower);
        c.rgb += matSpecular * step(1.0 - mask.b, s) * mask.r;
    }
    float r = pow(1.0 - max(dot(n, v), 0.0), rim.w);
    c.rgb += rim.rgb * smoothstep(0.3, 0.4, r) * step(0.5, nl);
    gl_FragColor = c;
}
