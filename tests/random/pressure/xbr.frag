// Edge-following scaler: 21 texels as brightness, weighted differences along four diagonals, blended corners.
precision highp float;
uniform sampler2D u_source;
uniform vec2 u_grid;
varying vec2 v_uv;
const vec3 weights = vec3(0.299, 0.587, 0.114);
vec4 df(vec4 a, vec4 b) { return abs(a - b); }
vec4 wd(vec4 a, vec4 b, vec4 c, vec4 d, vec4 e, vec4 f, vec4 g, vec4 h) {
    return df(a, b) + df(a, c) + df(d, e) + df(d, f) + 4.0 * df(g, h);
}
void main() {
    vec2 s = vec2(1.0) / u_grid;
    vec2 place = v_uv * u_grid, f = fract(place) * 0.8 + 0.1;
    vec2 at = (floor(place) + 0.5) * s;
    vec3 A1 = texture2D(u_source, at + s * vec2(-1.0, -2.0)).rgb, B1 = texture2D(u_source, at + s * vec2(0.0, -2.0)).rgb;
    vec3 C1 = texture2D(u_source, at + s * vec2(1.0, -2.0)).rgb;
    vec3 A = texture2D(u_source, at + s * vec2(-1.0, -1.0)).rgb, B = texture2D(u_source, at + s * vec2(0.0, -1.0)).rgb;
    vec3 C = texture2D(u_source, at + s * vec2(1.0, -1.0)).rgb;
    vec3 D = texture2D(u_source, at + s * vec2(-1.0, 0.0)).rgb, E = texture2D(u_source, at).rgb;
    vec3 F = texture2D(u_source, at + s * vec2(1.0, 0.0)).rgb;
    vec3 G = texture2D(u_source, at + s * vec2(-1.0, 1.0)).rgb, H = texture2D(u_source, at + s * vec2(0.0, 1.0)).rgb;
    vec3 I = texture2D(u_source, at + s * vec2(1.0, 1.0)).rgb;
    vec3 G5 = texture2D(u_source, at + s * vec2(-1.0, 2.0)).rgb, H5 = texture2D(u_source, at + s * vec2(0.0, 2.0)).rgb;
    vec3 I5 = texture2D(u_source, at + s * vec2(1.0, 2.0)).rgb;
    vec3 A0 = texture2D(u_source, at + s * vec2(-2.0, -1.0)).rgb, D0 = texture2D(u_source, at + s * vec2(-2.0, 0.0)).rgb;
    vec3 G0 = texture2D(u_source, at + s * vec2(-2.0, 1.0)).rgb;
    vec3 C4 = texture2D(u_source, at + s * vec2(2.0, -1.0)).rgb, F4 = texture2D(u_source, at + s * vec2(2.0, 0.0)).rgb;
    vec3 I4 = texture2D(u_source, at + s * vec2(2.0, 1.0)).rgb;
    vec4 b = vec4(dot(B, weights), dot(D, weights), dot(H, weights), dot(F, weights));
    vec4 c = vec4(dot(C, weights), dot(A, weights), dot(G, weights), dot(I, weights));
    vec4 e = vec4(dot(E, weights));
    vec4 d = b.yzwx, f_ = b.wxyz, g = c.zwxy, h = b.zwxy, i = c.wxyz;
    vec4 i4 = vec4(dot(I4, weights), dot(C1, weights), dot(A0, weights), dot(G5, weights));
    vec4 i5 = vec4(dot(I5, weights), dot(C4, weights), dot(A1, weights), dot(G0, weights));
    vec4 h5 = vec4(dot(H5, weights), dot(F4, weights), dot(B1, weights), dot(D0, weights));
    vec4 f4 = h5.yzwx;
    vec4 along = wd(e, c, g, i, h5, f4, h, f_), across = wd(h, d, i5, f_, i4, b, e, i);
    vec4 edge = clamp((across - along) * 4.0, 0.0, 1.0);
    vec4 fx = clamp(vec4(1.0, -1.0, -1.0, 1.0) * f.y + vec4(1.0, 1.0, -1.0, -1.0) * f.x + vec4(-1.1, -0.1, 0.9, -0.1), 0.0, 1.0);
    vec4 blend = edge * fx;
    vec4 nearer = clamp((df(e, h) - df(e, f_)) * 6.0 + 0.5, 0.0, 1.0);
    vec3 r = mix(E, mix(H, F, nearer.x), blend.x);
    r = mix(r, mix(F, B, nearer.y), blend.y);
    r = mix(r, mix(B, D, nearer.z), blend.z);
    r = mix(r, mix(D, H, nearer.w), blend.w);
    gl_FragColor = vec4(r, 1.0);
}
