// Four flat tones and an ink line where the surface turns away.
precision mediump float;
uniform vec3 u_lightDirection;
varying vec3 v_normal;
varying vec3 v_eye;

void main() {
    vec3 normal = normalize(v_normal);
    float light = dot(normal, u_lightDirection);
    vec3 color;
    if (light > 0.92)
        color = vec3(1.0, 0.96, 0.75);
    else if (light > 0.55)
        color = vec3(0.98, 0.76, 0.28);
    else if (light > 0.1)
        color = vec3(0.86, 0.50, 0.18);
    else
        color = vec3(0.52, 0.24, 0.18);
    float facing = dot(normal, normalize(v_eye));
    color *= smoothstep(0.20, 0.34, facing);
    gl_FragColor = vec4(color, 1.0);
}
