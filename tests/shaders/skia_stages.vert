#version 100

precision mediump float;
uniform highp vec4 sk_RTAdjust;
uniform highp mat3 umatrixS1_P1_c0;
uniform highp mat3 umatrixS2;
attribute highp vec2 position;
attribute mediump vec4 color;
attribute mediump vec4 circleEdge;
attribute highp vec2 localCoord;
varying mediump vec4 vcircleEdge_S0;
varying mediump vec4 vcolor_S0;
varying highp vec2 vTransformedCoords_3_S0;
varying highp vec2 vTransformedCoords_5_S0;
void main() {
    vcircleEdge_S0 = circleEdge;
    vcolor_S0 = color;
    highp vec2 _tmp_0_inPosition = position;
    highp vec2 _tmp_1_inPosition = localCoord;
    gl_Position = vec4(_tmp_0_inPosition, 0.0, 1.0);
    {
        vTransformedCoords_3_S0 = (umatrixS1_P1_c0 * vec3(_tmp_1_inPosition, 1.0)).xy;
    }
    {
        vTransformedCoords_5_S0 = (umatrixS2 * vec3(_tmp_1_inPosition, 1.0)).xy;
    }
    gl_Position = vec4(gl_Position.xy * sk_RTAdjust.xz + gl_Position.ww * sk_RTAdjust.yw, 0.0, gl_Position.w);
}
