// per-vertex lighting, fixed-function replacement
#define MAX_LIGHTS 8
struct Light {
    vec4 position;      // w == 0 directional
    vec4 ambient;
    vec4 diffuse;
    vec4 specular;
    vec3 spotDir;
    float spotExp;
    float spotCosCutoff;
    vec3 atten;
};
struct Material {
    vec4 ambient;
    vec4 diffuse;
    vec4 specular;
    vec4 emission;
    float shininess;
};
uniform Light u_light[MAX_LIGHTS];
uniform Material u_material;
uniform int u_numLights;
uniform bool u_localViewer;
uniform bool u_normalize;
uniform mat4 u_modelView;
uniform mat4 u_projection;
uniform mat3 u_normalMatrix;
uniform vec4 u_sceneAmbient;

attribute vec4 a_position;
attribute vec3 a_normal;
attribute vec2 a_texcoord;

varying vec4 v_primary;
varying vec4 v_secondary;
varying vec2 v_uv;

void accumulate(in Light l, in vec3 eye, in vec3 n, in vec3 view, inout vec4 prim, inout vec4 sec)
{
    vec3 L;
    float att = 1.0;
    if (l.position.w == 0.0) {
        L = normalize(l.position.xyz);
    } else {
        L = l.position.xyz / l.position.w - eye;
        float d = length(L);
        L /= d;
        att = 1.0 / dot(l.atten, vec3(1.0, d, d * d));
        if (l.spotCosCutoff > -1.0) {
            float c = dot(-L, normalize(l.spotDir));
            att *= c < l.spotCosCutoff ? 0.0 : pow(max(c, 0.0), l.spotExp);
        }
    }
    prim += att * l.ambient * u_material.ambient;
    float nl = dot(n, L);
    if (nl <= 0.0)
        return;
    prim += att * nl * l.diffuse * u_material.diffuse;
    vec3 h = normalize(L + view);
    float nh = dot(n, h);
    if (nh > 0.0)
        sec += att * pow(nh, u_material.shininess) * l.specular * u_material.specular;
}

void main()
{
    vec4 eye4 = u_modelView * a_position;
    vec3 eye = eye4.xyz / eye4.w;
    vec3 n = u_normalMatrix * a_normal;
    if (u_normalize) n = normalize(n);
    vec3 view = u_localViewer ? -normalize(eye) : vec3(0.0, 0.0, 1.0);
    vec4 p = u_material.emission + u_sceneAmbient * u_material.ambient;
    vec4 s = vec4(0.0);
    for (int i = 0; i < MAX_LIGHTS; ++i) {
        if (i >= u_numLights) break;
        accumulate(u_light[i], eye, n, view, p, s);
    }
    p.a = u_material.diffuse.a;
    v_primary = clamp(p, 0.0, 1.0);
    v_secondary = clamp(s, 0.0, 1.0);
    v_uv = a_texcoord;
    gl_Position = u_projection * eye4;
}
