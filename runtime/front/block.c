/* The block: its registers (guide section 10), and runs of its two control threads. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/front/block.h"

bool sim_block_fail(struct qpusim_block *b, enum qpusim_status status, const char *rule, const char *format,
                    ...) {
    struct qpusim_error *e = b->error;
    if (e->status == QPUSIM_OK) {
        e->status = status;
        e->lane = -1;
        e->rule = rule;
        e->record = b->record;
        va_list args;
        va_start(args, format);
        vsnprintf(e->text, sizeof e->text, format, args);
        va_end(args);
    }
    return false;
}

bool sim_block_fail_address(struct qpusim_block *b, const char *what, uint32_t address, size_t size) {
    char where[160];
    sim_memory_explain(b->memory, address, size, where, sizeof where);
    return sim_block_fail(b, QPUSIM_BAD_ADDRESS, "address", "%s at %s", what, where);
}

bool sim_block_no_memory(struct qpusim_block *b) {
    return sim_block_fail(b, QPUSIM_NO_MEMORY, "memory", "out of memory");
}

bool sim_grow(void *array, size_t *capacity, size_t count, size_t size) {
    void **at = array;
    if (count < *capacity)
        return true;
    size_t n = *capacity ? 2 * *capacity : 64;
    void *grown = n <= UINT32_MAX / 2 ? realloc(*at, n * size) : NULL;
    if (!grown)
        return false;
    *at = grown;
    *capacity = n;
    return true;
}

struct qpusim_block *qpusim_block_new(struct qpusim_memory *memory) {
    struct qpusim_block *b = calloc(1, sizeof *b);
    if (!b || !memory) {
        free(b);
        return NULL;
    }
    b->memory = b->shader_memory = memory;
    b->thread = aligned_alloc(_Alignof(struct sim_thread), sizeof *b->thread);
    b->in = calloc(1, sizeof *b->in);
    b->tile = calloc(1, sizeof *b->tile);
    b->render.state_changed = true;
    if (!b->thread || !b->in || !b->tile) {
        qpusim_block_free(b);
        return NULL;
    }
    return b;
}

void qpusim_block_free(struct qpusim_block *block) {
    if (!block)
        return;
    sim_shaders_forget(block);
    sim_codes_free(block);
    sim_bin_free(block);
    sim_render_free(block);
    sim_user_free(block);
    sim_costs_free(&block->costs);
    qpusim_timing_free(block->own_timing);
    free(block->thread);
    free(block->in);
    free(block->tile);
    free(block);
}

void qpusim_block_on_overflow(struct qpusim_block *block, qpusim_overflow_fn *overflow, void *user) {
    block->overflow = overflow;
    block->overflow_user = user;
}

/* --- runs ----------------------------------------------------------------------------------------------- */

/* Both threads in turn, until each has stopped or waits. Software that waits for both (`wait`) must not find
 * one that waits for ever. */
static bool run(struct qpusim_block *b, bool wait) {
    struct sim_control *c = b->control;
    bool moved;
    do {
        moved = false;
        for (unsigned thread = 0; thread < 2; thread++)
            if (c[thread].running && !sim_control_run(b, thread, &moved))
                return false;
    } while (moved && (c[0].running || c[1].running));
    if (!wait || (!c[0].running && !c[1].running))
        return true;
    b->record = c[c[0].running ? 0 : 1].current;
    return sim_block_fail(b, QPUSIM_BAD_LIST, "semaphore", "%s for a semaphore that nobody increments",
                          c[0].running && c[1].running ? "both lists wait"
                          : c[0].running               ? "the binning list waits"
                                                       : "the rendering list waits");
}

static void reset(struct qpusim_block *b) {
    memset(b->control, 0, sizeof b->control);
    b->bin.configured = b->bin.started = false;
    b->user.busy = b->user.queued = 0;
    memset(&b->user.shared, 0, sizeof b->user.shared);
    struct sim_render *r = &b->render;
    r->configured = r->in_frame = r->tile_set = r->carried = false;
    r->ops = r->jobs = r->primitives = r->states = 0;
    r->loads = 0;
    r->state_changed = true;
    memset(b->tile, 0, sizeof *b->tile);
}

