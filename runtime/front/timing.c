/* Time: when batches would run on the chip, from what each cost on its own.
 *
 * A batch costs the slots of its instructions and those in which it waited while it ran alone (cycles.c).
 * Batches start in the order in which the machine made them, each on the QPU that is free first. Shared by
 * the QPUs:
 * - a slice's instruction cache, 4 KiB of 64-byte lines in four ways (facts section 14). A batch looks up the
 *   lines of its program once, in order.
 * - a slice's uniform cache, taken to be 2 KiB of the same shape; lines of the words that the batch read.
 * - a slice's two TMUs: four slots a request, spread evenly. What goes beyond the batch's own waiting is
 *   lost. Each has a cache of 4 KiB with 64-byte lines (facts section 10).
 * - the level 2 cache behind all of these: 32 KiB, four ways, 64-byte lines. A line that it has costs MISS
 *   slots, another one FETCH more. Of requests four are under way at a time, so a batch's lookups wait once
 *   for each four requests, as long as lines are missing.
 * - memory: a line is LINE slots of its time, shared by all. Tiles that are stored go through it, too.
 * - a slice's special function unit: one vector a slot.
 * - a slice's interpolation unit: two vectors of a varying a slot, enough for two QPUs that read one in each
 *   instruction (guide section 6).
 * - the VPM: 192 rows of 16 words (IDENT1) for vertices on their way.
 * - the rasteriser: a quad a clock (guide section 2), so four of them a slot, after its set-up: 25 million
 *   triangles a second at 250 MHz (guide section 1) are ten clocks each. The binner is taken to be as fast.
 * - the scoreboard: a batch ends no earlier than UNLOCK slots after the batch before it on one of its quads.
 * - the tile buffer: one; fragments of a tile start when the tile before is stored, STORE slots after its
 *   last.
 * - user programs stay on the QPU that they ran on, one after another.
 * Fragments wait for the vertices of their tile, rendering for all of binning. Assumed without a source:
 * MISS, FETCH, LINE, STORE, UNLOCK, the uniform cache's size, the ways of the TMUs' caches. */
#include <stdlib.h>

#include <qpucc/lists.h>

#include "runtime/front/block.h"

#define MISS 10
#define FETCH 20
#define LINE 2
#define STORE 256
#define UNLOCK 2
#define SLICES 3
#define WAYS 4
#define VPM_ROWS 192
#define TILE_BYTES 16384
#define TILE_QUADS 32   /* along an edge */
#define SETUP_CLOCKS 10 /* of a primitive */
#define UNDER_WAY 4     /* requests */

struct cache {
    unsigned sets;
    uint32_t line[128][WAYS]; /* numbers plus one, most recent first */
};

struct qpusim_timing {
    struct qpusim_event *event;
    size_t count, capacity;
    struct qpusim_time_report report;
    bool quiet; /* no events */
    uint64_t free[SIM_QPUS], tmu[SLICES], sfu[SLICES], memory, raster, binner;
    uint64_t varyings[SLICES]; /* in halves of a slot */
    struct cache instructions[SLICES], uniforms[SLICES], texels[SLICES][2], level2;
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
        t->texels[i][0].sets = t->texels[i][1].sets = 16;
    }
    if (t)
        t->level2.sets = 128;
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
    static const char *const names[] = {"instruction cache", "uniform cache", "TMU",      "SFU",
                                        "varyings",          "FIFO",          "VPM room", "scoreboard"};
    return (unsigned)wait < QPUSIM_WAITS ? names[wait] : NULL;
}

struct qpusim_time_report qpusim_timing_report(const struct qpusim_timing *timing) {
    struct qpusim_time_report r = timing->report;
    uint64_t busy = r.busy[0] + r.busy[1] + r.busy[2] + r.user;
    r.slots = timing->last_end;
    r.idle = r.slots * SIM_QPUS - busy;
    return r;
}

/* --- costs ---------------------------------------------------------------------------------------------- */

void sim_costs_clear(struct sim_costs *costs) {
    costs->count = costs->lines.count = 0;
    costs->primitives = 0;
    memset(&costs->last, 0, sizeof costs->last);
}

void sim_costs_free(struct sim_costs *costs) {
    free(costs->cost);
    free(costs->lines.line);
    memset(costs, 0, sizeof *costs);
}

