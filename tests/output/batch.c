#include "batch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char shader[] = "#version 330\n"
                             "in vec4 c, d; layout(location = 0) out vec4 first;\n"
                             "layout(location = 0, index = 1) out vec4 second;\n"
                             "void main() { first = c; second = d; }\n";

bool batch_open(struct batch_source *source) {
    struct qpucc_source text = {"c.frag", shader, sizeof shader - 1, QPUCC_FRAGMENT, QPUCC_GLSL};
    source->program = qpucc_compile(&text, 1, NULL, NULL);
    source->spirv =
        source->program ? qpucc_program_spirv(source->program, QPUCC_FRAGMENT, &source->words) : NULL;
    return source->spirv;
}

void batch_close(struct batch_source *source) {
    qpucc_program_free(source->program);
}

qpucc_program *batch_compile(const struct batch_source *source, const struct qpucc_state *state, int level) {
    struct qpucc_source module = {"c.spv", source->spirv, source->words * 4, QPUCC_FRAGMENT, QPUCC_SPIRV};
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = level;
    return qpucc_compile(&module, 1, state, &options);
}

static void set_lane(struct qpusim_fragments *f, const struct qpucc_state *state, const struct fragment *in,
                     unsigned lane) {
    unsigned v = 0;
    f->x[lane] = (int32_t)in->x;
    f->y[lane] = (int32_t)in->y;
    f->w[lane] = (float)in->w;
    f->z[lane] = (uint32_t)(in->z * 0xffffff);
    /* a varying is vary * W + C; only what is not multiplied comes out as it is */
    if (state->primitive == QPUCC_POINTS)
        v = 2;
    if (state->primitive == QPUCC_LINES)
        f->c[v++][lane] = (float)in->across;
    for (int i = 0; i < 4; i++)
        f->c[v++][lane] = (float)in->color[i];
    for (int i = 0; i < 4; i++)
        f->c[v++][lane] = (float)in->second[i];
    if (state->fog && (state->fog_per_vertex || state->fog_source == QPUCC_FOG_COORDINATE))
        f->c[v++][lane] = (float)in->fog;
    if (state->line_stipple)
        f->c[v++][lane] = (float)(in->line_distance * in->w);
    f->varying_count = v;
    for (unsigned s = 0; s < 4; s++)
        for (unsigned k = 0; k < 2; k++)
            f->tile[f->color64 ? 2 * s + k : s][lane] = in->tile[s][k];
    if (!f->color64)
        for (unsigned s = 0; s < 4; s++)
            f->tile[s][lane] = in->tile[s][0];
    f->color[lane] = in->tile[0][0];
    f->samples[lane] = 15;
}

bool batch_run(const qpucc_program *program, const struct qpucc_state *state,
               const struct qpucc_draw_state *draw, const struct fragment fragments[QPUSIM_LANES],
               struct qpusim_result *result, char *text, size_t size) {
    static struct qpusim_fragments f; /* too large for a stack; one thread */
    size_t count, words = qpucc_uniforms_size(program, QPUCC_FRAGMENT);
    const uint64_t *code = qpucc_program_code(program, QPUCC_FRAGMENT, &count);
    uint32_t *stream = calloc(words + 1, sizeof *stream);
    struct qpucc_draw_values values = {.state = *draw, .stream_address = {QPUSIM_STREAM_ADDRESS}};
    memset(&f, 0, sizeof f);
    f.live = f.coverage = 0xffff;
    f.multisample = state->multisample;
    f.color64 = state->target == QPUCC_TARGET_RGBA16F;
    for (unsigned lane = 0; lane < QPUSIM_LANES; lane++)
        set_lane(&f, state, &fragments[lane], lane);
    struct qpusim_program *machine = qpusim_program_new(
        code, count, QPUSIM_FRAGMENT, qpucc_program_stats(program, QPUCC_FRAGMENT)->threads > 1);
    struct qpusim_run_info run = {.program = machine, .uniforms = {stream, words, 0}, .fragments = &f};
    struct qpusim_error error = {.status = QPUSIM_OK};
    bool ok = stream && machine && qpucc_uniforms_fill(program, QPUCC_FRAGMENT, &values, stream) &&
              qpusim_run(&run, NULL, result, &error) == QPUSIM_OK;
    if (!ok)
        snprintf(text, size, "does not run: %s", error.text);
    qpusim_program_free(machine);
    free(stream);
    return ok;
}