/* Sources of the performance counters that follow from what the run added to the machine's own counters;
 * those of time are in clocks, four a slot. */
static void count_run(struct qpusim_block *b, const struct qpusim_counters *before) {
    const struct qpusim_counters *now = b->counters;
    const uint64_t *was = before->stage_cycles, *is = now->stage_cycles;
    b->count[QPUSIM_COUNT_VERTEX_CYCLES] +=
        4 * (is[QPUSIM_VERTEX] - was[QPUSIM_VERTEX] + is[QPUSIM_COORDINATE] - was[QPUSIM_COORDINATE]);
    b->count[QPUSIM_COUNT_FRAGMENT_CYCLES] += 4 * (is[QPUSIM_FRAGMENT] - was[QPUSIM_FRAGMENT]);
    b->count[QPUSIM_COUNT_INSTRUCTION_CYCLES] += 4 * (now->instructions - before->instructions);
    b->count[QPUSIM_COUNT_TMU_STALLS] += 4 * (now->stall_tmu - before->stall_tmu);
    b->count[QPUSIM_COUNT_TEXTURE_QUADS] += 4 * (now->tmu_requests - before->tmu_requests);
}

/* Those that the model of twelve QPUs knows. */
static const uint32_t time_counters =
    1u << QPUSIM_COUNT_IDLE | 1u << QPUSIM_COUNT_SCOREBOARD_STALLS | 1u << QPUSIM_COUNT_VARYING_STALLS |
    1u << QPUSIM_COUNT_VCD_STALLS | 1u << QPUSIM_COUNT_INSTRUCTION_HITS |
    1u << QPUSIM_COUNT_INSTRUCTION_MISSES | 1u << QPUSIM_COUNT_UNIFORM_HITS |
    1u << QPUSIM_COUNT_UNIFORM_MISSES | 1u << QPUSIM_COUNT_TEXTURE_MISSES | 1u << QPUSIM_COUNT_L2_HITS |
    1u << QPUSIM_COUNT_L2_MISSES;

/* A model for the counters that are on and need one. */
static struct qpusim_timing *model_of_counters(struct qpusim_block *b) {
    bool needed = false;
    for (unsigned n = 0; n < 16; n++)
        needed |= b->counter_enable >> n & 1 && time_counters >> (b->counter_source[n] & 31) & 1;
    if (needed && !b->own_timing)
        b->own_timing = sim_timing_quiet();
    return needed ? b->own_timing : NULL;
}

static void count_time(struct qpusim_block *b, const struct qpusim_time_report *was) {
    const struct qpusim_time_report is = qpusim_timing_report(b->timing);
    b->count[QPUSIM_COUNT_IDLE] += 4 * (is.idle - was->idle);
    b->count[QPUSIM_COUNT_SCOREBOARD_STALLS] +=
        4 * (is.wait[QPUSIM_WAIT_SCOREBOARD] - was->wait[QPUSIM_WAIT_SCOREBOARD]);
    b->count[QPUSIM_COUNT_VARYING_STALLS] +=
        4 * (is.wait[QPUSIM_WAIT_VARYINGS] - was->wait[QPUSIM_WAIT_VARYINGS]);
    /* All that the fetch of attributes waits for is room. */
    b->count[QPUSIM_COUNT_VCD_STALLS] += 4 * (is.wait[QPUSIM_WAIT_VPM] - was->wait[QPUSIM_WAIT_VPM]);
    b->count[QPUSIM_COUNT_INSTRUCTION_HITS] += is.instruction_hits - was->instruction_hits;
    b->count[QPUSIM_COUNT_INSTRUCTION_MISSES] += is.instruction_misses - was->instruction_misses;
    b->count[QPUSIM_COUNT_UNIFORM_HITS] += is.uniform_hits - was->uniform_hits;
    b->count[QPUSIM_COUNT_UNIFORM_MISSES] += is.uniform_misses - was->uniform_misses;
    b->count[QPUSIM_COUNT_TEXTURE_MISSES] += is.texel_misses - was->texel_misses;
    b->count[QPUSIM_COUNT_L2_HITS] += is.level2_hits - was->level2_hits;
    b->count[QPUSIM_COUNT_L2_MISSES] += is.level2_misses - was->level2_misses;
}

