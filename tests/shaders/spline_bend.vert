attribute vec3 position;
attribute vec3 normal;
attribute vec2 uv;
#define KNOTS 12
uniform vec3 knot[KNOTS];
uniform float roll[KNOTS];
uniform float segLength;
uniform int closedLoop;
uniform mat4 viewProj;
uniform vec2 profileScale;
varying vec3 wn;
varying vec2 tc;
varying float along;

int wrapIndex(int i)
{
    if (closedLoop == 1) {
        if (i < 0) return i + KNOTS;
        if (i >= KNOTS) return i - KNOTS;
        return i;
    }
    if (i < 0) return 0;
    return i >= KNOTS ? KNOTS - 1 : i;
}

void frame(in float s, out vec3 p, out vec3 t, out float r)
{
    float u = s / segLength;
    float fl = floor(u);
    int i = int(fl);
    float f = u - fl;
    vec3 a = knot[wrapIndex(i - 1)], b = knot[wrapIndex(i)];
    vec3 c = knot[wrapIndex(i + 1)], d = knot[wrapIndex(i + 2)];
    vec4 w  = vec4(-f + 2.0 * f * f - f * f * f, 2.0 - 5.0 * f * f + 3.0 * f * f * f,
                   f + 4.0 * f * f - 3.0 * f * f * f, -f * f + f * f * f) * 0.5;
    vec4 dw = vec4(-1.0 + 4.0 * f - 3.0 * f * f, -10.0 * f + 9.0 * f * f,
                   1.0 + 8.0 * f - 9.0 * f * f, -2.0 * f + 3.0 * f * f) * 0.5;
    p = mat3(a, b, c) * w.xyz + d * w.w;
    t = normalize(mat3(a, b, c) * dw.xyz + d * dw.w);
    r = mix(roll[wrapIndex(i)], roll[wrapIndex(i + 1)], f * f * (3.0 - 2.0 * f));
}

void main()
{
    vec3 p, t;
    float r;
    frame(position.z, p, t, r);
    vec3 up = abs(t.y) > 0.99 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 1.0, 0.0);
    vec3 side = normalize(cross(up, t));
    up = cross(t, side);
    float cr = cos(r), sr = sin(r);
    vec3 s2 = side * cr + up * sr;
    vec3 u2 = up * cr - side * sr;
    mat3 basis = mat3(s2, u2, t);
    vec3 w = p + s2 * (position.x * profileScale.x) + u2 * (position.y * profileScale.y);
    wn = basis * normal;
    tc = uv;
    along = position.z / segLength;
    gl_Position = viewProj * vec4(w, 1.0);
}
