/* Collects quads into batches of sixteen pixels, runs the fragment shader on them and writes the results to
 * the tile.
 *
 * The scoreboard (guide section 5) orders accesses to the same pixel. Here a batch reads its pixels when it
 * starts and writes them when it ends, and a two-threaded shader runs two batches at a time, alternating at
 * its thread switches. So two batches that share a pixel never run together, and a quad whose pixels are
 * already in the batch starts a new one. */
#include "runtime/draw.h"

static bool overlaps(const struct qpusim_fragments *f, unsigned quads, int x, int y) {
    for (unsigned q = 0; q < quads; q++)
        if (f->x[4 * q] == x && f->y[4 * q] == y)
            return true;
    return false;
}

/* --- between tile and batch ----------------------------------------------------------------------------- */

static unsigned first_sample_of(const struct sim_tile *t, const struct qpusim_fragments *f, unsigned lane) {
    return sim_tile_sample(t, (unsigned)(f->x[lane] - t->x), (unsigned)(f->y[lane] - t->y));
}

/* In tiles of one word a pixel, the two pixels of a quad's row are adjacent: they are copied as a pair. */
static bool has_pairs(const struct sim_tile *t) {
    return !SIM_FAULT(t, quad_order) && t->samples * t->sample_words == 1 && !t->alpha_mask;
}

static void read_pairs(const struct sim_tile *t, struct qpusim_fragments *f) {
    for (unsigned l = 0; l < SIM_LANES; l += 2) {
        if (!(f->live >> l & 1))
            continue;
        unsigned at = first_sample_of(t, f, l);
        memcpy(&f->color[l], &t->color[at], 2 * sizeof *f->color);
        memcpy(&f->depth[l], &t->depth[at], 2 * sizeof *f->depth);
        memcpy(&f->stencil[l], &t->stencil[at], 2 * sizeof *f->stencil);
    }
}

SIM_INLINE void write_pixels(struct sim_tile *t, unsigned at, const struct sim_tlb *tlb, unsigned l,
                             size_t count) {
    memcpy(&t->color[at], &tlb->color[0][l], count * sizeof *t->color);
    memcpy(&t->depth[at], &tlb->depth[0][l], count * sizeof *t->depth);
    memcpy(&t->stencil[at], &tlb->stencil[0][l], count * sizeof *t->stencil);
}

static void write_pairs(struct sim_tile *t, const struct qpusim_fragments *f, const struct sim_tlb *tlb) {
    for (unsigned l = 0; l < SIM_LANES; l += 2) {
        unsigned pair = f->coverage >> l & 3;
        if (!pair)
            continue;
        unsigned at = first_sample_of(t, f, l);
        if (pair == 3)
            write_pixels(t, at, tlb, l, 2);
        else
            write_pixels(t, at + (pair >> 1), tlb, l + (pair >> 1), 1);
    }
}

static void read_tile(const struct sim_tile *t, struct qpusim_fragments *f) {
    unsigned words = t->samples * t->sample_words;
    if (has_pairs(t)) {
        read_pairs(t, f);
        return;
    }
    for (unsigned l = 0; l < SIM_LANES; l += 4) {
        if (!(f->live >> l & 1))
            continue;
        for (unsigned i = l; i < l + 4; i++) { /* a quad's pixels are all in the tile */
            unsigned sample = first_sample_of(t, f, i);
            f->depth[i] = t->depth[sample];
            f->stencil[i] = t->stencil[sample];
            if (t->alpha_mask)
                f->alpha[i] = t->alpha[sample / t->samples];
            if (words == 1) {
                f->color[i] = t->color[sample];
                continue;
            }
            for (unsigned w = 0; w < words; w++)
                f->tile[w][i] = t->color[sample * t->sample_words + w];
            for (unsigned s = 0; s < t->samples; s++) {
                f->sample_depth[s][i] = t->depth[sample + s];
                f->sample_stencil[s][i] = t->stencil[sample + s];
            }
        }
    }
}

static void write_tile(struct sim_tile *t, const struct qpusim_fragments *f, const struct sim_tlb *tlb) {
    unsigned words = t->samples * t->sample_words;
    if (has_pairs(t)) {
        write_pairs(t, f, tlb);
        return;
    }
    for (unsigned left = f->coverage; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left), sample = first_sample_of(t, f, l);
        for (unsigned w = 0; w < words; w++)
            t->color[sample * t->sample_words + w] = tlb->color[w][l];
        if (t->alpha_mask)
            t->alpha[sample / t->samples] = tlb->alpha[l];
        for (unsigned s = 0; s < t->samples; s++) {
            t->depth[sample + s] = tlb->depth[s][l];
            t->stencil[sample + s] = tlb->stencil[s][l];
        }
    }
}

