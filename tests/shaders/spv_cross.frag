#version 100
precision mediump float;
precision highp int;

const highp vec2 _25 = vec2(0.0);
const highp vec3 _28 = vec3(0.2125999927520751953125, 0.715200006961822509765625, 0.072200000286102294921875);

struct SurfaceParams
{
    highp vec4 tint;
    highp vec3 lightDir;
    highp float steps;
    highp vec3 viewDir;
    highp float height;
};

uniform SurfaceParams Params;
uniform highp sampler2D SPIRV_Cross_CombinedtexAlbedosmp;
uniform highp sampler2D SPIRV_Cross_CombinedtexHeightsmp;

varying highp vec3 var_NORMAL;
varying highp vec2 var_TEXCOORD0;
varying highp vec4 var_COLOR0;
varying highp float var_CLIP;

void main()
{
    if (var_CLIP < 0.0)
    {
        discard;
    }
    highp vec2 _63 = Params.viewDir.xy * (Params.height / max(abs(Params.viewDir.z), 0.100000001490116119384765625));
    highp float _66 = 1.0 / Params.steps;
    highp vec2 _81;
    highp float _82;
    highp float _83;
    _81 = var_TEXCOORD0;
    _82 = 1.0;
    _83 = 1.0;
    bool _85 = false;
    highp vec2 _86 = _25;
    for (int _90 = 0; _90 < 8; )
    {
        if (float(_90) >= Params.steps)
        {
            break;
        }
        highp float _101 = texture2D(SPIRV_Cross_CombinedtexHeightsmp, _81).x;
        if (_101 >= _82)
        {
            highp float _110 = _101 - _82;
            highp float _112 = (_83 - _82) + _66 * 0.5;
            highp float _113 = _110 / (_110 + abs(_112) + 9.9999997473787516355514526367188e-05);
            _86 = mix(_81, _81 - (_63 * _66), vec2(_113));
            _85 = true;
            break;
        }
        _83 = _101;
        _81 += (_63 * _66);
        _82 -= _66;
        _90++;
        continue;
    }
    highp vec2 _125;
    if (_85)
    {
        _125 = _86;
    }
    else
    {
        _125 = _81;
    }
    highp vec4 _130 = texture2D(SPIRV_Cross_CombinedtexAlbedosmp, _125);
    highp vec3 _135 = normalize(var_NORMAL);
    highp float _140 = clamp(dot(_135, Params.lightDir), 0.0, 1.0);
    highp vec3 _147 = (_130.xyz * Params.tint.xyz) * vec3(_140);
    bvec3 _150 = greaterThan(_147, vec3(0.5));
    highp vec3 _155 = vec3(_150.x ? _28.x : _147.x, _150.y ? _28.y : _147.y, _150.z ? _28.z : _147.z);
    gl_FragData[0] = vec4(mix(_147, _155, vec3(Params.tint.w)), _130.w) * var_COLOR0;
}