static enum qpusim_status begin(struct qpusim_block *b, const struct qpusim_options *options,
                                struct qpusim_error *error, bool (*work)(struct qpusim_block *, bool),
                                bool wait) {
    static const struct qpusim_options defaults;
    struct qpusim_error local;
    b->options = options ? options : &defaults;
    b->error = error ? error : &local;
    memset(b->error, 0, sizeof *b->error);
    b->error->lane = -1;
    b->counters = b->options->counters ? b->options->counters : &b->own_counters;
    const struct qpusim_counters before = *b->counters;
    b->run++;
    memset(&b->shared, 0, sizeof b->shared);
    memset(&b->user.shared.samplers, 0, sizeof b->user.shared.samplers);
    b->items = 0;
    b->record = 0;
    sim_shaders_forget(b);
    sim_costs_clear(&b->costs);
    b->timing = b->options->timing ? b->options->timing : model_of_counters(b);
    struct qpusim_time_report was = {0};
    if (b->timing) {
        was = qpusim_timing_report(b->timing);
        b->shared.samplers.lines = &b->costs.lines;
        sim_timing_barrier(b->timing);
    }
    b->costs.last.stall_tmu = b->counters->stall_tmu;
    b->costs.last.stall_fifo = b->counters->stall_fifo;
    b->costs.last.tmu_requests = b->counters->tmu_requests;
    b->costs.last.varyings = b->counters->varyings;
    b->costs.last.sfu = b->counters->sfu;
    b->costs.last.uniforms = b->counters->uniforms;
    if (!work(b, wait)) {
        if (!b->error->record)
            b->error->record = b->record;
        reset(b);
    }
    count_run(b, &before);
    if (b->timing)
        count_time(b, &was);
    b->timing = NULL;
    enum qpusim_status status = b->error->status;
    b->error = NULL;
    b->options = NULL;
    return status;
}

static void start(struct sim_control *c, uint32_t from, uint32_t to) {
    c->current = from;
    c->end = to;
    c->depth = 0;
    c->running = from != to;
    c->halted = c->failed = c->stalled = false;
}

enum qpusim_status qpusim_run_lists(struct qpusim_block *block, uint32_t bin_start, uint32_t bin_end,
                                    uint32_t render_start, uint32_t render_end,
                                    const struct qpusim_options *options, struct qpusim_error *error) {
    start(&block->control[SIM_BIN], bin_start, bin_end);
    start(&block->control[SIM_RENDER], render_start, render_end);
    return begin(block, options, error, run, true);
}

/* --- registers ------------------------------------------------------------------------------------------ */

static uint32_t read_control(const struct qpusim_block *b, unsigned offset) {
    const struct sim_control *c = &b->control[offset >> 2 & 1];
    bool binning = !(offset >> 2 & 1);
    switch (offset & ~4u) {
    case QPUSIM_CT0CS:
        return c->semaphore << 12 | c->depth << 8 | (uint32_t)c->running << 5 |
               (uint32_t)(c->running ? c->stalled : c->halted) << 4 | (uint32_t)c->failed << 3 |
               (uint32_t)(binning && !b->bin.started);
    case QPUSIM_CT0EA: return c->end;
    case QPUSIM_CT0CA: return c->current;
    case QPUSIM_CT0RA0: return c->depth ? c->back[c->depth - 1] : 0;
    case QPUSIM_CT0LC: return c->flushes << 16 | (c->returns & 0xffff);
    default: return 0; /* PC: no list is ever half done when software looks */
    }
}

static uint64_t counter(const struct qpusim_block *b, unsigned n) {
    uint32_t source = b->counter_source[n] & 31;
    return source < QPUSIM_COUNTS && b->counter_enable >> n & 1 ? b->count[source] : 0;
}

