/* A thread before its first instruction: registers that nothing has defined yet, the uniform stream, and what
 * the fixed-function hardware delivers, which is four quads of fragments or the attributes of up to sixteen
 * vertices. Undefined bits are a pattern that depends on the run's seed alone. */
#include "runtime/machine.h"

#include <stddef.h>

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

uint32_t sim_pattern(uint32_t *state) {
    uint32_t x = *state += 0x9e3779b9u;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

/* The planes are the primitive's in every lane. Which place on them a lane without a pixel has is a choice:
 * that of the batch's last quad. */
void sim_thread_fill_absent(const struct sim_thread *t, u32x16 *value) {
    if (!t->live)
        return;
    unsigned last = (31u - (unsigned)__builtin_clz(t->live)) & ~3u;
    bool arbitrary = SIM_FAULT(t->options, lanes_absent) || SIM_FAULT(t->options, helpers_dead);
    for (unsigned absent = 0xffff & ~t->live; absent; absent &= absent - 1) {
        unsigned lane = (unsigned)__builtin_ctz(absent);
        (*value)[lane] = arbitrary ? 0x9e3779b9u * (lane + 1) : (*value)[last + lane % 4];
    }
}

SIM_INLINE void clear(struct sim_thread *t, size_t from, size_t to) {
    memset((char *)t + from, 0, to - from);
}

SIM_VERSIONS
void sim_thread_init(struct sim_thread *t, const struct qpusim_program *program,
                     const struct qpusim_options *options, struct qpusim_error *error,
                     struct sim_shared *shared, struct sim_clock *clock, struct qpusim_counters *counters) {
    /* All but what is filled below, or when it is first used. */
    clear(t, offsetof(struct sim_thread, zf), offsetof(struct sim_thread, poison));
    clear(t, offsetof(struct sim_thread, sfu_poison), offsetof(struct sim_thread, tlb));
    clear(t, offsetof(struct sim_thread, tlb.words), offsetof(struct sim_thread, tmu));
    t->tmu[0].written = t->tmu[0].params = t->tmu[1].written = t->tmu[1].params = 0;
    t->result_head[0] = t->result_head[1] = t->result_count[0] = t->result_count[1] = 0;
    t->tmu_words[0] = t->tmu_words[1] = 0;
    t->tmu_used = false;
    t->trace = NULL;
    t->traced = options->trace != NULL;
    memset(&t->vpm, 0, offsetof(struct sim_vpm, in));
    t->program = program;
    t->options = options;
    t->error = error;
    t->shared = shared;
    t->clock = clock;
    t->counters = counters;
    t->budget = options->budget ? options->budget : 1000000;
    t->live = 0xffff;
    t->tlb.words = t->tlb.sample_words = 1;
    t->poison_state = options->poison_seed * 0x9e3779b9u + 1;
    u32x16 pattern = sim_patterns(&t->poison_state);
    for (unsigned i = 0; i < SIM_REG_COUNT; i++)
        t->reg[i] = pattern ^ (i * 0x9e3779b9u);
    memset(t->poison, 0xff, sizeof t->poison);
    t->poison[SIM_REG_IMM] = 0;
    t->flag_poison = 0xffff;
    t->poisoned[0] = t->poisoned[1] = ~0ull;
}

void sim_thread_set_uniforms(struct sim_thread *t, const struct qpusim_stream *stream,
                             struct qpusim_memory *memory) {
    t->uniforms = *stream;
    t->memory = memory;
    t->unif_base = stream->words ? QPUSIM_STREAM_ADDRESS : stream->address;
    t->unif_next = t->unif_base;
    t->unif_limit = t->unif_base + (uint32_t)(4 * stream->count);
    sim_io_locate_uniforms(t);
}

void sim_thread_set_fragments(struct sim_thread *t, const struct qpusim_fragments *f) {
    t->fragments = f;
    t->live = f->live;
    memcpy(&t->reg[15], f->w, sizeof t->reg[15]);
    memcpy(&t->reg[SIM_REG_B + 15], f->z, sizeof t->reg[SIM_REG_B + 15]);
    if (UNLIKELY(f->live != 0xffff)) {
        sim_thread_fill_absent(t, &t->reg[15]);
        sim_thread_fill_absent(t, &t->reg[SIM_REG_B + 15]);
    }
    t->poison[15] = t->poison[SIM_REG_B + 15] = 0;
    t->poisoned[0] &= ~(1ull << 15 | 1ull << (SIM_REG_B + 15));
    struct sim_tlb *tlb = &t->tlb;
    tlb->reads = tlb->writes = tlb->opaques = 0;
    tlb->sample_words = f->color64 ? 2 : 1;
    tlb->words = f->multisample ? 4 * tlb->sample_words : tlb->sample_words;
    if (tlb->words > 1)
        memcpy(tlb->color, f->tile, sizeof tlb->color);
    else
        memcpy(tlb->color[0], f->color, sizeof tlb->color[0]);
    memset(tlb->samples, 1, sizeof tlb->samples);
    if (f->multisample) {
        for (unsigned i = 0; i < SIM_LANES; i++)
            tlb->samples[i] = f->samples[i] & 15;
        memcpy(tlb->depth, f->sample_depth, sizeof tlb->depth);
        memcpy(tlb->stencil, f->sample_stencil, sizeof tlb->stencil);
    } else {
        memcpy(tlb->depth[0], f->depth, sizeof tlb->depth[0]);
        memcpy(tlb->stencil[0], f->stencil, sizeof tlb->stencil[0]);
    }
    memcpy(tlb->alpha, f->alpha, sizeof tlb->alpha);
    tlb->mask = tlb->coverage = f->coverage & f->live;
    for (unsigned i = 0; i < SIM_LANES && f->multisample; i++)
        tlb->mask &= ~((unsigned)!tlb->samples[i] << i);
    tlb->back = f->back;
    tlb->depth_test = f->depth_test;
    tlb->depth_write = f->depth_write;
    tlb->fault = t->options->fault;
    tlb->depth_func =
        SIM_FAULT(tlb, z_equal) && f->depth_func == QPUSIM_FUNC_LEQUAL ? QPUSIM_FUNC_LESS : f->depth_func;
}

void sim_thread_set_vertices(struct sim_thread *t, const struct qpusim_vertices *v) {
    t->live = (1u << v->count) - 1;
    t->vpm.rows_in = v->row_count;
    for (unsigned r = 0; r < v->row_count; r++) {
        memcpy(t->vpm.in[r], v->rows[r], sizeof t->vpm.in[r]);
        for (unsigned i = v->count; i < SIM_LANES; i++)
            t->vpm.in[r][i] = sim_pattern(&t->poison_state);
    }
}