void sim_lines_add(struct sim_lines *l, const uint32_t address[SIM_SAMPLE_LANES], unsigned lanes) {
    for (; lanes; lanes &= lanes - 1) {
        uint32_t line = address[__builtin_ctz(lanes)] / 64 | (l->unit ? SIM_LINE_UNIT : 0);
        if ((l->count && l->line[l->count - 1] == line) ||
            !sim_grow(&l->line, &l->capacity, l->count, sizeof *l->line))
            continue;
        l->line[l->count++] = line;
    }
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
                           .varyings = (uint32_t)(now->varyings - costs->last.varyings),
                           .uniforms = (uint32_t)(now->uniforms - costs->last.uniforms),
                           .stream = t->uniforms.address,
                           .program = t->program,
                           .instructions = (uint32_t)t->program->count,
                           .primitives = costs->primitives};
    c->first_line = costs->count > 1 ? c[-1].first_line + c[-1].lines : 0;
    c->lines = costs->lines.count - c->first_line;
    costs->primitives = 0;
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
    costs->last.varyings = now->varyings;
    costs->last.uniforms = now->uniforms;
}

/* --- the model ------------------------------------------------------------------------------------------ */

/* Is the line there? It is the most recent one of its set afterwards. */
static bool look_up(struct cache *c, uint32_t number) {
    uint32_t line = number + 1, *way = c->line[line % c->sets];
    unsigned at = 0;
    while (at < WAYS - 1 && way[at] != line)
        at++;
    bool hit = way[at] == line;
    memmove(way + 1, way, at * sizeof *way);
    way[0] = line;
    return hit;
}

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Work on a unit that a slice shares, from `start` on; returns when it is done. */
static uint64_t share(uint64_t *unit, uint64_t start, uint64_t work) {
    *unit = work ? later(*unit, start) + work : *unit;
    return work ? *unit : 0;
}

/* A line that a cache lacks, from the level 2 cache or from memory; returns the slots until it is there. */
static unsigned fetch(struct qpusim_timing *t, uint32_t line, uint64_t now) {
    if (look_up(&t->level2, line)) {
        t->report.level2_hits++;
        return MISS;
    }
    t->report.level2_misses++;
    t->report.memory_bytes += 64;
    uint64_t done = share(&t->memory, now, LINE);
    return MISS + FETCH + (unsigned)(done - now - LINE);
}

/* Looks up `count` lines from number `first` on; returns the slots that those cost which are not there. */
static unsigned look_up_all(struct qpusim_timing *t, struct cache *c, uint32_t first, unsigned count,
                            uint64_t now, uint64_t *hits, uint64_t *misses) {
    unsigned slots = 0;
    for (uint32_t line = first; line < first + count; line++) {
        if (look_up(c, line)) {
            ++*hits;
            continue;
        }
        ++*misses;
        slots += fetch(t, line, now + slots);
    }
    return slots;
}

/* What the batch's lookups wait for lines that their TMU lacks. */
static unsigned look_up_texels(struct qpusim_timing *t, const struct sim_cost *c, const uint32_t *line,
                               unsigned slice, uint64_t now) {
    unsigned groups = (c->tmu_requests + UNDER_WAY - 1) / UNDER_WAY, missed = 0, longest = 0;
    for (size_t i = 0; i < c->lines; i++) {
        uint32_t number = line[c->first_line + i] & ~SIM_LINE_UNIT;
        if (look_up(&t->texels[slice][line[c->first_line + i] / SIM_LINE_UNIT], number)) {
            t->report.texel_hits++;
            continue;
        }
        t->report.texel_misses++;
        missed++;
        unsigned slots = fetch(t, number, now);
        longest = slots > longest ? slots : longest;
    }
    return longest + (missed < groups ? missed : groups) * MISS;
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
        t->report.memory_bytes += TILE_BYTES;
    }
    t->in_tile = true;
    t->column = c->column;
    t->row = c->row;
    t->vertices = 0;
    memset(t->quad, 0, sizeof t->quad);
}

static void add_event(struct qpusim_timing *t, const struct qpusim_event *e) {
    if (!t->quiet && sim_grow(&t->event, &t->capacity, t->count, sizeof *t->event))
        t->event[t->count++] = *e;
}

/* When the rasteriser has the batch's quads. */
static uint64_t rasterise(struct qpusim_timing *t, const struct sim_cost *c) {
    uint64_t clocks = SETUP_CLOCKS * (uint64_t)c->primitives + c->quads;
    return share(&t->raster, later(t->vertices, t->tile_open), (clocks + 3) / 4);
}