/* --- early Z -------------------------------------------------------------------------------------------- */

/* The frame's early bounds serve depth functions of one direction: less and lequal, or greater and gequal. */
static bool early_bound_applies(const struct sim_batcher *b) {
    bool greater = b->tile->early_greater;
    return b->depth_func == (greater ? QPUSIM_FUNC_GREATER : QPUSIM_FUNC_LESS) ||
           b->depth_func == (greater ? QPUSIM_FUNC_GEQUAL : QPUSIM_FUNC_LEQUAL);
}

static bool early_rejects(const struct sim_batcher *b, const struct sim_quad *q) {
    struct sim_tile *t = b->tile;
    if (!b->early_test || t->early_off || t->coverage || !b->depth_test || !early_bound_applies(b))
        return false;
    uint32_t bound = *sim_tile_early(t, (unsigned)(q->x - t->x), (unsigned)(q->y - t->y));
    for (unsigned i = 0; i < 4; i++) {
        if (!(q->coverage >> i & 1))
            continue;
        uint32_t z = q->z[i];
        if (b->depth_func == QPUSIM_FUNC_LESS      ? z < bound
            : b->depth_func == QPUSIM_FUNC_LEQUAL  ? z <= bound
            : b->depth_func == QPUSIM_FUNC_GREATER ? z > bound
                                                   : z >= bound)
            return false;
    }
    return true;
}

/* After a batch has written Z. With updates enabled, the bound of a quad becomes that of its samples.
 * Without, it is only loosened where a sample lies beyond it. */
static void update_early(const struct sim_batcher *b, const struct qpusim_fragments *f) {
    struct sim_tile *t = b->tile;
    if (t->early_off || t->coverage || !b->depth_test || !b->depth_write)
        return;
    for (unsigned l = 0; l < SIM_LANES; l += 4) {
        if (!(f->coverage >> l & 15))
            continue;
        unsigned x = (unsigned)(f->x[l] - t->x), y = (unsigned)(f->y[l] - t->y);
        uint32_t bound = sim_tile_quad_bound(t, x, y), *early = sim_tile_early(t, x, y);
        bool looser = t->early_greater ? bound < *early : bound > *early;
        if (looser || b->early_update)
            *early = bound;
    }
}

/* --- faults --------------------------------------------------------------------------------------------- */

#define EXCHANGE(array)                                                                                      \
    do {                                                                                                     \
        __typeof__((array)[0]) kept = (array)[l + 1];                                                        \
        (array)[l + 1] = (array)[l + 2];                                                                     \
        (array)[l + 2] = kept;                                                                               \
    } while (0)

/* The fault quad_order: exchanges the middle two lanes of each quad. */
static void exchange_middle_lanes(struct qpusim_fragments *f) {
    for (unsigned l = 0; l < SIM_LANES; l += 4) {
        EXCHANGE(f->x);
        EXCHANGE(f->y);
        EXCHANGE(f->z);
        EXCHANGE(f->w);
        EXCHANGE(f->samples);
        for (unsigned v = 0; v < f->varying_count; v++) {
            EXCHANGE(f->vary[v]);
            EXCHANGE(f->c[v]);
        }
        unsigned differ = (f->coverage >> (l + 1) ^ f->coverage >> (l + 2)) & 1;
        f->coverage = (uint16_t)(f->coverage ^ (differ * 6) << l);
    }
}

/* --- running -------------------------------------------------------------------------------------------- */

static void begin(struct sim_batcher *b, unsigned i) {
    struct qpusim_fragments *f = &b->batch[i];
    struct sim_thread *t = b->thread[i];
    f->varying_count = b->varying_words;
    f->multisample = b->tile->multisample;
    f->color64 = b->tile->color64;
    f->alpha_mask = b->tile->alpha_mask;
    f->coverage_buffer = b->tile->coverage;
    f->coverage_bits = b->coverage_bits;
    f->coverage_left = b->coverage_left;
    f->depth_test = b->depth_test;
    f->depth_write = b->depth_write;
    f->depth_func = b->depth_func;
    if (SIM_FAULT(b->options, quad_order))
        exchange_middle_lanes(f);
    read_tile(b->tile, f);
    sim_thread_init(t, b->program, b->options, b->error, &b->shared, b->clock, b->counters);
    t->number = i != b->filling;
    sim_thread_set_uniforms(t, &b->uniforms, b->memory);
    sim_thread_set_fragments(t, f);
    if (SIM_FAULT(b->options, helpers_dead))
        t->live = f->coverage;
    sim_trace_select(t, f, NULL, 0);
}

