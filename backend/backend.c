/* The back end's driver: its one function, in the order of the work.
 *
 * Requires: lowered IR. Keeps: nothing of it but the slot table, to which constants are added. Every piece of
 * code that leaves has passed the rule checker, which shares nothing with what made it. */
#include "backend/backend.h"
#include "backend/isa/chip.h"
#include "ir/heap.h"
#include "mir/objective.h"
#include "backend/parts.h"
#include "regalloc/regalloc.h"
#include "sched/sched.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct driver {
    struct ir_shader *shader;
    const struct be_options *options;
    struct be_result *result;
    struct ir_arena *arena;
    struct flow flow;
    const struct sel_tables *tables;
    struct m_code code;
    uint32_t *start;   /* first instruction of each block */
    bool stream_known; /* where the stream stands when the block begins */
};

__attribute__((format(printf, 4, 5))) static bool fail(struct driver *d, enum be_status status,
                                                       struct ir_loc where, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(d->result->message, sizeof d->result->message, format, args);
    va_end(args);
    d->result->status = status;
    d->result->where = where;
    return false;
}

/* The arena knows, too, or another attempt would win. */
static bool out_of_memory(struct driver *d) {
    if (d->arena)
        ir_arena_fail(d->arena);
    return fail(d, BE_INTERNAL, (struct ir_loc){0}, "out of memory");
}

/* What crosses blocks where most does. */
struct crossing {
    struct flow_peak peak;
    struct ir_loc where;
    unsigned least; /* of the shader as it comes, at `where`: what is rematerialised needs no less */
    unsigned rounds;
};

/* Registers, `regs` of each file. */
static bool assign(struct driver *d, struct crossing *c, unsigned regs) {
    if (cross_block_assign(&d->flow, regs, &c->peak))
        return true;
    if (c->least == UINT_MAX && !ir_arena_oom(d->arena))
        c->least = remat_least(&d->flow, &c->peak, &c->where);
    return false;
}

/* Less crosses; each round takes the block where most does. False: it can't be less. */
static bool rematerialise(struct driver *d, struct crossing *c) {
    if (!d->options->registers || !c->rounds || ir_arena_oom(d->arena))
        return false;
    c->rounds--;
    if (!remat_cross_blocks(&d->flow, &c->peak.active))
        return false;
    struct flow_lanes all_lanes = d->flow.all_lanes;
    flow_analyse(&d->flow, d->shader, d->arena, d->options->tight);
    d->flow.all_lanes = all_lanes;
    return !ir_arena_oom(d->arena);
}

/* The registers that were asked for, or as few more as it takes. */
static bool assign_fewest(struct driver *d, struct crossing *c, unsigned files) {
    unsigned regs = d->options->registers ? d->options->registers : files;
    do
        if (assign(d, c, regs))
            return true;
    while (rematerialise(d, c));
    unsigned half = (c->peak.values + 1) / 2; /* in fewer they don't fit */
    for (regs = half > regs ? half : regs + 1; regs <= files && !ir_arena_oom(d->arena); regs++)
        if (assign(d, c, regs))
            return true;
    return false;
}

/* Where the program counter goes, and registers for what lives that long. */
static bool assign_cross_block(struct driver *d) {
    const struct be_options *options = d->options;
    struct crossing c = {.least = UINT_MAX, .rounds = 64};
    unsigned files = options->threads == 2 ? 16 : 32;
    if (options->registers)
        early_z(d->shader);
    flow_analyse(&d->flow, d->shader, d->arena, options->tight);
    if (ir_arena_oom(d->arena))
        return out_of_memory(d);
    if (!assign_fewest(d, &c, files) && !ir_arena_oom(d->arena)) {
        d->result->crossing = true;
        d->result->needed = c.peak.values;
        if (c.least > 2 * files)
            return fail(d, BE_DOES_NOT_FIT, c.where,
                        "this loop has to keep %u values in registers in any order; there are %u", c.least,
                        2 * files);
        return fail(d, BE_DOES_NOT_FIT, c.peak.loc,
                    "no way was found to keep what is needed over this branch in registers");
    }
    if (ir_arena_oom(d->arena))
        return out_of_memory(d);
    flow_define(&d->flow);
    const struct ir_inst *last = d->shader->blocks[d->shader->nblocks - 1]->last;
    if (last->op != IR_END) /* the jump back has the loop's place */
        return fail(d, BE_UNSUPPORTED, last->loc, "a loop that never ends");
    return true;
}

