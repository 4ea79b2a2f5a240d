// a material that has maps or has none: albedo, normals, specular, emission
// draws: u_has=0; u_bump=0; u_shiny=0; u_glow=0 | u_has=1; u_bump=0; u_shiny=0; u_glow=0 | u_has=1; u_bump=1; u_shiny=0; u_glow=0 | u_has=1; u_bump=1; u_shiny=1; u_glow=1
precision mediump float;
uniform bool u_has, u_bump, u_shiny, u_glow;
uniform sampler2D u_albedo, u_normals, u_spec, u_emission;
uniform vec3 u_color, u_sun, u_half;
varying vec3 v_normal, v_tangent, v_side;
varying vec2 v_uv;
void main() {
    vec3 base = u_color, n = normalize(v_normal);
    if (u_has)
        base *= texture2D(u_albedo, v_uv).rgb;
    if (u_bump) {
        vec3 t = texture2D(u_normals, v_uv).rgb * 2.0 - 1.0;
        n = normalize(v_tangent * t.x + v_side * t.y + v_normal * t.z);
    }
    vec3 c = base * (max(dot(n, u_sun), 0.0) + 0.1);
    if (u_shiny)
        c += texture2D(u_spec, v_uv).r * pow(max(dot(n, u_half), 0.0), 24.0);
    if (u_glow)
        c += texture2D(u_emission, v_uv).rgb;
    gl_FragColor = vec4(c, 1.0);
}
