precision mediump float;
#define MAX_BALLS 16
varying vec2 v_world;
uniform vec3 u_balls[MAX_BALLS];
uniform int u_count;
uniform lowp vec3 u_inside;
uniform lowp vec3 u_border;
uniform float u_threshold;

void main() {
  float field = 0.0;
  vec2 gradient = vec2(0.0);
  for (int i = 0; i < MAX_BALLS; i++) {
    if (i >= u_count) break;
    vec2 d = v_world - u_balls[i].xy;
    float r = u_balls[i].z;
    float q = dot(d, d) / (r * r);
    if (q > 1.0) continue;
    float k = 1.0 - q;
    field += k * k;
    gradient -= 4.0 * k * d / (r * r);
  }
  if (field < u_threshold) {
    gl_FragColor = vec4(0.0);
    return;
  }
  float g = (field - u_threshold) / max(length(gradient), 0.001);
  lowp vec3 c = mix(u_border, u_inside, smoothstep(0.02, 0.06, g));
  vec2 n = normalize(gradient + 1e-4);
  c += 0.35 * pow(max(dot(n, vec2(-0.6, 0.8)), 0.0), 6.0) * (1.0 - smoothstep(0.0, 0.3, g));
  gl_FragColor = vec4(c, 1.0);
}