uint64_t qpusim_block_count(const struct qpusim_block *block, enum qpusim_count source) {
    return (unsigned)source < QPUSIM_COUNTS ? block->count[source] : 0;
}

uint32_t qpusim_block_read(const struct qpusim_block *b, unsigned offset) {
    if (offset >= QPUSIM_CT0CS && offset <= QPUSIM_CT1PC)
        return read_control(b, offset);
    if (offset >= QPUSIM_PCTR0 && offset < QPUSIM_PCTR0 + 128) {
        unsigned n = (offset - QPUSIM_PCTR0) / 8;
        return offset & 4 ? b->counter_source[n] : (uint32_t)(b->counter_base[n] + counter(b, n));
    }
    switch (offset) {
    case QPUSIM_IDENT0: return 2u << 24 | 'D' << 16 | '3' << 8 | 'V';
    case QPUSIM_IDENT1: return 12u << 28 | 1u << 24 | 16u << 16 | 2u << 12 | 4u << 8 | 3u << 4 | 1;
    case QPUSIM_IDENT2: return 1u << 8 | 2u << 4 | 1;
    case QPUSIM_SCRATCH: return b->scratch;
    case QPUSIM_L2CACTL: return b->l2;
    case QPUSIM_INTCTL: return b->interrupts;
    case QPUSIM_INTENA: return b->interrupt_mask;
    case QPUSIM_INTDIS: return ~b->interrupt_mask & 15;
    case QPUSIM_PCS:
        return (uint32_t)b->out_of_memory << 8 | (b->render.in_frame ? 4u : 0) | (b->bin.started ? 1u : 0);
    case QPUSIM_BFC: return b->frames_binned;
    case QPUSIM_RFC: return b->frames_rendered;
    case QPUSIM_BPCA: return b->bin.pool_address;
    case QPUSIM_BPCS: return b->bin.pool_left;
    case QPUSIM_BPOA: return b->overflow_address;
    case QPUSIM_BPOS: return b->overflow_size;
    case QPUSIM_BXCF: return b->bxcf;
    case QPUSIM_SQRSV0: return b->reserve[0];
    case QPUSIM_SQRSV1: return b->reserve[1];
    case QPUSIM_SQCNTL: return b->sqcntl;
    case QPUSIM_SRQUA: return b->user.uniforms;
    case QPUSIM_SRQUL: return b->user.length;
    case QPUSIM_SRQCS:
        return (b->user.done & 255) << 16 | (b->user.made & 255) << 8 | (uint32_t)b->user.full << 7 |
               b->user.queued;
    case QPUSIM_VPACNTL: return b->vpacntl;
    case QPUSIM_VPMBASE: return b->vpmbase;
    case QPUSIM_DBQITE: return b->qpu_interrupt_mask;
    case QPUSIM_DBQITC: return b->qpu_interrupts;
    case QPUSIM_PCTRE: return b->counter_enable;
    case QPUSIM_ERRSTAT: return b->errstat;
    default: return 0;
    }
}

/* True when the write starts the thread. */
static bool write_control(struct qpusim_block *b, unsigned offset, uint32_t value) {
    struct sim_control *c = &b->control[offset >> 2 & 1];
    switch (offset & ~4u) {
    case QPUSIM_CT0CS:
        if (value >> 15 & 1) {
            *c = (struct sim_control){.current = c->current, .end = c->end, .state = c->state};
            return false;
        }
        if (value >> 5 & 1) {
            c->halted = true;
            c->running = false;
        }
        if (value >> 4 & 1) {
            c->halted = false;
            c->running = c->depth || c->current != c->end;
        }
        return c->running;
    case QPUSIM_CT0EA:
        c->end = value;
        c->running |= !c->halted && (c->depth || c->current != c->end);
        c->failed &= !c->running;
        return c->running;
    case QPUSIM_CT0CA:
        if (!c->running) {
            c->current = value;
            c->depth = 0;
            c->halted = false;
        }
        return false;
    case QPUSIM_CT0LC:
        c->flushes = value >> 16 & 1 ? 0 : c->flushes;
        c->returns = value & 1 ? 0 : c->returns;
        return false;
    default: return false;
    }
}

