precision mediump float;
#define MAX_RIPPLES 10
attribute highp vec3 aVertex;
uniform highp mat4 uMvp;
uniform highp vec4 uRipple[MAX_RIPPLES];   // centre.xz, start time, strength
uniform int uRippleCount;
uniform highp float uClock;
uniform float uSpeed, uDecay, uLambda;
uniform bool uReflectEdges;
uniform highp vec4 uPool;                   // min.xz max.xz
varying vec3 vNormal;
varying float vHeight;
varying highp vec2 vXZ;

void ring(highp vec2 c, highp float t, float amp, inout float h, inout vec2 grad)
{
    highp vec2 d = aVertex.xz - c;
    highp float r = length(d);
    highp float front = t * uSpeed;
    if (r > front || r < 0.0001) return;
    float env = exp(-uDecay * t) * exp(-(front - r) * 0.8) * amp;
    highp float ph = (front - r) * (6.2831853 / uLambda);
    h += sin(ph) * env;
    grad -= (d / r) * (cos(ph) * env * 6.2831853 / uLambda);
}

void main()
{
    float h = 0.0;
    vec2 g = vec2(0.0);
    for (int i = 0; i < MAX_RIPPLES; i++) {
        if (i >= uRippleCount) break;
        highp vec4 r = uRipple[i];
        highp float t = uClock - r.z;
        if (t < 0.0 || t > 6.0) continue;
        ring(r.xy, t, r.w, h, g);
        if (uReflectEdges) {
            ring(vec2(2.0 * uPool.x - r.x, r.y), t, r.w * 0.5, h, g);
            ring(vec2(2.0 * uPool.z - r.x, r.y), t, r.w * 0.5, h, g);
            ring(vec2(r.x, 2.0 * uPool.y - r.y), t, r.w * 0.5, h, g);
            ring(vec2(r.x, 2.0 * uPool.w - r.y), t, r.w * 0.5, h, g);
        }
    }
    vNormal = normalize(vec3(-g.x, 1.0, -g.y));
    vHeight = h;
    vXZ = aVertex.xz;
    gl_Position = uMvp * vec4(aVertex.x, aVertex.y + h, aVertex.z, 1.0);
}
