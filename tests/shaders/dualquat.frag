#version 100
precision mediump float;
uniform sampler2D uAlbedo;
uniform sampler2D uNormal;
uniform lowp vec3 uSunColor;
uniform lowp vec3 uAmbient;
uniform float uGloss;
varying highp vec3 vToEyeT;
varying highp vec3 vSunT;
varying highp vec2 vUV;
void main()
{
    vec4 nm = texture2D(uNormal, vUV);
    vec3 n;
    n.xy = nm.ag * 2.0 - 1.0;       // DXT5nm style
    n.z = sqrt(max(0.0, 1.0 - dot(n.xy, n.xy)));
    vec3 l = normalize(vSunT);
    vec3 v = normalize(vToEyeT);
    vec3 h = normalize(l + v);
    float d = max(dot(n, l), 0.0);
    float s = d > 0.0 ? pow(max(dot(n, h), 0.0), exp2(uGloss * 8.0 + 1.0)) : 0.0;
    vec4 a = texture2D(uAlbedo, vUV);
    gl_FragColor = vec4(a.rgb * (uAmbient + uSunColor * d) + uSunColor * (s * a.a), 1.0);
}