/* A counter that is switched off, given another source or cleared keeps or loses what it has so far. */
static void write_counters(struct qpusim_block *b, unsigned offset, uint32_t value) {
    for (unsigned n = 0; n < 16; n++)
        b->counter_base[n] += counter(b, n);
    if (offset == QPUSIM_PCTRE)
        b->counter_enable = value & 0xffff;
    else if (offset >= QPUSIM_PCTR0 && offset & 4)
        b->counter_source[(offset - QPUSIM_PCTR0) / 8] = value & 31;
    else if (offset >= QPUSIM_PCTR0)
        b->counter_base[(offset - QPUSIM_PCTR0) / 8] = value;
    for (unsigned n = 0; n < 16; n++) {
        if (offset == QPUSIM_PCTRC && value >> n & 1)
            b->counter_base[n] = 0;
        b->counter_base[n] -= counter(b, n);
    }
}

enum qpusim_status qpusim_block_write(struct qpusim_block *b, unsigned offset, uint32_t value,
                                      const struct qpusim_options *options, struct qpusim_error *error) {
    if (offset >= QPUSIM_CT0CS && offset <= QPUSIM_CT1PC)
        return write_control(b, offset, value) && !b->error ? begin(b, options, error, run, false)
                                                            : QPUSIM_OK;
    if ((offset >= QPUSIM_PCTR0 && offset < QPUSIM_PCTR0 + 128) || offset == QPUSIM_PCTRC ||
        offset == QPUSIM_PCTRE) {
        write_counters(b, offset, value);
        return QPUSIM_OK;
    }
    switch (offset) {
    case QPUSIM_SRQPC:
        return sim_user_request(b, value) && !b->error ? begin(b, options, error, sim_user_run, false)
                                                       : QPUSIM_OK;
    case QPUSIM_SRQCS:
        b->user.done = value >> 16 & 1 ? 0 : b->user.done;
        b->user.made = value >> 8 & 1 ? 0 : b->user.made;
        b->user.full &= !(value >> 7 & 1);
        b->user.queued = value & 1 ? 0 : b->user.queued;
        break;
    case QPUSIM_SCRATCH: b->scratch = value; break;
    case QPUSIM_L2CACTL: b->l2 = value & 2 ? 0 : value & 1 ? 1 : b->l2; break;
    case QPUSIM_INTCTL:
        b->interrupts &= ~(value & 15);
        b->interrupts |= b->out_of_memory ? SIM_INT_OUT_OF_MEMORY : 0;
        break;
    case QPUSIM_INTENA: b->interrupt_mask |= value & 15; break;
    case QPUSIM_INTDIS: b->interrupt_mask &= ~value; break;
    case QPUSIM_BFC: b->frames_binned = value & 1 ? 0 : b->frames_binned; break;
    case QPUSIM_RFC: b->frames_rendered = value & 1 ? 0 : b->frames_rendered; break;
    case QPUSIM_BPOA: b->overflow_address = value; break;
    case QPUSIM_BPOS:
        b->overflow_size = value;
        b->out_of_memory = false;
        break;
    case QPUSIM_BXCF: b->bxcf = value & 3; break;
    case QPUSIM_SQRSV0: b->reserve[0] = value; break;
    case QPUSIM_SQRSV1: b->reserve[1] = value; break;
    case QPUSIM_SQCNTL: b->sqcntl = value & 15; break;
    case QPUSIM_SRQUA: b->user.uniforms = value; break;
    case QPUSIM_SRQUL: b->user.length = value & 0xfff; break;
    case QPUSIM_VPACNTL: b->vpacntl = value & 0x3fff; break;
    case QPUSIM_VPMBASE: b->vpmbase = value & 31; break;
    case QPUSIM_DBQITE: b->qpu_interrupt_mask = value & 0xffff; break;
    case QPUSIM_DBQITC: b->qpu_interrupts &= ~value; break;
    default: break;
    }
    return QPUSIM_OK;
}
