/* The back end's one function, and the last step: instructions to words, the uniform stream beside them.
 *
 * The stream is built here and nowhere else, by walking the final code in its static order: one word per
 * instruction that reads one (guide section 3, "Uniforms"), texture set-up words where coordinates are
 * written. */
#include "backend/backend.h"
#include "backend/mir.h"
#include "backend/objective.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Resets and branches get their numbers; words and stream are written. `start`: first instruction of each
 * block. */
static bool encode(const struct mir *m, struct m_code *code, const uint32_t *start,
                   struct be_result *result) {
    uint32_t n = code->count, words = 0;
    bool backward = false;
    result->code = malloc((n + 1) * sizeof *result->code);
    result->lines = malloc((n + 1) * sizeof *result->lines);
    result->uniforms = malloc((n + 2) * sizeof *result->uniforms);
    if (!result->code || !result->lines || !result->uniforms) {
        ir_arena_fail(m->arena); /* or another attempt would win */
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct m_inst *inst = &code->inst[i];
        if (inst->slot != M_NO_VALUE)
            result->uniforms[words++].slot = inst->slot;
        if (inst->offset) { /* the word read by the next instruction is the address itself: the stream goes on
                               behind it */
            inst->q.imm = 4 * (words + 1);
            backward = false;
        }
        if (inst->target >= 0) {
            inst->q.imm = (start[inst->target] - (i + 1 + QPU_BRANCH_SLOTS)) * 8u;
            backward |= start[inst->target] <= i;
        }
        result->code[i] = qpu_encode(&inst->q);
        result->lines[i] = inst->loc.line;
    }
    /* The reset that a branch back leads to reads the word that the stream has reached: the address in front
     * of the block behind the branch, or one word more where a loop has no later reset (docs/hardware.md,
     * Kernel). */
    if (backward)
        result->uniforms[words++].slot =
            ir_slot(m->shader, (struct ir_slot){.kind = IR_SLOT_STREAM, .type = IR_I32});
    result->uniform_count = words;
    result->count = n;
    result->cost = objective(result->weight, n);
    return true;
}

static bool append(struct m_code *all, const struct m_code *block) {
    for (uint32_t i = 0; i < block->count; i++)
        if (!m_push(all, block->inst[i]))
            return false;
    return true;
}

static void say(struct be_result *result, enum be_status status, const char *text) {
    result->status = status;
    snprintf(result->message, sizeof result->message, "%s", text);
}

static bool compile_blocks(struct mir *all, const struct flow *flow, struct m_code *code, uint32_t *start,
                           struct be_result *result) {
    struct ir_shader *shader = all->shader;
    all->flow = flow;
    all->tables = m_select_begin(all);
    bool known = true; /* where the stream stands at the beginning of the block */
    for (uint32_t b = 0; b < shader->nblocks; b++) {
        struct mir m = {.shader = shader,
                        .arena = all->arena,
                        .options = all->options,
                        .flow = flow,
                        .tables = all->tables,
                        .block = shader->blocks[b]};
        struct m_code part = {0};
        m.entry = b == 0;
        m.last = b + 1 == shader->nblocks;
        start[b] = code->count;
        known = known && !flow->block[b].target && !flow->block[b].after_branch;
        if (!m_select(&m, result))
            return false;
        m.reset = m.streams && !known;
        m.no_stream = !m.streams && !known;
        known |= m.reset;
        unsigned cycles = result->cycles;
        bool ok = m_schedule(&m, &part, code->count, result);
        result->weight += objective_in_loops(result->cycles - cycles, m.block->loop_depth);
        if (!ok && result->where.line == 0)
            result->where = m.block->last->loc;
        if (ok && !append(code, &part)) {
            ir_arena_fail(all->arena);
            say(result, BE_INTERNAL, "out of memory");
            ok = false;
        }
        free(part.inst);
        if (!ok)
            return false;
    }
    return true;
}

/* A second thread hides the latency of texture fetches; nothing else is worth half of the registers. The tile
 * buffer is touched behind the last switch, which is in the last block. */
bool be_worth_threads(const struct ir_shader *shader) {
    bool fetches = false;
    ir_for_blocks(shader, b) {
        ir_for_insts(b, i) {
            enum ir_class cls = ir_op_info(i->op)->cls;
            fetches |= cls == IR_CLASS_FETCH;
            if ((cls == IR_CLASS_TILE || cls == IR_CLASS_UNKNOWN) && b->last->op != IR_END)
                return false;
        }
    }
    return fetches && shader->stage == IR_FRAGMENT;
}

void be_compile(struct ir_shader *shader, const struct be_options *options, struct be_result *result) {
    memset(result, 0, sizeof *result);
    struct ir_arena *arena = ir_arena_beside(shader->arena);
    struct m_code code = {0};
    if (!arena || ir_arena_oom(arena)) {
        ir_arena_destroy(arena);
        say(result, BE_INTERNAL, "out of memory");
        return;
    }
    struct mir all = {.shader = shader, .arena = arena, .options = options};
    struct flow flow;
    struct flow_peak peak;
    result->threads = options->threads;
    unsigned regs = options->cross_regs ? options->cross_regs : options->threads == 2 ? 16 : 32;
    if (options->threads == 2 && !be_worth_threads(shader)) {
        say(result, BE_UNSUPPORTED, "two threads serve fragment shaders that fetch textures");
    } else if (!flow_analyse(&flow, shader, arena, regs, options->tight, &peak)) {
        say(result, BE_DOES_NOT_FIT, "");
        result->crossing = true;
        result->needed = peak.values;
        snprintf(result->message, sizeof result->message,
                 peak.values > 32u * (3 - options->threads)
                     ? "%u values cross this branch, more than the %u registers that are there"
                     : "the %u values that cross this branch find no registers among %u: some "
                       "wait for lanes that are elsewhere, or are fixed by the hardware",
                 peak.values, 32u * (3 - options->threads));
        result->where = peak.loc;
    } else if (shader->blocks[shader->nblocks - 1]->last->op != IR_END) {
        say(result, BE_UNSUPPORTED, "a loop that never ends");
        result->where =
            shader->blocks[shader->nblocks - 1]->last->loc; /* the jump back has the loop's place */
    } else {
        uint32_t *start = ir_alloc(arena, (shader->nblocks + 1) * sizeof *start);
        if (compile_blocks(&all, &flow, &code, start, result) && !encode(&all, &code, start, result))
            say(result, BE_INTERNAL, "out of memory");
    }
    free(code.inst);
    ir_arena_destroy(arena);
}

void be_result_free(struct be_result *result) {
    free(result->code);
    free(result->lines);
    free(result->uniforms);
    memset(result, 0, sizeof *result);
}
