/* Random state keys, random draws, random fragments: what the tile buffer gets is what GL says.
 *
 *     output_keys [--seed N] [--count N]
 *
 * And keys of any bytes: compiled or refused with a reason of code "state", never anything else. */
#include "batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test {
    struct batch_source source;
    uint32_t seed;
    unsigned keys, failed, dropped, written, refused;
};

static unsigned below(struct test *t, unsigned limit) {
    return batch_below(&t->seed, limit);
}

/* True once in `times` times. */
static bool once_in(struct test *t, unsigned times) {
    return below(t, times) == 0;
}

static double step(struct test *t) {
    return (once_in(t, 4) ? 255 * below(t, 2) : below(t, 256)) / 255.0;
}

static double between(struct test *t, double low, double high) {
    return low + (high - low) * below(t, 10001) / 10000;
}

/* --- draws and fragments -------------------------------------------------------------------------------- */

static struct qpucc_draw_state random_draw(struct test *t, const struct fragment *some) {
    struct qpucc_draw_state draw = {.framebuffer_height = 64};
    for (int i = 0; i < 4; i++)
        draw.blend_color[i] = (float)step(t);
    draw.alpha_reference = once_in(t, 2) ? (float)some->color[3] : (float)((below(t, 255) + 0.3) / 255);
    for (int i = 0; i < 3; i++)
        draw.fog_color[i] = (float)step(t);
    draw.fog_density = (float)between(t, 0.1, 2);
    draw.fog_start = (float)between(t, 0, 1);
    draw.fog_end = (float)between(t, 1.5, 5);
    for (int i = 0; i < 4; i++) {
        unsigned low = below(t, 200), high = low + below(t, 256 - low);
        draw.chroma_low |= low << 8 * i;
        draw.chroma_high |= high << 8 * i;
    }
    for (int i = 0; i < 32; i++)
        draw.stipple_pattern[i] = batch_random(&t->seed);
    draw.line_stipple_pattern = batch_random(&t->seed);
    draw.line_stipple_scale = 1.0f / (float)(1 + below(t, 4));
    draw.line_width = (float)between(t, 2, 6);
    draw.sample_mask_bits = below(t, 16);
    struct qpucc_stencil_side side = {.depth_pass = QPUCC_STENCIL_KEEP,
                                      .write_mask = 255}; /* always passes */
    struct qpucc_state ignored;
    qpucc_stencil(&side, &side, &ignored, &draw);
    draw.stencil_setup[1] = 2u << 30 | (draw.stencil_setup[0] & 0x3fffffff);
    return draw;
}

static uint16_t random_half(struct test *t) { /* 2^-7 .. 2 */
    return (uint16_t)((8 + below(t, 8)) << 10 | below(t, 1024));
}

/* As the tile holds it: bits of fewer are repeated. Advanced equations want premultiplied colours. */
static void random_tile(struct test *t, const struct qpucc_state *s, uint32_t words[2]) {
    bool wide = s->target == QPUCC_TARGET_RGBA16F;
    bool advanced = s->blend.enable && s->blend.rgb_equation >= QPUCC_BLEND_MULTIPLY;
    double alpha = step(t);
    for (int k = 0; k < 2 && wide; k++)
        words[k] = (uint32_t)random_half(t) << 16 | random_half(t);
    if (wide && advanced)
        words[0] = 0x34003000, words[1] = 0x38003400; /* 0.25 0.125 0.25 0.5: in range */
    for (int i = 0; i < 4 && !wide; i++) {
        static const uint8_t order[4][4] = {{0, 1, 2, 3}, {2, 1, 0, 3}, {1, 2, 3, 0}, {3, 2, 1, 0}};
        unsigned bits = reference_bits(s, (unsigned)i), most = (1u << bits) - 1;
        double value = i == 3 ? alpha : advanced ? step(t) * alpha : step(t);
        unsigned n = (unsigned)(value * most), byte = bits == 8   ? n
                                                      : bits == 4 ? n * 17
                                                      : bits == 1 ? n * 255
                                                                  : n << 3 | n >> 2;
        words[0] |= byte << 8 * order[s->target < 4 ? s->target : 0][i];
    }
}