static bool refuse(struct driver *d, const struct mir *m, const struct sched_result *block) {
    struct ir_loc where = block->where.line ? block->where : m->block->last->loc;
    d->result->needed = block->peak;
    switch (block->status) {
    case SCHED_CYCLE: return fail(d, BE_INTERNAL, where, "the dependence graph has a cycle");
    case SCHED_NO_PLACE:
        return fail(d, BE_INTERNAL, where,
                    "no register suits both the operation that makes a value and all that read it");
    case SCHED_DOES_NOT_FIT:
        return fail(d, BE_DOES_NOT_FIT, where,
                    "no order was found in which what is needed at once here fits into the registers");
    default: return out_of_memory(d);
    }
}

static unsigned most(unsigned a, int b) {
    return a > (unsigned)b ? a : (unsigned)b;
}

static void count_block(struct driver *d, const struct mir *m, const struct sched_result *block, uint32_t n) {
    struct be_result *result = d->result;
    result->regs_a = most(result->regs_a, __builtin_popcountll(block->used[0]));
    result->regs_b = most(result->regs_b, __builtin_popcountll(block->used[1]));
    result->accumulators = most(result->accumulators, __builtin_popcount(block->used_acc));
    result->cycles += block->cycles;
    result->weight +=
        objective_of_block(block->cycles, m->block->loop_depth, d->flow.block[m->block->id].share);
    result->lower_bound += block->lower_bound;
    result->blocks++;
    result->blocks_optimal += n == block->lower_bound;
    result->tmu += m->ntmu;
    result->sfu += m->nsfu;
}

/* False: result holds why. */
static bool select_form(struct driver *d, uint32_t b, uint32_t hold, struct mir *m) {
    const struct be_options *asked = d->options;
    const struct mir_options options = {
        .threads = asked->threads,
        .opt_level = asked->opt_level,
        .search = asked->search,
        .remat = asked->registers > 0,
        .rows_fall = chip_relies_on(asked->chip, QPUCC_ASSUME_vpm_rows_fall),
        .end_receives = chip_relies_on(asked->chip, QPUCC_ASSUME_end_receives_load),
        .hold = hold,
    };
    *m = (struct mir){.shader = d->shader,
                      .arena = d->arena,
                      .options = options,
                      .flow = &d->flow,
                      .tables = d->tables,
                      .block = d->shader->blocks[b],
                      .entry = b == 0,
                      .last = b + 1 == d->shader->nblocks};
    if (!select_block(m, d->result))
        return ir_arena_oom(d->arena) ? out_of_memory(d) : false;
    m->reset = m->streams && !d->stream_known;
    m->no_stream = !m->streams && !d->stream_known;
    return true;
}

/* Do enough ops read the stream for it to matter? One in three: fragment shaders are 0.0007 longer. */
static bool is_choice(const struct driver *d, const struct mir *m) {
    enum { LEAST = 5 };
    uint32_t ops = 0, words = 0;
    if (d->options->opt_level < 2 || !m->several)
        return false;
    for (uint32_t i = 0; i < m->nop; i++) {
        ops += !m->op[i].dead;
        words += !m->op[i].dead && (m_reads_stream(&m->op[i]) || m->op[i].tmu_slot != M_NO_VALUE);
    }
    return words * LEAST >= ops;
}

enum { FORMS = 3 };

/* The block's ops, with different words of the stream in registers (select_words.c). False: result holds why.
 */
static bool select_forms(struct driver *d, uint32_t b, struct mir form[FORMS], unsigned *count) {
    *count = 1;
    if (!select_form(d, b, 0, &form[0]))
        return false;
    if (is_choice(d, &form[0]) && !select_form(d, b, 2, &form[(*count)++]))
        return false;
    bool third = *count == 2 && form[0].many && form[0].many < form[0].several;
    return !third || select_form(d, b, 4, &form[(*count)++]);
}

static bool compile_block(struct driver *d, uint32_t b) {
    const struct flow_block *flow = &d->flow.block[b];
    struct mir form[FORMS];
    unsigned count;
    d->start[b] = d->code.count;
    d->stream_known = d->stream_known && !flow->target && !flow->after_branch;
    if (!select_forms(d, b, form, &count))
        return false;
    d->stream_known |= form[0].reset;
    struct sched_result block = sched_block(form, count, &d->code);
    if (block.status != SCHED_OK)
        return refuse(d, &form[0], &block);
    count_block(d, &form[0], &block, d->code.count - d->start[b]);
    return true;
}

static bool compile_blocks(struct driver *d) {
    d->start = ir_alloc(d->arena, (d->shader->nblocks + 1) * sizeof *d->start);
    struct mir all = {.shader = d->shader, .arena = d->arena, .flow = &d->flow};
    d->tables = select_begin(&all);
    if (ir_arena_oom(d->arena)) /* the tables may be one block */
        return out_of_memory(d);
    d->stream_known = true;
    for (uint32_t b = 0; b < d->shader->nblocks; b++) {
        struct ir_mark mark = ir_arena_mark(d->arena);
        if (!compile_block(d, b))
            return false;
        ir_arena_rewind(d->arena, mark); /* the code has all that is left of a block */
    }
    return true;
}

