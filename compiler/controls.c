/* Which uniforms decide what a program does: the words of uniform storage that branches, trip counts,
 * selections and indices hang on, with what hangs on them.
 *
 * Requires: a program with its kept IR. Keeps it: all is counted on a copy of each stage as read, after the
 * few passes that show which conditions know nothing but uniforms. */
#include "compiler/compile.h"
#include "ir/heap.h"

#include <stdlib.h>
#include <string.h>

/* Conditionals still are branches after these. */
#define PASSES "(cfg,ssa,fold,cse,algebraic,dce)*4"

enum { MOST_WORDS = 32 }; /* that one condition is said to hang on; of more than these nothing is said */

/* What would be counted for a choice. */
struct cost {
    unsigned instructions, lookups;
};

struct counter {
    struct ir_shader *shader;
    struct qpucc_control *list; /* by word of uniform storage */
    uint32_t words;
    const struct ir_facts *facts;
    struct cost *below;    /* by block */
    uint32_t *seen, stamp; /* by id */
    const struct ir_inst **stack;
    uint32_t found[MOST_WORDS], count;
};

static bool is_word(struct counter *c, const struct ir_inst *x) {
    const struct ir_slot *slot = &c->shader->slots[x->imm];
    if (slot->kind != IR_SLOT_UNIFORM || slot->value >= c->words || c->count == MOST_WORDS)
        return false;
    c->found[c->count++] = slot->value;
    return true;
}

/* Collects the words that the value is made of. False: of something else, too, which changes from lane to
 * lane, or of too many. Counters of loops are no such thing. */
static bool collect(struct counter *c, const struct ir_inst *value) {
    uint32_t depth = 0;
    c->stamp++;
    c->count = 0;
    c->stack[depth++] = value;
    c->seen[value->id] = c->stamp;
    while (depth) {
        const struct ir_inst *x = c->stack[--depth];
        if (x->op == IR_UNIFORM ? !is_word(c, x) : !ir_is_const(x) && x->op != IR_PHI && !ir_ops[x->op].folds)
            return false;
        for (uint32_t k = 0; k < x->nsrc; k++)
            if (c->seen[x->src[k]->id] != c->stamp) {
                c->seen[x->src[k]->id] = c->stamp;
                c->stack[depth++] = x->src[k];
            }
    }
    return true;
}

static void add_cost(struct cost *cost, const struct ir_inst *x) {
    cost->instructions += !ir_is_free(x) && x->op != IR_PHI;
    cost->lookups += x->op == IR_TEX;
}

/* By block: what it has, and all blocks that it dominates, which come after it. */
static void count_blocks(struct counter *c) {
    for (uint32_t k = c->shader->nblocks; k-- > 0;) {
        const struct ir_block *block = c->shader->blocks[k];
        for (const struct ir_inst *x = block->first; x; x = x->next)
            add_cost(&c->below[k], x);
        if (block->idom && block->idom != block) {
            c->below[block->idom->id].instructions += c->below[k].instructions;
            c->below[block->idom->id].lookups += c->below[k].lookups;
        }
    }
}

/* All that only this way leads to. */
static struct cost cost_of_side(const struct counter *c, const struct ir_block *side) {
    return side->npred == 1 ? c->below[side->id] : (struct cost){0, 0};
}

/* All that is computed for this value alone, as far as it is read once. */
static void add_value(const struct counter *c, const struct ir_inst *x, struct cost *cost) {
    for (unsigned depth = 0; c->facts->uses[x->id] == 1 && depth < 1000; depth++) {
        add_cost(cost, x);
        if (!x->nsrc)
            return;
        for (uint32_t k = 1; k < x->nsrc; k++)
            if (c->facts->uses[x->src[k]->id] == 1 && x->src[k]->nsrc == 0)
                add_cost(cost, x->src[k]);
        x = x->src[0];
    }
}

static void count(struct counter *c, const struct ir_inst *condition, struct cost a, struct cost b,
                  bool trips) {
    struct cost cost = a.instructions > b.instructions ? a : b;
    if (!collect(c, condition))
        return;
    for (uint32_t k = 0; k < c->count; k++) {
        struct qpucc_control *control = &c->list[c->found[k]];
        control->conditions++;
        control->instructions += cost.instructions;
        control->lookups += cost.lookups;
        control->trips |= trips;
    }
}

