/* exact: marks what gl_Position, gl_PointSize and invariant outputs are computed from; under -fprecise
 *        everything, which becomes highp, too.
 *
 * requires: SSA, before lower_stage.
 * keeps:    everything; sets flags only.
 * breaks:   nothing.
 *
 * No rewrite of a marked instruction may depend on what else the shader computes, because two programs that
 * share the expression must get the same bits from it. (Vertex and coordinate shader agree by construction:
 * they are cut from one shader after the last pass that can change a value.) */
#include "passes/passes.h"

#include <string.h>

/* By word of the outputs: is it one of those? */
static bool *find_wanted(const struct ir_shader *shader) {
    bool *wanted = ir_alloc(shader->arena, shader->outputs.words + 1);
    for (uint32_t k = 0; k < shader->outputs.count; k++) {
        const struct ir_symbol *symbol = &shader->outputs.sym[k];
        bool is = symbol->invariant || strcmp(symbol->name, "gl_Position") == 0 ||
                  strcmp(symbol->name, "gl_PointSize") == 0;
        if (is)
            memset(wanted + symbol->word, 1, ir_symbol_words(symbol));
    }
    return wanted;
}

struct stack {
    struct ir_inst **item;
    uint32_t count;
};

static void push(struct stack *s, struct ir_inst *inst) {
    if (inst->mark)
        return;
    inst->mark = true;
    s->item[s->count++] = inst;
}

static bool mark_all(struct ir_shader *shader) {
    bool changed = false;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            changed |= !inst->exact || inst->precision != IR_HIGHP;
            inst->exact = true;
            inst->precision = IR_HIGHP;
        }
    }
    return changed;
}

bool pass_exact(struct ir_shader *shader, const struct pass_options *options) {
    if (options->policy == QPUCC_POLICY_PRECISE)
        return mark_all(shader);
    struct ir_mark before = ir_arena_mark(shader->arena);
    struct stack s = {.item = ir_alloc_uncleared(shader->arena, (size_t)shader->next_id * sizeof *s.item)};
    const bool *wanted = find_wanted(shader);
    if (ir_arena_oom(shader->arena))
        return false;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            if (inst->op == IR_OUTPUT && wanted[inst->imm])
                push(&s, inst);
        }
    }
    bool changed = false, marked = s.count;
    while (s.count) {
        struct ir_inst *inst = s.item[--s.count];
        changed |= !inst->exact;
        inst->exact = true;
        for (uint32_t k = 0; k < inst->nsrc; k++)
            push(&s, inst->src[k]);
    }
    ir_arena_rewind(shader->arena, before);
    ir_for_blocks(shader, block) {
        for (struct ir_inst *inst = marked ? block->first : NULL; inst; inst = inst->next)
            inst->mark = false;
    }
    return changed;
}