static void run_batch(struct qpusim_timing *t, const struct sim_cost *c, const uint32_t *lines) {
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
        start = ready = later(start, later(later(t->vertices, t->tile_open), rasterise(t, c)));
    else
        ready = vpm_room(t, qpu, start, c->vpm_rows);
    e.wait[QPUSIM_WAIT_VPM] = (unsigned)(ready - start);
    /* programs of draws have no address; any place of their own will do */
    uint32_t code = c->code ? c->code : (uint32_t)(uintptr_t)c->stage << 24;
    e.wait[QPUSIM_WAIT_INSTRUCTIONS] =
        look_up_all(t, &t->instructions[slice], code / 64, (code % 64 + 8 * c->instructions + 63) / 64, ready,
                    &r->instruction_hits, &r->instruction_misses);
    uint32_t stream = c->stream ? c->stream : (uint32_t)c->stage << 24;
    e.wait[QPUSIM_WAIT_UNIFORMS] = look_up_all(t, &t->uniforms[slice], stream / 64,
                                               c->uniforms ? (stream % 64 + 4 * c->uniforms + 63) / 64 : 0,
                                               ready, &r->uniform_hits, &r->uniform_misses);
    e.wait[QPUSIM_WAIT_TMU] = c->stall_tmu + look_up_texels(t, c, lines, slice, ready);
    e.wait[QPUSIM_WAIT_FIFO] = c->stall_fifo;
    uint64_t end = ready + e.wait[QPUSIM_WAIT_INSTRUCTIONS] + e.wait[QPUSIM_WAIT_UNIFORMS] + c->executed +
                   e.wait[QPUSIM_WAIT_TMU] + c->stall_fifo;
    uint64_t tmu = share(&t->tmu[slice], ready, 2ull * c->tmu_requests),
             sfu = share(&t->sfu[slice], ready, c->sfu),
             varyings = (share(&t->varyings[slice], 2 * ready, c->varyings) + 1) / 2;
    if (tmu > end) {
        e.wait[QPUSIM_WAIT_TMU] += (unsigned)(tmu - end);
        end = tmu;
    }
    if (sfu > end) {
        e.wait[QPUSIM_WAIT_SFU] = (unsigned)(sfu - end);
        end = sfu;
    }
    if (varyings > end) {
        e.wait[QPUSIM_WAIT_VARYINGS] = (unsigned)(varyings - end);
        end = varyings;
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
    if (c->stage == QPUSIM_COORDINATE)
        share(&t->binner, end, (SETUP_CLOCKS * (uint64_t)c->primitives + 3) / 4);
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
    add_event(t, &e);
}

void sim_timing_take(struct qpusim_timing *t, const struct sim_costs *costs) {
    for (size_t i = 0; i < costs->count; i++)
        run_batch(t, &costs->cost[i], costs->lines.line);
}

/* Nothing of what comes starts before all that was is done. */
void sim_timing_barrier(struct qpusim_timing *t) {
    for (unsigned i = 0; i < SIM_QPUS; i++)
        t->free[i] = t->last_end;
    t->in_tile = false;
    t->vertices = t->tile_open = t->last_end;
}

void sim_timing_user(struct qpusim_timing *t, unsigned qpu, uint64_t executed, uint32_t code) {
    uint64_t end = t->free[qpu] + executed;
    add_event(t, &(struct qpusim_event){.stage = QPUSIM_VERTEX,
                                        .user = true,
                                        .qpu = qpu,
                                        .start = t->free[qpu],
                                        .end = end,
                                        .instructions = (unsigned)executed,
                                        .code = code});
    t->free[qpu] = end;
    t->last_end = later(t->last_end, end);
    t->report.user += executed;
    t->report.executed += executed;
}

struct qpusim_timing *sim_timing_quiet(void) {
    struct qpusim_timing *t = qpusim_timing_new();
    if (t)
        t->quiet = true;
    return t;
}

void sim_timing_binned(struct qpusim_block *b) {
    for (size_t i = 0; i < b->costs.count; i++)
        b->costs.cost[i].code = sim_code_address(b, b->costs.cost[i].program);
    struct qpusim_timing *t = b->timing;
    sim_timing_take(t, &b->costs);
    share(&t->binner, t->last_end, (SETUP_CLOCKS * (uint64_t)b->costs.primitives + 3) / 4);
    t->last_end = later(t->last_end, t->binner);
    b->costs.count = b->costs.lines.count = 0;
    b->costs.primitives = 0;
    sim_timing_barrier(t);
}
