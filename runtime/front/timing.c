/* Time: when batches would run on the chip, from what each cost on its own.
 *
 * A batch costs the slots of its instructions and those in which it waited while it ran alone (cycles.c).
 * Batches start in the order in which the machine made them, each on the QPU that is free first. Shared by
 * the QPUs:
 * - a slice's instruction cache, 4 KiB of 64-byte lines in four ways (facts section 14). A batch looks up the
 *   lines of its program once, in order; a miss costs MISS slots.
 * - a slice's uniform cache, taken to be 2 KiB of the same shape; lines of the words that the batch read.
 * - a slice's two TMUs: four slots a request, spread evenly. What goes beyond the batch's own waiting is
 *   lost.
 * - a slice's special function unit: one vector a slot.
 * - the VPM: 192 rows of 16 words (IDENT1) for vertices on their way.
 * - the scoreboard: a batch ends no earlier than UNLOCK slots after the batch before it on one of its quads.
 * - the tile buffer: one; fragments of a tile start when the tile before is stored, STORE slots after its
 *   last.
 * Fragments wait for the vertices of their tile, rendering for all of binning. Assumed without a source:
 * MISS, STORE, UNLOCK, the uniform cache's size. Not modelled: misses of the texture and level 2 caches,
 * memory traffic. */
#include <stdlib.h>

#include <qpucc/lists.h>

#include "runtime/front/block.h"

#define MISS 10
#define STORE 256
#define UNLOCK 2
#define SLICES 3
#define WAYS 4
#define VPM_ROWS 192
#define TILE_QUADS 32 /* along an edge */

struct cache {
    unsigned sets;
    uint32_t line[16][WAYS]; /* numbers plus one, most recent first */
};

struct qpusim_timing {
    struct qpusim_event *event;
    size_t count, capacity;
    struct qpusim_time_report report;
    uint64_t free[SIM_QPUS], tmu[SLICES], sfu[SLICES];
    struct cache instructions[SLICES], uniforms[SLICES];
    struct { /* vertices in the VPM */
        uint64_t end;
        unsigned rows;
    } flight[SIM_QPUS];
    uint64_t vertices;            /* end of the last batch of the tile, or of binning */
    uint64_t tile_open, last_end; /* fragments of the tile may start; end of all so far */
    unsigned column, row;
    uint64_t quad[TILE_QUADS][TILE_QUADS];
    bool in_tile;
};

struct qpusim_timing *qpusim_timing_new(void) {
    struct qpusim_timing *t = calloc(1, sizeof *t);
    for (unsigned i = 0; t && i < SLICES; i++) {
        t->instructions[i].sets = 16;
        t->uniforms[i].sets = 8;
    }
    return t;
}

void qpusim_timing_free(struct qpusim_timing *timing) {
    if (timing)
        free(timing->event);
    free(timing);
}

const struct qpusim_event *qpusim_timing_events(const struct qpusim_timing *timing, size_t *count) {
    *count = timing->count;
    return timing->event;
}

const char *qpusim_wait_name(enum qpusim_wait wait) {
    static const char *const names[] = {"instruction cache", "uniform cache", "TMU", "SFU", "FIFO",
                                        "VPM room",          "scoreboard"};
    return (unsigned)wait < QPUSIM_WAITS ? names[wait] : NULL;
}

struct qpusim_time_report qpusim_timing_report(const struct qpusim_timing *timing) {
    struct qpusim_time_report r = timing->report;
    uint64_t busy = r.busy[0] + r.busy[1] + r.busy[2];
    r.slots = timing->last_end;
    r.idle = r.slots * SIM_QPUS - busy;
    return r;
}

/* --- costs ---------------------------------------------------------------------------------------------- */

void sim_costs_clear(struct sim_costs *costs) {
    costs->count = 0;
    memset(&costs->last, 0, sizeof costs->last);
}

