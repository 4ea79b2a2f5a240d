precision mediump float;
uniform sampler2D uTiles;
uniform samplerCube uSky;
uniform highp vec3 uEyePos;
uniform float uDepth;
varying vec3 vNormal;
varying float vHeight;
varying highp vec2 vXZ;
void main()
{
    vec3 n = normalize(vNormal);
    vec3 p = vec3(vXZ.x, vHeight, vXZ.y);
    vec3 i = normalize(p - uEyePos);
    vec3 t = refract(i, n, 1.0 / 1.33);
    vec2 hit = p.xz + t.xz / max(-t.y, 0.1) * (uDepth + vHeight);
    vec3 floorCol = texture2D(uTiles, hit * 0.5).rgb * vec3(0.5, 0.85, 0.9);
    vec3 sky = textureCube(uSky, reflect(i, n)).rgb;
    float f = mix(0.03, 1.0, pow(1.0 - max(dot(-i, n), 0.0), 4.0));
    gl_FragColor = vec4(mix(floorCol, sky, f), 1.0);
}