static bool keep_places(struct driver *d) {
    struct be_place *place = d->result->places =
        ir_heap_get(ir_allocator(d->arena), (d->code.count + 1) * sizeof *place);
    for (uint32_t i = 0; place && i < d->code.count; i++) {
        const struct m_inst *inst = &d->code.inst[i];
        place[i] = (struct be_place){inst->loc, {inst->label[0], inst->label[1], inst->label[2]}};
    }
    return place != NULL;
}

static bool encode(struct driver *d) {
    if (!encode_program(d->shader, &d->code, d->start, d->result) || (d->options->places && !keep_places(d)))
        return out_of_memory(d);
    d->result->cost = objective(d->result->weight, d->code.count);
    return true;
}

/* What each instruction takes from the stream, where that is the same in each draw. NULL: no memory. */
static struct qpu_known_word *known_words(const struct driver *d) {
    struct qpu_known_word *words =
        ir_heap_zeroed(ir_allocator(d->arena), (d->code.count + 1) * sizeof *words);
    for (uint32_t i = 0; words && i < d->code.count; i++) {
        uint32_t slot = d->code.inst[i].slot;
        if (slot != M_NO_VALUE && d->shader->slots[slot].kind == IR_SLOT_CONST)
            words[i] = (struct qpu_known_word){true, d->shader->slots[slot].value};
    }
    return words;
}

/* The hardware's rules, the kernel's (whose profile has both) and the chip's: a violation is a fault of
 * ours, never the user's. */
static bool check(struct driver *d) {
    static const struct qpucc_chip shipped;
    const struct be_result *result = d->result;
    struct qpu_check_options options = {.stage = d->shader->stage,
                                        .profile =
                                            d->options->linux_rules ? QPU_PROFILE_LINUX : QPU_PROFILE_HW,
                                        .threaded = result->threads > 1,
                                        .chip = d->options->chip ? d->options->chip : &shipped};
    struct qpu_violation found[8];
    struct qpu_known_word *words = known_words(d);
    if (!words)
        return out_of_memory(d);
    options.words = words;
    options.allocator = ir_allocator(d->arena);
    size_t count = qpu_check(result->code, result->count, &options, found, 8);
    ir_heap_free(words);
    if (count && strcmp(found[0].rule, "out-of-memory") == 0)
        return out_of_memory(d);
    for (size_t i = 0; i < count && i < 8; i++)
        if (!found[i].warning)
            return fail(d, BE_INTERNAL, (struct ir_loc){0}, "instruction %u breaks the rule %s: %s",
                        found[i].index, found[i].rule, found[i].text);
    return true;
}

/* A second thread hides the latency of texture fetches; nothing else is worth half of the registers. The tile
 * buffer is touched after the last switch, which is in the last block. */
bool be_worth_threads(const struct ir_shader *shader) {
    bool fetches = false;
    if (shader->stage != QPUCC_FRAGMENT)
        return false;
    ir_for_blocks(shader, b) {
        ir_for_insts(b, i) {
            enum ir_class cls = ir_op_info(i->op)->cls;
            fetches |= cls == IR_CLASS_FETCH;
            if ((cls == IR_CLASS_TILE || cls == IR_CLASS_UNKNOWN) && b->last->op != IR_END)
                return false;
        }
    }
    return fetches;
}

void be_compile(struct ir_shader *shader, const struct be_options *options, struct be_result *result) {
    struct driver d = {.shader = shader, .options = options, .result = result};
    memset(result, 0, sizeof *result);
    result->threads = options->threads;
    d.arena = ir_arena_beside(shader->arena);
    if (!d.arena || ir_arena_oom(d.arena)) {
        ir_arena_destroy(d.arena);
        fail(&d, BE_INTERNAL, (struct ir_loc){0}, "out of memory");
        return;
    }
    d.code.from = ir_allocator(d.arena);
    if (options->threads == 2 && !be_worth_threads(shader))
        fail(&d, BE_UNSUPPORTED, (struct ir_loc){0},
             "only a fragment shader that fetches textures can have two threads");
    else if (assign_cross_block(&d) && compile_blocks(&d) && encode(&d))
        check(&d);
    ir_heap_free(d.code.inst);
    ir_arena_destroy(d.arena);
}

void be_result_free(struct be_result *result) {
    ir_heap_free(result->code);
    ir_heap_free(result->lines);
    ir_heap_free(result->places);
    ir_heap_free(result->uniforms);
    memset(result, 0, sizeof *result);
}