void sim_cost_add(struct sim_costs *costs, const struct sim_thread *t, const struct qpusim_fragments *f,
                  unsigned quads) {
    const struct qpusim_counters *now = t->counters;
    if (!sim_grow(&costs->cost, &costs->capacity, costs->count, sizeof *costs->cost)) {
        costs->no_memory = true;
        return;
    }
    struct sim_cost *c = &costs->cost[costs->count++];
    *c = (struct sim_cost){.stage = (uint8_t)t->program->stage,
                           .quads = (uint8_t)quads,
                           .executed = (uint32_t)t->executed,
                           .stall_tmu = (uint32_t)(now->stall_tmu - costs->last.stall_tmu),
                           .stall_fifo = (uint32_t)(now->stall_fifo - costs->last.stall_fifo),
                           .tmu_requests = (uint32_t)(now->tmu_requests - costs->last.tmu_requests),
                           .sfu = (uint32_t)(now->sfu - costs->last.sfu),
                           .uniforms = (uint32_t)(now->uniforms - costs->last.uniforms),
                           .stream = t->uniforms.address,
                           .program = t->program,
                           .instructions = (uint32_t)t->program->count};
    if (!f)
        c->vpm_rows = t->vpm.rows_in + t->vpm.rows_out;
    for (unsigned q = 0; q < quads; q++) {
        c->x[q] = (int16_t)f->x[4 * q];
        c->y[q] = (int16_t)f->y[4 * q];
    }
    costs->last.stall_tmu = now->stall_tmu;
    costs->last.stall_fifo = now->stall_fifo;
    costs->last.tmu_requests = now->tmu_requests;
    costs->last.sfu = now->sfu;
    costs->last.uniforms = now->uniforms;
}

/* --- the model ------------------------------------------------------------------------------------------ */

/* Looks up `count` lines from number `first` on; returns how many were not there. */
static unsigned look_up(struct cache *c, uint32_t first, unsigned count, uint64_t *hits, uint64_t *misses) {
    unsigned missed = 0;
    for (uint32_t line = first + 1; line < first + 1 + count; line++) {
        uint32_t *way = c->line[line % c->sets];
        unsigned at = 0;
        while (at < WAYS - 1 && way[at] != line)
            at++;
        missed += way[at] != line;
        memmove(way + 1, way, at * sizeof *way);
        way[0] = line;
    }
    *misses += missed;
    *hits += count - missed;
    return missed;
}

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Work on a unit that a slice shares, from `start` on; returns when it is done. */
static uint64_t share(uint64_t *unit, uint64_t start, uint64_t work) {
    *unit = work ? later(*unit, start) + work : *unit;
    return work ? *unit : 0;
}

static unsigned first_free(const struct qpusim_timing *t) {
    unsigned best = 0;
    for (unsigned i = 1; i < SIM_QPUS; i++) { /* slice after slice in turn: QPU 0 of each, then QPU 1 ... */
        unsigned qpu = i % SLICES * (SIM_QPUS / SLICES) + i / SLICES;
        if (t->free[qpu] < t->free[best])
            best = qpu;
    }
    return best;
}

/* When there is room for the batch's rows: batches leave the VPM as they end. */
static uint64_t vpm_room(struct qpusim_timing *t, unsigned qpu, uint64_t start, unsigned rows) {
    for (;;) {
        unsigned used = 0;
        uint64_t first = UINT64_MAX;
        for (unsigned i = 0; i < SIM_QPUS; i++) {
            if (i == qpu || t->flight[i].end <= start)
                continue;
            used += t->flight[i].rows;
            first = t->flight[i].end < first ? t->flight[i].end : first;
        }
        if (used + rows <= VPM_ROWS || first == UINT64_MAX)
            return start;
        start = first;
    }
}

static void change_tile(struct qpusim_timing *t, const struct sim_cost *c) {
    if (t->in_tile && t->column == c->column && t->row == c->row)
        return;
    if (t->in_tile) {
        t->tile_open = t->last_end + STORE;
        t->report.tile_buffer += STORE;
    }
    t->in_tile = true;
    t->column = c->column;
    t->row = c->row;
    t->vertices = 0;
    memset(t->quad, 0, sizeof t->quad);
}

