/* How far from where it should be a texture is looked up, on the machine's arithmetic, in texels of 2048. */
#include "passes/eval.h"
#include "tests/compiler/fragment_ir.h"
#include "tests/passes/interp.h"

#include <check.h>
#include <math.h>

/* s and t of a lookup from the varying v. */
typedef void ideal_coordinates(const double v[4], double st[2]);

static void quotient(const double v[4], double st[2]) {
    for (int k = 0; k < 2; k++)
        st[k] = v[k] / v[2];
}

static void repeated(const double v[4], double st[2]) {
    for (int k = 0; k < 2; k++)
        st[k] = 4 * v[k] / v[2] - floor(4 * v[k] / v[2]);
}

static void scaled(const double v[4], double st[2]) {
    for (int k = 0; k < 2; k++)
        st[k] = 0.5 + 0.5 * v[k] / sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void polar(const double v[4], double st[2]) {
    st[0] = sqrt(v[0] * v[0] + v[1] * v[1]);
    st[1] = v[3];
}

/* A cube map's face as the texture unit sees it: what is not 1 or -1 of the direction, from -1 to 1. */
static void face(const double v[4], double st[2]) {
    for (int k = 0; k < 2; k++)
        st[k] = v[k] / v[2];
}

static const struct lookup {
    const char *name, *texel;
    ideal_coordinates *ideal;
    double texels; /* for each unit of a coordinate */
    bool divided;  /* by the lookup itself, whose precision is its sampler's */
} lookups[] = {
    {"quotient", "texture2D(t, v.xy / v.z)", quotient, 2048, false},
    {"projection", "texture2DProj(t, v.xyz)", quotient, 2048, true},
    {"fract of a quotient", "texture2D(t, fract(v.xy / v.z * 4.0))", repeated, 2048, false},
    {"unit vector", "texture2D(t, normalize(v.xyz).xy * 0.5 + 0.5)", scaled, 2048, false},
    {"length", "texture2D(t, vec2(length(v.xy), v.w))", polar, 2048, false},
    {"choice", "texture2D(t, v.w > 0.5 ? v.xy / v.z : vec2(v.x, v.y) * (1.0 / v.z))", quotient, 2048, false},
    {"cube map", "textureCube(c, v.xyz)", face, 1024, true},
};
enum { LOOKUPS = sizeof lookups / sizeof *lookups };

/* A way to compile. */
struct way {
    const char *precision;
    int level;
    enum qpucc_policy policy;
};

static struct ir_shader *lowered(const struct lookup *lookup, const struct way *way) {
    char text[400], error[300] = "no memory";
    snprintf(text, sizeof text,
             "precision %s float;\nuniform sampler2D t;\nuniform samplerCube c;\nvarying vec4 v;\n"
             "void main() {\n    gl_FragColor = %s;\n}\n",
             way->precision, lookup->texel);
    struct ir_shader *shader = fragment_ir(text);
    struct pass_options options = passes_default_options();
    options.level = way->level;
    options.policy = way->policy;
    ck_assert_msg(shader && passes_run_pipeline(shader, &options, error, sizeof error), "%s", error);
    return shader;
}

struct seen {
    uint32_t coordinate[4], count;
};

static uint32_t look(void *user, uint32_t unit, uint32_t flags, const uint32_t *coordinate, uint32_t count) {
    struct seen *seen = user;
    (void)unit, (void)flags;
    seen->count = count < 4 ? count : 4;
    memcpy(seen->coordinate, coordinate, seen->count * sizeof *coordinate);
    return 0;
}

/* v.x and v.y are less than v.z, as on a cube's face. */
static void choose(double v[4], uint64_t *state) {
    for (int k = 0; k < 4; k++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        v[k] = (double)(*state >> 40) / 0x1p24;
    }
    v[2] = (float)(1.0001 + 7 * v[2]);
}

static double worst(const struct lookup *lookup, const struct way *way, int samples) {
    static struct interp in; /* large */
    struct ir_shader *shader = lowered(lookup, way);
    struct seen seen = {{0}, 0};
    uint64_t state = 1;
    double most = 0;
    in.machine = true;
    in.w = ir_float_to_bits(1.0f);
    in.texture = look;
    in.user = &seen;
    for (int i = 0; i < samples; i++) {
        double v[4], ideal[2];
        char error[200] = "";
        choose(v, &state);
        for (uint32_t k = 0; k < shader->nvary; k++)
            in.vary[k] = ir_float_to_bits((float)v[shader->vary_symbol_word[k] & 3]);
        ck_assert_msg(interp_run(shader, &in, 10, error, sizeof error), "%s", error);
        ck_assert_int_ge(seen.count, 2);
        lookup->ideal(v, ideal);
        for (uint32_t k = 0; k < 2; k++)
            most = fmax(most, fabs((double)ir_bits_to_float(seen.coordinate[k]) - ideal[k]) * lookup->texels);
    }
    ir_shader_destroy(shader);
    return most;
}

/* A coordinate near 1 has 24 bits, so it is known to 1.2e-4 of 2048 texels; one near 4, before fract, to four
 * times that. -ffast-math refines what was declared highp. */
START_TEST(coordinates_are_refined) {
    static const enum qpucc_policy policies[] = {QPUCC_POLICY_DEFAULT, QPUCC_POLICY_FAST,
                                                 QPUCC_POLICY_PRECISE};
    const struct lookup *lookup = &lookups[_i / 12];
    bool highp = _i & 1;
    struct way way = {highp ? "highp" : "mediump", _i & 2, policies[_i / 4 % 3]};
    double error = worst(lookup, &way, 3000);
    bool refined = way.policy != QPUCC_POLICY_FAST || (highp && !lookup->divided);
    ck_assert_msg(refined ? error < 4e-3 : error > 3e-2 && error < 0.4, "%s, -O%d, %s, %s: %g texels off",
                  lookup->name, way.level, way.precision, qpucc_policy_name(way.policy), error);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("precision");
    TCase *t = tcase_create("coordinates");
    tcase_add_loop_test(t, coordinates_are_refined, 0, 12 * LOOKUPS);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