static void random_fragment(struct test *t, const struct qpucc_state *s, struct fragment *f) {
    bool advanced = s->blend.enable && s->blend.rgb_equation >= QPUCC_BLEND_MULTIPLY;
    memset(f, 0, sizeof *f);
    for (int i = 3; i >= 0; i--) {
        double value = step(t);
        f->color[i] = (float)(advanced && i < 3 ? (int)(value * f->color[3] * 255) / 255.0 : value);
    }
    for (int i = 0; i < 4; i++)
        f->second[i] = (float)step(t);
    f->x = below(t, 64);
    f->y = below(t, 64);
    f->w = between(t, 0.5, 4);
    f->z = between(t, 0, 1);
    f->fog = between(t, 0, s->fog_per_vertex ? 1 : 4);
    f->across = between(t, 0, 1);
    f->line_distance = below(t, 300) + 0.5;
    for (int i = 0; i < 4; i++)
        random_tile(t, s, f->tile[i]);
}

/* --- tests ---------------------------------------------------------------------------------------------- */

/* Steps that rounding may cost: each product half a one, and half a one for a colour that is no whole step.
 */
static double slack_of(const struct qpucc_state *s) {
    bool exact = !s->fog && !s->line_smooth;
    if (s->target == QPUCC_TARGET_RGBA16F)
        return 0.006;
    return (s->blend.enable ? (exact ? 1.01 : 2.6)
            : exact         ? 0.01
                            : 1.01) /
               255 +
           (s->srgb_write ? 1.0 / 255 : 0);
}

static void run_key(struct test *t) {
    struct qpucc_state state = batch_random_state(&t->seed);
    struct fragment fragments[QPUSIM_LANES];
    static struct qpusim_result result;
    char text[400] = "";
    int level = (int)below(t, 3);
    for (int lane = 0; lane < QPUSIM_LANES; lane++)
        random_fragment(t, &state, &fragments[lane]);
    struct qpucc_draw_state draw = random_draw(t, &fragments[0]);
    qpucc_program *program = batch_compile(&t->source, &state, level);
    bool ok = program && qpucc_program_status(program) == QPUCC_OK;
    if (!ok)
        snprintf(text, sizeof text, "%s", program ? qpucc_program_diagnostic(program, 0)->text : "no memory");
    ok = ok && batch_run(program, &state, &draw, fragments, &result, text, sizeof text);
    for (unsigned lane = 0; ok && lane < QPUSIM_LANES; lane++) {
        struct expected want;
        reference(&state, &draw, &fragments[lane], slack_of(&state), &want);
        t->dropped += want.dropped;
        t->written += !want.dropped;
        ok = batch_fits(&state, &fragments[lane], &want, &result, lane, text, sizeof text);
    }
    t->keys++;
    if (!ok && ++t->failed <= 20) {
        printf("-O%d: %s\n", level, text);
        batch_print_state(&state);
    }
    qpucc_program_free(program);
}

/* Any bytes at all: mostly a good key with a few changed. */
static void run_bytes(struct test *t) {
    struct qpucc_state state = batch_random_state(&t->seed);
    uint8_t *bytes = (uint8_t *)&state;
    for (unsigned n = below(t, 4); n; n--)
        bytes[below(t, sizeof state)] = (uint8_t)(once_in(t, 2) ? below(t, 256) : below(t, 4));
    qpucc_program *program = batch_compile(&t->source, &state, (int)below(t, 3));
    enum qpucc_status status = program ? qpucc_program_status(program) : QPUCC_INTERNAL;
    const struct qpucc_diagnostic *d = program && status ? qpucc_program_diagnostic(program, 0) : NULL;
    t->keys++;
    t->refused += status != QPUCC_OK;
    if (status != QPUCC_OK && (status != QPUCC_SOURCE_ERROR || strcmp(d->code, "state"))) {
        t->failed++;
        printf("status %d: %s\n", (int)status, d ? d->text : "no program");
        batch_print_state(&state);
    }
    qpucc_program_free(program);
}

int main(int argc, char **argv) {
    struct test t = {.seed = 1};
    unsigned count = 1000;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--seed"))
            t.seed = (uint32_t)strtoul(argv[i + 1], NULL, 0) * 2654435761u | 1;
        else if (!strcmp(argv[i], "--count"))
            count = (unsigned)strtoul(argv[i + 1], NULL, 0);
    }
    if (!batch_open(&t.source))
        return 1;
    for (unsigned i = 0; i < count; i++)
        run_key(&t);
    printf("%u keys, %u failed; %u fragments written, %u dropped\n", t.keys, t.failed, t.written, t.dropped);
    bool blind = t.written < t.dropped / 4 || t.dropped < t.written / 8; /* one side hardly seen */
    t.keys = 0;
    for (unsigned i = 0; i < count; i++)
        run_bytes(&t);
    printf("%u keys of any bytes, %u refused, %u failed in all\n", t.keys, t.refused, t.failed);
    batch_close(&t.source);
    return t.failed || blind || !t.refused;
}
