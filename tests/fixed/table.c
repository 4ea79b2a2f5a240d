/* The table of docs/fixed-function.md: what usual states cost.
 *
 *     fixed_table examples/fixed */
#include "tools/fixed_file.h"

#include <stdio.h>

/* What a row adds to the state key. */
static void plain(struct qpucc_state *state) {
    (void)state;
}
static void fog(struct qpucc_state *state) {
    state->fog = QPUCC_FOG_LINEAR;
}
static void vertex_fog(struct qpucc_state *state) {
    state->fog = QPUCC_FOG_LINEAR;
    state->fog_per_vertex = 1;
}
static void exp2_fog(struct qpucc_state *state) {
    state->fog = QPUCC_FOG_EXP2;
}
static void alpha_test(struct qpucc_state *state) {
    state->alpha_func = QPUCC_GREATER;
}
static void alpha_blend(struct qpucc_state *state) {
    state->blend = (struct qpucc_blend_state){.enable = 1,
                                              .rgb_source = QPUCC_FACTOR_SRC_ALPHA,
                                              .rgb_target = QPUCC_FACTOR_ONE_MINUS_SRC_ALPHA,
                                              .alpha_source = QPUCC_FACTOR_SRC_ALPHA,
                                              .alpha_target = QPUCC_FACTOR_ONE_MINUS_SRC_ALPHA};
}
static void two_sides(struct qpucc_state *state) {
    state->two_sided = 1;
}
static void points(struct qpucc_state *state) {
    state->primitive = QPUCC_POINTS;
}

static const struct {
    const char *file, *text;
    void (*key)(struct qpucc_state *state);
} rows[] = {
    {"colors", "the vertices' colours", plain},
    {"colors", "points of them, of a size for all", points},
    {"sprite", "a texture alone, two-dimensional vertices", plain},
    {"sprite", "blended by its alpha", alpha_blend},
    {"textured", "texture times colour", plain},
    {"textured", "with an alpha test", alpha_test},
    {"two_textures", "two textures, both times colour", plain},
    {"two_textures", "with linear fog", fog},
    {"two_textures", "with linear fog for vertices", vertex_fog},
    {"two_textures", "with exponential fog, squared", exp2_fog},
    {"bumps", "dot product with a texture, then another texture", plain},
    {"lit_rescaled", "one directional light, normals rescaled", plain},
    {"lit", "the same, normals normalised", plain},
    {"lit_textured", "the same with a texture", plain},
    {"lit_textured", "and on two sides", two_sides},
    {"eight_lights", "eight directional lights, normals rescaled", plain},
    {"lamp", "a spot with attenuation, colour material", plain},
    {"reflection", "a directional light, a cube map's reflection mixed in, specular light apart", plain},
};

int main(int argc, char **argv) {
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct qpucc_fixed fixed;
        struct qpucc_state state = {0};
        char path[400], error[300];
        snprintf(path, sizeof path, "%s/%s.json", argc > 1 ? argv[1] : "examples/fixed", rows[k].file);
        if (!fixed_file_read(&fixed, path, error, sizeof error)) {
            printf("%s\n", error);
            return 1;
        }
        rows[k].key(&state);
        qpucc_program *program = qpucc_compile_fixed(&fixed, &state, NULL);
        if (!program || qpucc_program_status(program) != QPUCC_OK) {
            printf("%s: not compiled\n", path);
            qpucc_program_free(program);
            return 1;
        }
        printf("| %s | %s |", rows[k].file, rows[k].text);
        for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
            printf(" %u |", qpucc_program_stats(program, (enum qpucc_stage)s)->instructions);
        printf(" %zu |\n", qpucc_uniforms_size(program, QPUCC_VERTEX));
        qpucc_program_free(program);
    }
    return 0;
}
