#version 100

struct type_PerFrame
{
    highp mat4 viewProj;
    highp vec4 eyeTime;
    highp vec4 planes[4];
};

struct type_PerDraw
{
    highp vec4 rows[3];
    highp vec2 uvScale;
    highp float morph;
};

struct VSOut
{
    highp vec4 pos;
    highp vec3 nrm;
    highp vec2 uv;
    highp float clipd;
};

uniform type_PerFrame PerFrame;
uniform type_PerDraw PerDraw;

attribute highp vec3 in_var_POSITION;
attribute highp vec3 in_var_NORMAL;
attribute highp vec2 in_var_TEXCOORD0;
attribute highp vec4 in_var_COLOR0;
varying highp vec3 var_NORMAL;
varying highp vec2 var_TEXCOORD0;
varying highp vec4 var_COLOR0;
varying highp float var_CLIP;

VSOut src_main(highp vec3 p, highp vec3 n, highp vec2 uv)
{
    highp vec4 _61 = vec4(p, 1.0);
    highp vec3 _70 = vec3(dot(PerDraw.rows[0], _61), dot(PerDraw.rows[1], _61), dot(PerDraw.rows[2], _61));
    highp vec4 _75 = vec4(_70.x, _70.y, _70.z, 1.0);
    highp float _79;
    highp int _82;
    _79 = 1000000.0;
    _82 = 0;
    for (;;)
    {
        if (_82 < 4)
        {
            highp float _91 = dot(_75, PerFrame.planes[_82]);
            _79 = min(_79, _91);
            _82++;
            continue;
        }
        else
        {
            break;
        }
    }
    highp vec3 _100;
    do
    {
        if (PerDraw.morph <= 0.0)
        {
            _100 = _70;
            break;
        }
        highp float _108 = length(_70);
        if (!(_108 > 9.9999999747524270787835121154785e-07))
        {
            _100 = _70;
            break;
        }
        _100 = mix(_70, _70 / vec3(_108), vec3(PerDraw.morph));
        break;
    } while (false);
    VSOut _130;
    _130.pos = PerFrame.viewProj * vec4(_100, 1.0);
    _130.nrm = normalize(vec3(dot(PerDraw.rows[0].xyz, n), dot(PerDraw.rows[1].xyz, n), dot(PerDraw.rows[2].xyz, n)));
    _130.uv = uv * PerDraw.uvScale + vec2(PerFrame.eyeTime.w * 0.00999999977648258209228515625);
    _130.clipd = _79;
    return _130;
}

void main()
{
    highp vec3 param = in_var_POSITION;
    highp vec3 param_1 = in_var_NORMAL;
    highp vec2 param_2 = in_var_TEXCOORD0;
    VSOut _150 = src_main(param, param_1, param_2);
    gl_Position = _150.pos;
    gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;
    gl_Position.y = -gl_Position.y;
    var_NORMAL = _150.nrm;
    var_TEXCOORD0 = _150.uv;
    var_COLOR0 = in_var_COLOR0;
    var_CLIP = _150.clipd;
}
