#version 100

precision mediump float;
precision mediump sampler2D;
uniform mediump vec4 ustart_S1_c0_c0_c0;
uniform mediump vec4 uend_S1_c0_c0_c0;
uniform highp vec4 uthresholds1_7_S1[2];
uniform highp vec4 uscale_S1[8];
uniform highp vec4 ubias_S1[8];
uniform mediump vec4 uleftBorderColor_S1;
uniform mediump vec4 urightBorderColor_S1;
uniform mediump float urange_S1;
uniform highp vec4 uinnerRect_S3;
uniform mediump vec2 uradiusPlusHalf_S3;
uniform highp vec4 ucircle_S4;
uniform sampler2D uTextureSampler_0_S2;
uniform highp vec4 usubset_S2;
uniform mediump mat4 um_S2_c1;
uniform mediump vec4 uv_S2_c1;
varying mediump vec4 vcircleEdge_S0;
varying mediump vec4 vcolor_S0;
varying highp vec2 vTransformedCoords_3_S0;
varying highp vec2 vTransformedCoords_5_S0;
mediump vec4 LinearLayout_S1_c0_c1(mediump vec4 _input) {
    mediump float t = vTransformedCoords_3_S0.x + 1e-5;
    return vec4(t, 1.0, 0.0, 0.0);
}
mediump vec4 UnrolledBinary_S1_c0_c0(mediump vec4 _input, highp vec2 _coords) {
    mediump float t = _coords.x;
    highp vec4 s;
    highp vec4 b;
    if (t < uthresholds1_7_S1[0].w) {
        if (t < uthresholds1_7_S1[0].y) {
            if (t < uthresholds1_7_S1[0].x) { s = uscale_S1[0]; b = ubias_S1[0]; } else { s = uscale_S1[1]; b = ubias_S1[1]; }
        } else {
            if (t < uthresholds1_7_S1[0].z) { s = uscale_S1[2]; b = ubias_S1[2]; } else { s = uscale_S1[3]; b = ubias_S1[3]; }
        }
    } else {
        if (t < uthresholds1_7_S1[1].y) {
            if (t < uthresholds1_7_S1[1].x) { s = uscale_S1[4]; b = ubias_S1[4]; } else { s = uscale_S1[5]; b = ubias_S1[5]; }
        } else {
            if (t < uthresholds1_7_S1[1].z) { s = uscale_S1[6]; b = ubias_S1[6]; } else { s = uscale_S1[7]; b = ubias_S1[7]; }
        }
    }
    return vec4(t * s + b);
}
mediump vec4 ClampedGradient_S1_c0(mediump vec4 _input) {
    mediump vec4 _tmp_2_inColor = _input;
    mediump vec4 t = LinearLayout_S1_c0_c1(_tmp_2_inColor);
    mediump vec4 outColor;
    if (!bool(1) && t.y < 0.0) {
        outColor = vec4(0.0);
    } else if (t.x < 0.0) {
        outColor = uleftBorderColor_S1;
    } else if (t.x > 1.0) {
        outColor = urightBorderColor_S1;
    } else {
        outColor = UnrolledBinary_S1_c0_c0(_tmp_2_inColor, t.xy);
    }
    if (bool(0)) {
        outColor.xyz *= outColor.w;
    }
    return outColor;
}
mediump vec4 Dither_S1(mediump vec4 _input) {
    mediump vec4 color = ClampedGradient_S1_c0(_input);
    mediump float value;
    {
        highp vec4 modValues = mod(gl_FragCoord.xyxy, vec4(2.0, 2.0, 4.0, 4.0));
        mediump vec4 stepValues = step(modValues, vec4(1.0, 1.0, 2.0, 2.0));
        value = dot(stepValues, vec4(0.5, 0.25, 0.125, 0.0625)) - 15.0 / 32.0;
    }
    return vec4(clamp(color.xyz + value * urange_S1, 0.0, color.w), color.w);
}
mediump vec4 TextureEffect_S2_c0(mediump vec4 _input) {
    highp vec2 inCoord = vTransformedCoords_5_S0;
    highp vec2 subsetCoord;
    subsetCoord.x = clamp(inCoord.x, usubset_S2.x, usubset_S2.z);
    subsetCoord.y = mod(inCoord.y - usubset_S2.y, usubset_S2.w - usubset_S2.y) + usubset_S2.y;
    return texture2D(uTextureSampler_0_S2, subsetCoord);
}
mediump vec4 ColorMatrix_S2(mediump vec4 _input) {
    mediump vec4 inputColor = TextureEffect_S2_c0(_input);
    {
        inputColor = vec4(inputColor.xyz / max(inputColor.w, 0.0001), inputColor.w);
    }
    mediump vec4 c = um_S2_c1 * inputColor + uv_S2_c1;
    c = clamp(c, 0.0, 1.0);
    c.xyz *= c.w;
    return c;
}
mediump vec4 CircularRRect_S3(mediump vec4 _input) {
    highp vec2 dxy0 = uinnerRect_S3.xy - gl_FragCoord.xy;
    highp vec2 dxy1 = gl_FragCoord.xy - uinnerRect_S3.zw;
    highp vec2 dxy = max(max(dxy0, dxy1), 0.0);
    mediump float alpha = clamp(uradiusPlusHalf_S3.x - length(dxy), 0.0, 1.0);
    return _input * alpha;
}
mediump vec4 Circle_S4(mediump vec4 _input) {
    mediump float d = (1.0 - length((ucircle_S4.xy - gl_FragCoord.xy) * ucircle_S4.w)) * ucircle_S4.z;
    return _input * clamp(d, 0.0, 1.0);
}
void main() {
    mediump vec4 outputColor_S0;
    mediump vec4 outputCoverage_S0;
    {
        mediump vec4 circleEdge;
        circleEdge = vcircleEdge_S0;
        outputColor_S0 = vcolor_S0;
        highp float d = length(circleEdge.xy);
        mediump float distanceToOuterEdge = circleEdge.z * (1.0 - d);
        mediump float edgeAlpha = clamp(distanceToOuterEdge, 0.0, 1.0);
        mediump float distanceToInnerEdge = circleEdge.z * (d - circleEdge.w);
        mediump float innerAlpha = clamp(distanceToInnerEdge, 0.0, 1.0);
        edgeAlpha *= innerAlpha;
        outputCoverage_S0 = vec4(edgeAlpha);
    }
    mediump vec4 output_S1 = Dither_S1(outputColor_S0);
    mediump vec4 output_S2 = ColorMatrix_S2(output_S1);
    output_S2 = output_S1 * (1.0 - output_S2.w) + output_S2;
    mediump vec4 output_S4 = Circle_S4(CircularRRect_S3(outputCoverage_S0));
    {
        gl_FragColor = output_S2 * output_S4;
    }
}
