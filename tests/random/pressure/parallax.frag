// A height field searched in layers, then lit by two lights.
precision highp float;
uniform sampler2D u_height, u_normal, u_source;
uniform vec4 u_v;
varying vec2 v_uv;
varying vec3 v_normal;
void main() {
    vec3 view = normalize(vec3(v_normal.xy, 1.2));
    vec2 step = view.xy / view.z * 0.06 / 12.0, at = v_uv;
    float depth = 0.0, before = 0.0, h = 1.0 - texture2D(u_height, at).r, last = h;
    for (int i = 0; i < 12; i++) {
        float go = clamp((h - depth) * 40.0, 0.0, 1.0);
        at -= step * go;
        before = depth;
        depth += go / 12.0;
        last = h;
        h = 1.0 - texture2D(u_height, at).r;
    }
    vec3 n = normalize(texture2D(u_normal, at).xyz * 2.0 - 1.0), base = texture2D(u_source, at).rgb, sum = base * 0.15;
    for (int l = 0; l < 2; l++) {
        vec3 to = normalize(vec3(u_v.x - float(l), u_v.y, 0.8)), half_ = normalize(to + view);
        float d = max(dot(n, to), 0.0), s = max(dot(n, half_), 0.0);
        s *= s; s *= s; s *= s;
        sum += base * d * 0.5 + s * 0.2;
    }
    gl_FragColor = vec4(sum + (last - before) * 0.01, 1.0);
}
