/* Every equation with every pair of factors, of colour and of alpha, at -O0 and -O2, against the formula.
 *
 * A key takes a pair for colour and another for alpha. Alpha's runs through all pairs in another order, so
 * that both have met all and each other in many combinations. Colours are whole steps, as in an 8-bit target;
 * each product may be off by half a step. */
#include "batch.h"

#include <stdio.h>
#include <string.h>

enum { FACTORS = QPUCC_FACTOR_COUNT, PAIRS = FACTORS * FACTORS };

struct counts {
    unsigned keys, failed;
};

static double step(uint32_t *seed) {
    static const uint8_t often[] = {0, 255, 128, 1, 254};
    unsigned pick = batch_below(seed, 8);
    return (pick < sizeof often ? often[pick] : batch_below(seed, 256)) / 255.0;
}

static void run_key(const struct batch_source *source, const struct qpucc_state *state, int level,
                    uint32_t seed, double slack, struct counts *counts) {
    struct qpucc_draw_state draw = {.alpha_reference = 0};
    struct fragment fragments[QPUSIM_LANES];
    static struct qpusim_result result;
    char text[400] = "";
    memset(fragments, 0, sizeof fragments);
    for (int i = 0; i < 4; i++)
        draw.blend_color[i] = (float)step(&seed);
    for (unsigned lane = 0; lane < QPUSIM_LANES; lane++) {
        struct fragment *f = &fragments[lane];
        f->w = 1;
        double alpha = f->color[3] = step(&seed), tile_alpha = step(&seed);
        uint32_t tile = (uint32_t)(tile_alpha * 255 + 0.5) << 24;
        for (int i = 0; i < 3; i++) { /* advanced equations are defined for premultiplied colours */
            bool advanced = state->blend.rgb_equation >= QPUCC_BLEND_MULTIPLY;
            f->color[i] = (double)(int)(step(&seed) * (advanced ? alpha : 1) * 255) / 255;
            tile |= (uint32_t)(step(&seed) * (advanced ? tile_alpha : 1) * 255 + 0.001) << 8 * i;
        }
        for (int i = 0; i < 4; i++)
            f->second[i] = step(&seed);
        f->tile[0][0] = tile;
    }
    qpucc_program *program = batch_compile(source, state, level);
    bool ok = program && qpucc_program_status(program) == QPUCC_OK;
    if (!ok)
        snprintf(text, sizeof text, "%s", program ? qpucc_program_diagnostic(program, 0)->text : "no memory");
    ok = ok && batch_run(program, state, &draw, fragments, &result, text, sizeof text);
    for (unsigned lane = 0; ok && lane < QPUSIM_LANES; lane++) {
        struct expected want;
        reference(state, &draw, &fragments[lane], slack, &want);
        ok = batch_fits(state, &fragments[lane], &want, &result, lane, text, sizeof text);
    }
    counts->keys++;
    if (!ok && ++counts->failed <= 20) {
        printf("-O%d: %s\n", level, text);
        batch_print_state(state);
    }
    qpucc_program_free(program);
}

static unsigned instructions(const struct qpucc_state *state) {
    static const char text[] = "precision mediump float; varying vec4 c; void main() { gl_FragColor = c; }";
    struct qpucc_source source = {"c.frag", text, sizeof text - 1, QPUCC_FRAGMENT, QPUCC_GLSL};
    qpucc_program *program = qpucc_compile(&source, 1, state, NULL);
    bool ok = program && qpucc_program_status(program) == QPUCC_OK;
    unsigned count = ok ? qpucc_program_stats(program, QPUCC_FRAGMENT)->instructions : 0;
    qpucc_program_free(program);
    return count;
}

/* What each equation adds to a shader that hands a varying on: docs/state-keys.md's table. */
static void print_table(void) {
    static const char *const names[] = {"add",        "subtract",       "reverse subtract", "min",
                                        "max",        "multiply",       "screen",           "overlay",
                                        "darken",     "lighten",        "colour dodge",     "colour burn",
                                        "hard light", "soft light",     "difference",       "exclusion",
                                        "HSL hue",    "HSL saturation", "HSL colour",       "HSL luminosity"};
    unsigned base = instructions(&(struct qpucc_state){.blend = {.enable = 0}});
    printf("| equation | factors Sa, 1-Sa | without factors |\n|---|---|---|\n");
    for (unsigned e = 0; e < QPUCC_BLEND_EQUATION_COUNT; e++) {
        uint8_t x = (uint8_t)e;
        struct qpucc_state mix = {.blend = {1, x, QPUCC_FACTOR_SRC_ALPHA, QPUCC_FACTOR_ONE_MINUS_SRC_ALPHA, x,
                                            QPUCC_FACTOR_SRC_ALPHA, QPUCC_FACTOR_ONE_MINUS_SRC_ALPHA}};
        struct qpucc_state plain = {.blend = {1, x, 1, 1, x, 1, 1}};
        if (e < QPUCC_BLEND_MIN)
            printf("| %s | %u | %u |\n", names[e], instructions(&mix) - base, instructions(&plain) - base);
        else
            printf("| %s | | %u |\n", names[e], instructions(&plain) - base);
    }
}

int main(int argc, char **argv) {
    struct batch_source source;
    struct counts counts = {0};
    if (argc > 1 && !strcmp(argv[1], "--table")) {
        print_table();
        return 0;
    }
    if (!batch_open(&source))
        return 1;
    for (int level = 0; level <= 2; level += 2) {
        for (unsigned equation = 0; equation < QPUCC_BLEND_MULTIPLY; equation++)
            for (unsigned pair = 0; pair < (equation < QPUCC_BLEND_MIN ? PAIRS : 4); pair++) {
                unsigned other = (pair * 67 + equation * 31) % PAIRS; /* 67 is prime, and no divisor of 361 */
                struct qpucc_state state = {
                    .blend = {1, (uint8_t)equation, (uint8_t)(pair / FACTORS), (uint8_t)(pair % FACTORS),
                              (uint8_t)((equation + pair % 2) % 5), (uint8_t)(other / FACTORS),
                              (uint8_t)(other % FACTORS)}};
                run_key(&source, &state, level, pair * 977 + equation + 1, 1.01 / 255, &counts);
            }
        for (unsigned equation = QPUCC_BLEND_MULTIPLY; equation < QPUCC_BLEND_EQUATION_COUNT; equation++)
            for (unsigned seed = 1; seed <= 8; seed++) {
                struct qpucc_state state = {.blend = {1, (uint8_t)equation, 0, 0, (uint8_t)equation, 0, 0}};
                run_key(&source, &state, level, seed * 7919, 0.51 / 255, &counts);
            }
    }
    printf("%u keys, %u failed\n", counts.keys, counts.failed);
    batch_close(&source);
    return counts.failed != 0;
}
