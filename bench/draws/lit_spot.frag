// a spot light with an optional cookie and soft edge
// draws: u_soft=0; u_cookie=0 | u_soft=1; u_cookie=0 | u_soft=1; u_cookie=1
precision mediump float;
uniform bool u_soft, u_cookie;
uniform sampler2D u_pattern;
uniform vec3 u_place, u_axis, u_color;
uniform float u_inner, u_outer;
varying vec3 v_world, v_normal;
varying vec2 v_uv;
void main() {
    vec3 l = normalize(u_place - v_world);
    float k = dot(-l, u_axis), cone = step(u_outer, k);
    if (u_soft)
        cone = smoothstep(u_outer, u_inner, k);
    vec3 c = u_color * cone * max(dot(normalize(v_normal), l), 0.0);
    if (u_cookie)
        c *= texture2D(u_pattern, v_uv).rgb + texture2D(u_pattern, v_uv * 0.5).rgb * 0.5;
    gl_FragColor = vec4(c, 1.0);
}