static void run_batch(struct qpusim_timing *t, const struct sim_cost *c) {
    struct qpusim_time_report *r = &t->report;
    unsigned qpu = first_free(t), slice = qpu / (SIM_QPUS / SLICES);
    bool fragment = c->stage == QPUSIM_FRAGMENT;
    struct qpusim_event e = {.stage = (enum qpusim_stage)c->stage,
                             .qpu = qpu,
                             .instructions = c->executed,
                             .column = c->column,
                             .row = c->row,
                             .code = c->code};
    if (c->stage != QPUSIM_COORDINATE)
        change_tile(t, c);
    uint64_t start = t->free[qpu], ready = start;
    if (fragment)
        start = ready = later(start, later(t->vertices, t->tile_open));
    else
        ready = vpm_room(t, qpu, start, c->vpm_rows);
    e.wait[QPUSIM_WAIT_VPM] = (unsigned)(ready - start);
    /* programs of draws have no address; any place of their own will do */
    uint32_t code = c->code ? c->code : (uint32_t)(uintptr_t)c->stage << 24;
    unsigned missed = look_up(&t->instructions[slice], code / 64, (code % 64 + 8 * c->instructions + 63) / 64,
                              &r->instruction_hits, &r->instruction_misses);
    e.wait[QPUSIM_WAIT_INSTRUCTIONS] = missed * MISS;
    uint32_t stream = c->stream ? c->stream : (uint32_t)c->stage << 24;
    missed =
        look_up(&t->uniforms[slice], stream / 64, c->uniforms ? (stream % 64 + 4 * c->uniforms + 63) / 64 : 0,
                &r->uniform_hits, &r->uniform_misses);
    e.wait[QPUSIM_WAIT_UNIFORMS] = missed * MISS;
    e.wait[QPUSIM_WAIT_TMU] = c->stall_tmu;
    e.wait[QPUSIM_WAIT_FIFO] = c->stall_fifo;
    uint64_t end = ready + e.wait[QPUSIM_WAIT_INSTRUCTIONS] + e.wait[QPUSIM_WAIT_UNIFORMS] + c->executed +
                   c->stall_tmu + c->stall_fifo;
    uint64_t tmu = share(&t->tmu[slice], ready, 2ull * c->tmu_requests),
             sfu = share(&t->sfu[slice], ready, c->sfu);
    if (tmu > end) {
        e.wait[QPUSIM_WAIT_TMU] += (unsigned)(tmu - end);
        end = tmu;
    }
    if (sfu > end) {
        e.wait[QPUSIM_WAIT_SFU] = (unsigned)(sfu - end);
        end = sfu;
    }
    uint64_t before = 0;
    for (unsigned q = 0; q < c->quads; q++)
        before = later(before, t->quad[c->y[q] / 2 % TILE_QUADS][c->x[q] / 2 % TILE_QUADS]);
    if (before && before + UNLOCK > end) {
        e.wait[QPUSIM_WAIT_SCOREBOARD] = (unsigned)(before + UNLOCK - end);
        end = before + UNLOCK;
    }
    for (unsigned q = 0; q < c->quads; q++)
        t->quad[c->y[q] / 2 % TILE_QUADS][c->x[q] / 2 % TILE_QUADS] = end;
    if (!fragment) {
        t->vertices = later(t->vertices, end);
        t->flight[qpu].end = end;
        t->flight[qpu].rows = c->vpm_rows;
    }
    e.start = start;
    e.end = t->free[qpu] = end;
    t->last_end = later(t->last_end, end);
    r->busy[c->stage] += end - start;
    r->executed += c->executed;
    for (unsigned i = 0; i < QPUSIM_WAITS; i++)
        r->wait[i] += e.wait[i];
    if (sim_grow(&t->event, &t->capacity, t->count, sizeof *t->event))
        t->event[t->count++] = e;
}

void sim_timing_take(struct qpusim_timing *t, const struct sim_costs *costs) {
    for (size_t i = 0; i < costs->count; i++)
        run_batch(t, &costs->cost[i]);
}

/* Nothing of what comes starts before all that was is done. */
void sim_timing_barrier(struct qpusim_timing *t) {
    for (unsigned i = 0; i < SIM_QPUS; i++)
        t->free[i] = t->last_end;
    t->in_tile = false;
    t->vertices = t->tile_open = t->last_end;
}

void sim_timing_binned(struct qpusim_block *b) {
    for (size_t i = 0; i < b->costs.count; i++)
        b->costs.cost[i].code = sim_code_address(b, b->costs.cost[i].program);
    sim_timing_take(b->options->timing, &b->costs);
    b->costs.count = 0;
    sim_timing_barrier(b->options->timing);
}