static void count_quads(struct sim_quad_counts *to, const struct sim_tlb *tlb) {
    unsigned written = tlb->color_written;
    to->failing_stencil += tlb->quads.failing_stencil;
    to->failing_z += tlb->quads.failing_z;
    to->passing += tlb->quads.passing;
    to->uncovered += tlb->quads.uncovered;
    to->covered += tlb->quads.covered;
    for (; written; written >>= 4)
        to->written += (written & 15) != 0;
}

static bool finish(struct sim_batcher *b, unsigned i) {
    struct qpusim_fragments *f = &b->batch[i];
    struct sim_thread *t = b->thread[i];
    if (sim_thread_finish(t, 0, b->partial_uniforms) != SIM_STOP_END)
        return false;
    write_tile(b->tile, f, &t->tlb);
    update_early(b, f);
    count_quads(&b->quads_tested, &t->tlb);
    b->counters->instructions += t->executed;
    b->counters->stage_instructions[QPUSIM_FRAGMENT] += t->executed;
    b->counters->stage_batches[QPUSIM_FRAGMENT]++;
    b->counters->batches++;
    if (b->costs)
        sim_cost_add(b->costs, t, f, b->quads[i]);
    f->live = f->coverage = f->back = 0;
    b->quads[i] = 0;
    return true;
}

/* Runs the batch being filled, the waiting one, or both to the end. Two of them take turns at thread
 * switches. */
static bool run(struct sim_batcher *b, bool filled, bool waiting) {
    bool active[2];
    active[b->filling] = filled;
    active[!b->filling] = waiting;
    uint64_t start = b->clock->now;
    for (unsigned i = 0; i < 2; i++)
        if (active[i])
            begin(b, i);
    unsigned turn = waiting ? !b->filling : b->filling; /* the batch that waited is the older one */
    while (active[0] || active[1]) {
        if (!active[turn])
            turn ^= 1;
        switch (sim_thread_run(b->thread[turn])) {
        case SIM_STOP_ERROR: return false;
        case SIM_STOP_SWITCH: turn ^= 1; break;
        case SIM_STOP_END:
            active[turn] = false;
            if (!finish(b, turn))
                return false;
            break;
        }
    }
    b->counters->cycles += b->clock->now - start;
    b->counters->stage_cycles[QPUSIM_FRAGMENT] += b->clock->now - start;
    return true;
}

/* The batch takes no more quads: runs it, or with two threads leaves it to wait for a second batch. */
static bool close_batch(struct sim_batcher *b) {
    if (!b->program->threaded)
        return run(b, true, false);
    if (!b->waiting) {
        b->filling ^= 1;
        b->waiting = true;
        return true;
    }
    b->waiting = false;
    const struct qpusim_fragments *f = &b->batch[b->filling];
    bool conflict = false;
    for (unsigned q = 0; q < b->quads[b->filling]; q++)
        conflict |= overlaps(&b->batch[!b->filling], b->quads[!b->filling], f->x[4 * q], f->y[4 * q]);
    if (conflict)
        return run(b, false, true) && run(b, true, false);
    return run(b, true, true);
}

bool sim_batch_flush(struct sim_batcher *b) {
    if (b->quads[b->filling] && !close_batch(b))
        return false;
    if (b->waiting) {
        b->waiting = false;
        return run(b, false, true);
    }
    return true;
}

struct qpusim_fragments *sim_batch_quad(struct sim_batcher *b, const struct sim_quad *quad, unsigned *lane) {
    b->counters->pixels += (unsigned)__builtin_popcount(quad->coverage);
    b->quads_seen++;
    if (early_rejects(b, quad)) {
        b->quads_clipped++;
        return NULL;
    }
    unsigned n = b->quads[b->filling];
    if ((n == 4 || overlaps(&b->batch[b->filling], n, quad->x, quad->y)) && !close_batch(b))
        return NULL;
    struct qpusim_fragments *f = &b->batch[b->filling];
    unsigned l = 4 * b->quads[b->filling]++;
    *lane = l;
    f->live |= (uint16_t)(15u << l);
    f->coverage |= (uint16_t)(quad->coverage << l);
    if (quad->back)
        f->back |= (uint16_t)(15u << l);
    for (unsigned i = 0; i < 4; i++) {
        f->x[l + i] = quad->x + (int)(i & 1);
        f->y[l + i] = quad->y + (int)(i >> 1);
        f->z[l + i] = quad->z[i];
        f->samples[l + i] = (uint8_t)quad->samples[i];
    }
    return f;
}