static void count_inst(struct counter *c, const struct ir_block *block, const struct ir_inst *x) {
    const struct cost none = {0, 0};
    if (x->op == IR_BRANCH) {
        const struct ir_block *header = block->loop_header;
        bool leaves = header && (!ir_in_loop(block->succ[0], header) || !ir_in_loop(block->succ[1], header));
        count(c, x->src[0], cost_of_side(c, block->succ[0]), cost_of_side(c, block->succ[1]), leaves);
    } else if (x->op == IR_SELECT) {
        struct cost a = none, b = none;
        add_value(c, x->src[1], &a);
        add_value(c, x->src[2], &b);
        count(c, x->src[0], a, b, false);
    } else if (ir_ops[x->op].imm == IR_IMM_RANGE || ir_ops[x->op].imm == IR_IMM_VAR) {
        uint32_t index = x->op == IR_VAR_STORE ? 1 : 0;
        if (x->nsrc > index)
            count(c, x->src[index], none, none, false);
    }
}

static bool count_stage(struct counter *c) {
    const struct pass_options options = passes_default_options();
    char error[200];
    if (!passes_run_named(c->shader, PASSES, &options, error, sizeof error))
        return false;
    ir_cfg_update(c->shader);
    ir_dominators(c->shader);
    ir_loops(c->shader);
    ir_forget_facts(c->shader);
    c->facts = ir_facts(c->shader);
    c->seen = ir_alloc(c->shader->arena, (c->shader->next_id + 1) * sizeof *c->seen);
    c->stack = ir_alloc(c->shader->arena, (c->shader->next_id + 1) * sizeof *c->stack);
    c->below = ir_alloc(c->shader->arena, (c->shader->nblocks + 1) * sizeof *c->below);
    c->stamp = 0;
    if (ir_arena_oom(c->shader->arena))
        return false;
    count_blocks(c);
    ir_for_blocks(c->shader, block) {
        for (const struct ir_inst *x = block->first; x; x = x->next)
            count_inst(c, block, x);
    }
    return true;
}

static int by_instructions(const void *a, const void *b) {
    const struct qpucc_control *x = a, *y = b;
    if (x->instructions != y->instructions)
        return x->instructions > y->instructions ? -1 : 1;
    return x->word < y->word ? -1 : 1;
}

/* Counts all stages; list has a control for each word. */
static bool count_all(const struct kept_ir *kept, struct qpucc_control *list, uint32_t words) {
    struct ir_arena *arena = ir_arena_create(kept->from);
    bool ok = arena;
    for (int i = 0; i < 2 && ok; i++) {
        struct counter c = {.list = list, .words = words};
        if (!kept->read[i])
            continue;
        c.shader = ir_unpack(kept->read[i], arena);
        ok = c.shader && count_stage(&c);
        ir_shader_destroy(c.shader);
    }
    ir_arena_destroy(arena);
    return ok;
}

size_t qpucc_program_controls(const qpucc_program *program, struct qpucc_control *list, size_t capacity) {
    const struct kept_ir *kept = program_ir(program);
    uint32_t words = (uint32_t)program->uniform_words;
    struct qpucc_control *all = NULL;
    size_t found = 0;
    if (kept && program->kept->complete)
        all = ir_heap_zeroed(program->kept->from, (words + 1) * sizeof *all);
    for (uint32_t w = 0; all && w < words; w++)
        all[w].word = w;
    if (all && count_all(kept, all, words)) {
        qsort(all, words, sizeof *all, by_instructions);
        for (uint32_t w = 0; w < words; w++) {
            const struct qpucc_variable *v =
                program_variable_of_word(&program->variables[QPUCC_UNIFORMS], all[w].word);
            if (!all[w].conditions || !v)
                continue;
            all[w].variable = (uint32_t)(v - program->variables[QPUCC_UNIFORMS].list);
            if (found < capacity)
                list[found] = all[w];
            found++;
        }
    }
    ir_heap_free(all);
    return found;
}
