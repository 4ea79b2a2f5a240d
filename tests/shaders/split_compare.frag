precision mediump float;
precision mediump int;
varying vec2 v_uv;
varying highp float v_side;
uniform sampler2D u_before;
uniform sampler2D u_after;
uniform int u_layout;         // 0 line, 1 quadrants, 2 loupe, 3 difference, 4 blink
uniform highp vec2 u_mouse;
uniform highp vec2 u_res;
uniform float u_lineWidth;
uniform float u_diffGain;
uniform float u_time;
uniform bool u_labels;

struct Look {
    float exposure;
    float contrast;
    float saturation;
    vec3 tint;
};
uniform Look u_look[2];

vec3 applyLook(vec3 c, Look l) {
    c *= exp2(l.exposure);
    c = (c - 0.5) * l.contrast + 0.5;
    float y = dot(c, vec3(0.2126, 0.7152, 0.0722));
    c = mix(vec3(y), c, l.saturation);
    return clamp(c * l.tint, 0.0, 1.0);
}

bool glyph(vec2 p, bool isA) {
    // 3x5 pixel letters A / B
    ivec2 g = ivec2(floor(p));
    if (g.x < 0 || g.y < 0 || g.x > 2 || g.y > 4) return false;
    bool side = g.x == 0 || g.x == 2;
    if (isA)
        return g.y == 4 ? g.x == 1 : (side || g.y == 2);
    if (g.x == 2)
        return g.y == 1 || g.y == 3;
    return g.x == 0 || g.y == 0 || g.y == 2 || g.y == 4;
}

void main() {
    vec3 a = applyLook(texture2D(u_before, v_uv).rgb, u_look[0]);
    vec3 b = applyLook(texture2D(u_after, v_uv).rgb, u_look[1]);
    bool second = false;
    float line = 1.0;
    if (u_layout == 0) {
        second = v_side > 0.0;
        line = smoothstep(0.0, u_lineWidth, abs(v_side));
    } else if (u_layout == 1) {
        bvec2 q = greaterThan(v_uv, u_mouse);
        second = q.x != q.y;
        highp vec2 d = abs(v_uv - u_mouse);
        line = min(smoothstep(0.0, u_lineWidth, d.x), smoothstep(0.0, u_lineWidth, d.y));
    } else if (u_layout == 2) {
        highp vec2 d = (v_uv - u_mouse) * vec2(u_res.x / u_res.y, 1.0);
        float r = length(d);
        second = r < 0.2;
        line = smoothstep(0.0, u_lineWidth, abs(r - 0.2));
    } else if (u_layout == 3) {
        vec3 d = abs(a - b) * u_diffGain;
        gl_FragColor = vec4(any(greaterThan(d, vec3(1.0))) ? vec3(1.0, 0.0, 0.0) : d, 1.0);
        return;
    } else {
        second = fract(u_time) > 0.5;
    }
    vec3 c = second ? b : a;
    c = mix(vec3(1.0), c, line);
    if (u_labels && u_layout < 2) {
        highp vec2 px = v_uv * u_res / 4.0;
        if (glyph(px - 2.0, true)) c = vec3(1.0, 1.0, 0.0);
        if (glyph(px - vec2(u_res.x / 4.0 - 5.0, 2.0), false)) c = vec3(0.0, 1.0, 1.0);
    }
    gl_FragColor = vec4(c, 1.0);
}
