// keyframe interpolation with quantized positions and a normal table lookup
precision highp float;
attribute vec4 frameA;   // xyz byte, w normal index
attribute vec4 frameB;
attribute vec2 uv;
uniform vec3 scaleA, scaleB;
uniform vec3 transA, transB;
uniform float lerp;
uniform vec3 normTable[42];
uniform mat4 mvp;
uniform vec3 shadeVector;
uniform float shadeDots[16];
uniform bool useDots;
uniform vec3 ambientLight;
uniform float powerup;         // >0: expand shell
varying vec3 light;
varying vec2 st;
void main()
{
    int ia = int(frameA.w);
    int ib = int(frameB.w);
    vec3 pa = frameA.xyz * scaleA + transA;
    vec3 pb = frameB.xyz * scaleB + transB;
    vec3 na = normTable[ia];
    vec3 nb = ib == ia ? na : normTable[ib];
    vec3 n = normalize(mix(na, nb, lerp));
    vec3 p = mix(pa, pb, lerp);
    if (powerup > 0.0) p += n * powerup;
    float d = dot(n, shadeVector);
    if (useDots) {
        int q = int(clamp((d * 0.5 + 0.5) * 15.0, 0.0, 15.0));
        d = shadeDots[q];
    } else {
        d = d < 0.0 ? 1.0 + d * (13.0 / 44.0) : 1.0 + d;
    }
    light = clamp(ambientLight * d, 0.0, 1.0);
    if (powerup > 0.0) light = vec3(0.2, 0.4, 1.0);
    st = uv;
    gl_Position = mvp * vec4(p, 1.0);
}
