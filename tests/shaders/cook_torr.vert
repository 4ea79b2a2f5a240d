attribute vec3 vPos;
attribute vec3 vNrm;
attribute vec2 vTex;
uniform mat4 M, V, P;
uniform mat3 N;
varying highp vec3 fPos;
varying highp vec3 fNrm;
varying highp vec2 fTex;
void main()
{
    vec4 w = M * vec4(vPos, 1.0);
    fPos = w.xyz;
    fNrm = N * vNrm;
    fTex = vTex;
    gl_Position = P * (V * w);
}
