/* Collects quads into batches of sixteen pixels, runs the fragment shader on them and writes the results to
 * the target.
 *
 * A two-threaded shader runs two batches at a time and switches at its own thread switches. As the scoreboard
 * guarantees, batches that share a pixel never run together, and a quad whose pixels are already in the batch
 * starts a new one. */
#include "runtime/draw.h"

static size_t pixel(const struct qpusim_target *t, int x, int y) {
    return (size_t)y * t->width + (size_t)x;
}

static bool inside(const struct qpusim_target *t, int x, int y) {
    return x >= 0 && y >= 0 && x < (int)t->width && y < (int)t->height;
}

static bool overlaps(const struct qpusim_fragments *f, unsigned quads, int x, int y) {
    for (unsigned q = 0; q < quads; q++)
        if (f->x[4 * q] == x && f->y[4 * q] == y)
            return true;
    return false;
}

static void begin(struct sim_batcher *b, unsigned i) {
    struct qpusim_fragments *f = &b->batch[i];
    struct sim_thread *t = b->thread[i];
    f->varying_count = b->varying_words;
    f->depth_test = b->depth_test;
    f->depth_write = b->depth_write;
    f->depth_func = b->depth_func;
    for (unsigned l = 0; l < SIM_LANES; l++) {
        if (!(f->live >> l & 1) || !inside(b->target, f->x[l], f->y[l]))
            continue;
        size_t p = pixel(b->target, f->x[l], f->y[l]);
        f->color[l] = b->target->color[p];
        f->depth[l] = b->target->depth[p];
        f->stencil[l] = b->target->stencil[p];
    }
    sim_thread_init(t, b->program, b->options, b->error, &b->shared, b->clock, b->counters);
    t->number = i;
    sim_thread_set_uniforms(t, &b->uniforms, b->memory);
    sim_thread_set_fragments(t, f);
}

static bool finish(struct sim_batcher *b, unsigned i) {
    struct qpusim_fragments *f = &b->batch[i];
    struct sim_thread *t = b->thread[i];
    if (sim_thread_finish(t, 0, b->partial_uniforms) != SIM_STOP_END)
        return false;
    for (unsigned l = 0; l < SIM_LANES; l++) {
        if (!(f->coverage >> l & 1))
            continue;
        size_t p = pixel(b->target, f->x[l], f->y[l]);
        b->target->color[p] = t->tlb.color[0][l];
        b->target->depth[p] = t->tlb.depth[l];
        b->target->stencil[p] = t->tlb.stencil[l];
    }
    b->counters->instructions += t->executed;
    b->counters->stage_instructions[QPUSIM_FRAGMENT] += t->executed;
    b->counters->stage_batches[QPUSIM_FRAGMENT]++;
    b->counters->batches++;
    f->live = f->coverage = f->back = 0;
    b->quads[i] = 0;
    return true;
}

/* Runs the given batches to their ends, taking turns at thread switches. */
static bool run(struct sim_batcher *b, bool first, bool second) {
    bool active[2] = {first, second};
    uint64_t start = b->clock->now;
    for (unsigned i = 0; i < 2; i++)
        if (active[i])
            begin(b, i);
    unsigned turn = second ? 1 : 0; /* the batch that waited is the older one */
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

/* The filled batch is complete. */
static bool complete(struct sim_batcher *b) {
    if (!b->program->threaded)
        return run(b, true, false);
    if (!b->waiting) {
        b->batch[1] = b->batch[0];
        b->quads[1] = b->quads[0];
        b->batch[0].live = b->batch[0].coverage = b->batch[0].back = 0;
        b->quads[0] = 0;
        b->waiting = 1;
        return true;
    }
    b->waiting = 0;
    bool conflict = false;
    for (unsigned q = 0; q < b->quads[0]; q++)
        conflict |= overlaps(&b->batch[1], b->quads[1], b->batch[0].x[4 * q], b->batch[0].y[4 * q]);
    if (conflict)
        return run(b, false, true) && run(b, true, false);
    return run(b, true, true);
}

bool sim_batch_flush(struct sim_batcher *b) {
    if (b->quads[0] && !complete(b))
        return false;
    if (b->waiting) {
        b->waiting = 0;
        return run(b, false, true);
    }
    return true;
}

struct qpusim_fragments *sim_batch_quad(struct sim_batcher *b, const struct sim_quad *quad, unsigned *lane) {
    struct qpusim_fragments *f = &b->batch[0];
    if (b->quads[0] == 4 || overlaps(f, b->quads[0], quad->x, quad->y)) {
        if (!complete(b))
            return NULL;
    }
    unsigned q = b->quads[0]++, l = 4 * q;
    *lane = l;
    f->live |= (uint16_t)(15u << l);
    f->coverage |= (uint16_t)(quad->coverage << l);
    if (quad->back)
        f->back |= (uint16_t)(15u << l);
    for (unsigned i = 0; i < 4; i++) {
        f->x[l + i] = quad->x + (int)(i & 1);
        f->y[l + i] = quad->y + (int)(i >> 1);
        f->color[l + i] = 0;
        f->depth[l + i] = 0;
        f->stencil[l + i] = 0;
    }
    b->counters->pixels += (unsigned)__builtin_popcount(quad->coverage);
    return f;
}