/* Of the words that the lane has now. */
static void lane_words(const struct qpucc_state *state, const struct qpusim_result *result, unsigned lane,
                       unsigned sample, uint32_t words[2]) {
    bool wide = state->target == QPUCC_TARGET_RGBA16F;
    for (unsigned k = 0; k < 2; k++)
        words[k] = result->tile[wide ? 2 * sample + k : sample][lane];
}

bool batch_fits(const struct qpucc_state *state, const struct fragment *fragment, const struct expected *want,
                const struct qpusim_result *result, unsigned lane, char *text, size_t size) {
    bool wide = state->target == QPUCC_TARGET_RGBA16F;
    bool opaque = state->target_opaque || state->target == QPUCC_TARGET_RGB565;
    for (unsigned s = 0; s < (state->multisample ? 4 : 1); s++) {
        uint32_t now[2];
        lane_words(state, result, lane, s, now);
        bool same = now[0] == fragment->tile[s][0] && (!wide || now[1] == fragment->tile[s][1]);
        if (want->dropped || !(want->samples >> s & 1)) {
            if (same)
                continue;
            snprintf(text, size, "lane %u sample %u is written and should not be", lane, s);
            return false;
        }
        for (unsigned i = 0; i < (opaque ? 3 : 4); i++) {
            double is = reference_channel(state, now, i),
                   was = reference_channel(state, fragment->tile[s], i);
            double low = want->kept[i] ? was : want->low[s][i], high = want->kept[i] ? was : want->high[s][i];
            if (is >= low - 0.0001 && is <= high + 0.0001)
                continue;
            snprintf(text, size,
                     "lane %u sample %u channel %u: %.5f (%08x), should be %.5f to %.5f; tile %.5f, fragment "
                     "%.5f %.5f %.5f %.5f",
                     lane, s, i, is, now[0], low, high, was, fragment->color[0], fragment->color[1],
                     fragment->color[2], fragment->color[3]);
            return false;
        }
    }
    return true;
}

void batch_print_state(const struct qpucc_state *s) {
    const struct {
        const char *name;
        unsigned value;
    } members[] = {{"primitive", s->primitive},
                   {"flip_y", s->flip_y},
                   {"fog", s->fog},
                   {"fog_source", s->fog_source},
                   {"fog_per_vertex", s->fog_per_vertex},
                   {"line_smooth", s->line_smooth},
                   {"line_stipple", s->line_stipple},
                   {"area_stipple", s->area_stipple},
                   {"chroma_key", s->chroma_key},
                   {"multisample", s->multisample},
                   {"alpha_to_coverage", s->alpha_to_coverage},
                   {"alpha_to_one", s->alpha_to_one},
                   {"sample_mask", s->sample_mask},
                   {"alpha_func", s->alpha_func},
                   {"stencil", s->stencil},
                   {"stencil_masks", s->stencil_masks},
                   {"blend.enable", s->blend.enable},
                   {"blend.rgb_equation", s->blend.rgb_equation},
                   {"blend.rgb_source", s->blend.rgb_source},
                   {"blend.rgb_target", s->blend.rgb_target},
                   {"blend.alpha_equation", s->blend.alpha_equation},
                   {"blend.alpha_source", s->blend.alpha_source},
                   {"blend.alpha_target", s->blend.alpha_target},
                   {"target", s->target},
                   {"target_opaque", s->target_opaque},
                   {"srgb_write", s->srgb_write},
                   {"dither", s->dither},
                   {"logic_op", s->logic_op},
                   {"keep_channels", s->keep_channels}};
    printf("    {");
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (members[i].value)
            printf(".%s = %u, ", members[i].name, members[i].value);
    printf("}\n");
}

