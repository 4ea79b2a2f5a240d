/* select_sink: one operation on a selected source instead of a selection of two operations.
 *
 * requires: any IR.
 * keeps:    the CFG; every value to the bit.
 * breaks:   nothing.
 *
 *     select(c, op(a, x), op(a, y))  →  op(a, select(c, x, y))
 *
 * when both operations have no other use and cost more than the selection. An operation of a single
 * instruction is better executed twice under a condition, which makes the selection free. If-conversion
 * leaves such pairs where the two sides of a conditional do the same thing. The new selection may have the
 * same form again, so the pass continues with it. Lookups and derivatives stay, because selected coordinates
 * have other neighbours. So do operations on uniforms, which cost the shader nothing (pass `uniforms`). */
#include "passes/known.h"
#include "passes/passes.h"

/* Slots up to which doing it twice is no worse than a selection. */
enum { SELECTION = 2 };

struct pair {
    struct ir_inst *yes, *no;
};

static bool is_costly(const struct ir_inst *inst) {
    const struct ir_op_info *info = ir_op_info(inst->op);
    return info->pure && !info->gathers && info->slots > SELECTION;
}

/* Sources of x and y side by side, those of y swapped if that makes more of them equal; the place of the one
 * that differs, -1 if several do. */
static int only_difference(const struct ir_inst *x, const struct ir_inst *y, struct pair out[4]) {
    if (x->nsrc != y->nsrc || x->nsrc > 4)
        return -1;
    for (int swap = 0; swap <= (ir_ops[x->op].commutes ? 1 : 0); swap++) {
        int differ = 0, where = 0;
        for (uint32_t k = 0; k < x->nsrc; k++) {
            uint32_t other = swap && k < 2 ? 1 - k : k;
            out[k] = (struct pair){ir_value(x->src[k]), ir_value(y->src[other])};
            if (out[k].yes != out[k].no) {
                differ++;
                where = (int)k;
            }
        }
        if (differ <= 1)
            return where;
    }
    return -1;
}

/* By id, as it was before the pass: what it makes has no entries. */
struct facts {
    const uint32_t *uses;
    const bool *per_draw;
    uint32_t size;
};

static bool may_sink(const struct facts *f, const struct ir_inst *x, const struct ir_inst *y) {
    return x != y && x->id < f->size && y->id < f->size && is_costly(x) && f->uses[x->id] == 1 &&
           f->uses[y->id] == 1 && !(f->per_draw[x->id] && f->per_draw[y->id]);
}

static struct ir_inst *sink(struct ir_inst *select, const struct facts *f) {
    struct ir_inst *cond = ir_value(select->src[0]), *x = ir_value(select->src[1]),
                   *y = ir_value(select->src[2]);
    if (!may_sink(f, x, y))
        return NULL;
    struct pair sources[4];
    if (x->op != y->op || x->imm != y->imm || x->aux != y->aux || x->type != y->type)
        return NULL;
    int at = only_difference(x, y, sources);
    if (at < 0 || sources[at].yes->type != sources[at].no->type)
        return NULL;
    struct ir_builder b = ir_builder_before(select);
    b.precision = x->precision < y->precision ? x->precision : y->precision;
    b.exact = x->exact || y->exact || select->exact;
    struct ir_inst *args[4];
    for (uint32_t k = 0; k < x->nsrc; k++)
        args[k] = sources[k].yes;
    if (sources[at].yes != sources[at].no)
        args[at] = ir_op3(&b, IR_SELECT, cond, sources[at].yes, sources[at].no);
    return ir_emit(&b, (enum ir_op)x->op, (enum ir_type)x->type, x->nsrc, args, x->imm, x->aux);
}

bool pass_select_sink(struct ir_shader *shader, const struct pass_options *options) {
    if (!ir_has(shader, IR_SELECT))
        return false;
    const struct facts f = {ir_facts(shader)->uses, known_per_draw(shader, options), shader->next_id};
    if (ir_arena_oom(shader->arena))
        return false;
    bool changed = false;
    ir_for_blocks(shader, block) {
        for (struct ir_inst *inst = block->first, *next; inst; inst = next) {
            next = inst->next;
            struct ir_inst *by = inst->op == IR_SELECT ? sink(inst, &f) : NULL;
            if (!by)
                continue;
            ir_replace(inst, by);
            changed = true;
            for (uint32_t k = 0; k < by->nsrc;
                 k++) /* the selection made for it stands before it: look at it next */
                if (by->src[k]->op == IR_SELECT && by->src[k]->id >= f.size)
                    next = by->src[k];
        }
    }
    if (changed)
        ir_resolve(shader);
    return changed;
}
