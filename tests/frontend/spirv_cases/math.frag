#version 450
// VALUES
layout(location=0) in vec4 a;   // 1 2 3 4
layout(location=1) in vec4 b;   // 5 6 7 8
layout(location=0) out vec2 result; // 1 and 0, or 0 and the number of the check that failed
int number = 0;
float failed = 0.0;
void near(float x, float y) { number++; if (abs(x - y) > 1e-4 * (1.0 + abs(y)) && failed == 0.0) failed = float(number); }
void near(vec3 x, vec3 y) { near(x.x, y.x); near(x.y, y.y); near(x.z, y.z); number -= 2; }
void main() {
    near(dot(a, b), 70.0);                                     // 1
    near(length(a.xyz), 3.7416574);
    near(length(a.y - b.x), 3.0);
    near(distance(a.xyz, b.zyx), 7.4833148);
    near(normalize(a.xyz), vec3(0.26726124, 0.53452248, 0.80178373)); // 5
    near(normalize(-a.x), -1.0);
    near(cross(a.xyz, b.xzy), vec3(2.0 * 6.0 - 3.0 * 7.0, 3.0 * 5.0 - 1.0 * 6.0, 1.0 * 7.0 - 2.0 * 5.0));
    near(reflect(a.xyz, vec3(0.0, a.x, 0.0)), vec3(1.0, -2.0, 3.0));
    near(refract(vec3(0.6, -0.8, 0.0) * a.x, vec3(0.0, a.x, 0.0), a.x / 1.5), vec3(0.4, -0.9165151, 0.0));
    near(refract(vec3(0.8, -0.6, 0.0) * a.x, vec3(0.0, a.x, 0.0), 1.5 * a.x), vec3(0.0)); // 10
    near(faceforward(a.xyz, b.xyz, b.xyz), -a.xyz);
    near(faceforward(a.xyz, -b.xyz, b.xyz), a.xyz);
    near(mix(a.x, b.x, 0.25), 2.0);
    near(step(a.y, a.x), 0.0);
    near(step(a.x, a.x), 1.0);                                 // 15
    near(smoothstep(a.x, b.x, a.z), 0.5);
    near(smoothstep(a.x, b.x, a.y), 0.15625);
    near(clamp(b.x, a.x, a.y), 2.0);
    near(clamp(a.x * 0.5, 0.0, 1.0), 0.5);
    near(clamp(a.y, 0.0, 1.0), 1.0);                           // 20
    near(mod(-a.x, a.z), 2.0);
    near(fract(-a.x * 0.25), 0.75);
    near(floor(-a.x * 0.25), -1.0);
    near(ceil(a.x * 0.25), 1.0);
    near(sign(-b.x), -1.0);                                    // 25
    near(exp(a.y), 7.3890561);
    near(log(a.z), 1.0986123);
    near(pow(a.y, b.y), 64.0);
    near(exp2(a.z), 8.0);
    near(log2(b.w), 3.0);                                      // 30
    near(inversesqrt(a.w), 0.5);
    near(radians(180.0 * a.x), 3.1415927);
    near(degrees(3.1415927 * a.x), 180.0);
    near(sin(a.x), 0.84147098);
    near(cos(a.x), 0.54030231);                                // 35
    near(tan(a.x), 1.5574077);
    near(asin(a.x * 0.5), 0.52359878);
    near(acos(a.x * 0.5), 1.0471976);
    near(atan(a.y), 1.1071487);
    near(atan(a.x, -a.y), 2.6779450);                          // 40
    near(sinh(a.x), 1.1752012);
    near(cosh(a.x), 1.5430806);
    near(tanh(a.x), 0.76159416);
    near(tanh(a.x * 50.0), 1.0);
    near(asinh(a.y), 1.4436355);                               // 45
    near(acosh(a.y), 1.3169579);
    near(atanh(a.x * 0.5), 0.54930614);
    near(sinh(a.x * 0.001), 0.001);
    near(trunc(-a.z * 0.5), -1.0);
    near(round(a.x * 1.75), 2.0);                              // 50
    float whole;
    near(modf(-a.z * 0.5, whole), -0.5);
    near(whole, -1.0);
    int e;
    near(frexp(b.y, e), 0.75);
    near(float(e), 3.0);
    near(ldexp(a.z, int(a.y)), 12.0);                          // 55
    near(fma(a.x, a.y, a.z), 5.0);
    near(min(a.x, b.x) + max(a.x, b.x), 6.0);
    near(a.x > a.y ? 1.0 : 0.0, 0.0);
    near(a.x <= a.y ? 1.0 : 0.0, 1.0);
    near(any(lessThan(a.xy, b.xy)) ? 1.0 : 0.0, 1.0);          // 60
    near(all(greaterThanEqual(a, b)) ? 1.0 : 0.0, 0.0);
    near((a.x < a.y) == (b.x < b.y) ? 1.0 : 0.0, 1.0);
    near((a.x < a.y) ^^ (b.x > b.y) ? 1.0 : 0.0, 1.0);
    near(mix(a.xyz, b.xyz, bvec3(a.x < 0.0, a.x > 0.0, false)), vec3(1.0, 6.0, 3.0));
    near(isinf(a.x) || isnan(a.x) ? 1.0 : 0.0, 0.0);           // 65
    near(isinf(uintBitsToFloat(floatBitsToUint(a.x) * 0u + 0x7f800000u)) ? 1.0 : 0.0, 1.0);
    result = vec2(failed == 0.0 ? 1.0 : 0.0, failed);
}