uint32_t batch_random(uint32_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

unsigned batch_below(uint32_t *seed, unsigned limit) {
    return (unsigned)((uint64_t)batch_random(seed) * limit >> 32);
}

/* True once in `times` times. */
static bool once_in(uint32_t *seed, unsigned times) {
    return batch_below(seed, times) == 0;
}

static void random_blend(uint32_t *seed, struct qpucc_blend_state *blend) {
    blend->enable = 1;
    blend->rgb_equation = blend->alpha_equation = (uint8_t)(5 + batch_below(seed, 15));
    if (!once_in(seed, 4)) {
        blend->rgb_equation = (uint8_t)batch_below(seed, 5);
        blend->alpha_equation = once_in(seed, 2) ? blend->rgb_equation : (uint8_t)batch_below(seed, 5);
    }
    blend->rgb_source = (uint8_t)batch_below(seed, QPUCC_FACTOR_COUNT);
    blend->rgb_target = (uint8_t)batch_below(seed, QPUCC_FACTOR_COUNT);
    blend->alpha_source =
        once_in(seed, 2) ? blend->rgb_source : (uint8_t)batch_below(seed, QPUCC_FACTOR_COUNT);
    blend->alpha_target =
        once_in(seed, 2) ? blend->rgb_target : (uint8_t)batch_below(seed, QPUCC_FACTOR_COUNT);
}

/* A key without contradictions. Logic operations go with colours that are known to the bit. */
struct qpucc_state batch_random_state(uint32_t *seed) {
    struct qpucc_state s = {.primitive = once_in(seed, 3) ? QPUCC_LINES : QPUCC_TRIANGLES};
    bool lines = s.primitive == QPUCC_LINES;
    s.flip_y = once_in(seed, 3);
    if (once_in(seed, 2))
        s.target = (uint8_t)batch_below(seed, QPUCC_TARGET_COUNT);
    s.target_opaque = once_in(seed, 6);
    s.dither = once_in(seed, 3);
    s.keep_channels = once_in(seed, 4) ? (uint8_t)batch_below(seed, 16) : 0;
    s.alpha_func = once_in(seed, 3) ? (uint8_t)batch_below(seed, QPUCC_FUNC_COUNT) : 0;
    s.chroma_key = once_in(seed, 5) ? (uint8_t)batch_below(seed, QPUCC_CHROMA_COUNT) : 0;
    s.area_stipple = once_in(seed, 5) ? (uint8_t)batch_below(seed, QPUCC_STIPPLE_COUNT) : 0;
    s.line_stipple = lines && once_in(seed, 3);
    s.stencil = once_in(seed, 6) ? (uint8_t)batch_below(seed, QPUCC_STENCIL_COUNT) : 0;
    s.depth_test = once_in(seed, 3);
    s.multisample = once_in(seed, 4);
    if (s.multisample) {
        s.alpha_to_coverage = once_in(seed, 3);
        s.alpha_to_one = once_in(seed, 3);
        s.sample_mask = once_in(seed, 3);
        s.stencil = 0; /* the machine tests no samples' stencils */
    }
    if (once_in(seed, 3) && s.target != QPUCC_TARGET_RGBA16F) {
        s.logic_op = (uint8_t)batch_below(seed, QPUCC_LOGIC_OP_COUNT);
        return s;
    }
    if (once_in(seed, 2))
        random_blend(seed, &s.blend);
    s.srgb_write = s.target != QPUCC_TARGET_RGBA16F && once_in(seed, 5);
    if (s.blend.enable && s.blend.rgb_equation >= QPUCC_BLEND_MULTIPLY)
        return s; /* a colour is premultiplied, but not after fog */
    s.line_smooth = lines && once_in(seed, 3);
    s.fog = once_in(seed, 4) ? (uint8_t)batch_below(seed, QPUCC_FOG_COUNT) : 0;
    s.fog_source = (uint8_t)batch_below(seed, QPUCC_FOG_SOURCE_COUNT);
    s.fog_per_vertex = s.fog_source != QPUCC_FOG_DEPTH && once_in(seed, 3);
    return s;
}
