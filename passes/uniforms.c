/* uniforms: arithmetic that depends on uniforms and constants alone leaves the shader.
 *
 * requires: SSA; before lower_math, whose forms are made for the machine and not for the host.
 * keeps:    the CFG; values, except that expressions are computed in IEEE single precision, round to nearest,
 *           once a draw (docs/numerics.md).
 * breaks:   nothing; leaves dead code.
 *
 * An instruction whose sources are all known per draw becomes a uniform whose slot is the expression. It
 * costs one word of the stream at each read, as its operands did, and no instruction. Booleans become masks,
 * 0 or -1. Outside of `exact` instructions, products and sums with two separate operands of this kind, as in
 * (x * u) * v, are regrouped first. For a quotient by such an operand the reciprocal leaves the shader, for a
 * power of one the logarithm. Vertex and coordinate shader are still one shader here, so they see the same
 * expressions. */
#include "passes/lower_math.h"
#include "passes/passes.h"

#define NO_SLOT UINT32_MAX

struct known {
    struct ir_shader *shader;
    uint32_t *slot;       /* by instruction id: what it is per draw, or NO_SLOT */
    const uint32_t *uses; /* the same: how many there were */
    uint32_t size;
};

static bool is_known(const struct known *k, const struct ir_inst *x) {
    return x->op == IR_UNIFORM || x->op == IR_CONST || (x->id < k->size && k->slot[x->id] != NO_SLOT);
}

static uint32_t slot_of(const struct known *k, const struct ir_inst *x) {
    if (x->op == IR_UNIFORM) {
        uint32_t truth = x->type == IR_BOOL ? ir_slot_mask_of(k->shader, x->imm) : NO_SLOT;
        return truth == NO_SLOT ? x->imm : truth;
    }
    if (x->op == IR_CONST)
        return ir_slot_const(k->shader, (enum ir_type)x->type, x->imm);
    return x->id < k->size ? k->slot[x->id] : NO_SLOT;
}

static uint32_t find_slot(struct known *k, struct ir_inst *inst) {
    if (inst->op == IR_CONST || inst->op == IR_UNIFORM)
        return slot_of(k, inst);
    if (!ir_ops[inst->op].folds || inst->nsrc > 4)
        return NO_SLOT;
    for (uint32_t i = 0; i < inst->nsrc; i++)
        if (!is_known(k, ir_value(inst->src[i])))
            return NO_SLOT;
    struct ir_slot slot = {.kind = IR_SLOT_EXPR, .op = inst->op, .type = inst->type, .value = inst->imm};
    slot.narg = (uint8_t)inst->nsrc;
    for (uint32_t i = 0; i < inst->nsrc; i++)
        slot.arg[i] = slot_of(k, ir_value(inst->src[i]));
    return ir_slot(k->shader, slot);
}

/* (x op u) op v to x op (u op v): gives the new u op v, which the caller then finds to be known. */
static struct ir_inst *gather(struct known *k, struct ir_inst *inst) {
    if ((inst->op != IR_FMUL && inst->op != IR_FADD) || inst->exact)
        return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        struct ir_inst *u = ir_value(inst->src[i]), *inner = ir_value(inst->src[1 - i]);
        if (!is_known(k, u) || inner->op != inst->op || inner->exact)
            continue;
        for (uint32_t j = 0; j < 2; j++) {
            struct ir_inst *v = ir_value(inner->src[j]), *x = ir_value(inner->src[1 - j]);
            if (!is_known(k, v) || (ir_is_const(u) && ir_is_const(v)))
                continue; /* constants are algebraic's, which knows those that must stay apart */
            struct ir_builder b = ir_builder_before(inst);
            struct ir_inst both = {.op = inst->op, .type = inst->type, .nsrc = 2};
            struct ir_inst *sources[2] = {u, v};
            both.src = sources;
            struct ir_inst *uv = ir_uniform(&b, (enum ir_type)inst->type, find_slot(k, &both));
            return ir_op2(&b, (enum ir_op)inst->op, x, uv);
        }
    }
    return NULL;
}

static uint32_t make_slot(struct known *k, enum ir_op op, uint32_t x, uint32_t y) {
    struct ir_slot slot = {.kind = IR_SLOT_EXPR, .op = (uint16_t)op, .type = IR_F32, .narg = 1, .arg = {x}};
    if (y != NO_SLOT)
        slot.arg[slot.narg++] = y;
    return ir_slot(k->shader, slot);
}

/* 1 / y, one or two units in the last place high: with either rounding of the product whole quotients
 * come out whole, as those by constants do. */
static struct ir_inst *reciprocal(struct known *k, struct ir_builder *b, uint32_t y) {
    uint32_t up = ir_slot_const(k->shader, IR_F32, 0x3f800001u);
    return ir_uniform(b, IR_F32, make_slot(k, IR_FMUL, make_slot(k, IR_FRCP, y, NO_SLOT), up));
}

/* A truth value as a word of zeros or ones, which selection takes for a sign as well as for "not zero". */
static uint32_t mask_of(struct known *k, uint32_t truth) {
    struct ir_slot word = {.kind = IR_SLOT_EXPR, .op = IR_B2I, .type = IR_I32, .narg = 1, .arg = {truth}};
    word.arg[0] = ir_slot(k->shader, word);
    word.op = IR_INEG;
    return ir_slot(k->shader, word);
}

/* u ? x op a : x op b with u, a, b known: x op (u ? a : b); one arm may be x alone, where op has an operand
 * that does nothing. */
static struct ir_inst *select_operand(struct known *k, struct ir_builder *b, struct ir_inst *inst,
                                      uint32_t u) {
    struct ir_inst *yes = ir_value(inst->src[1]), *no = ir_value(inst->src[2]);
    for (int turn = 0; turn < 2; turn++) {
        struct ir_inst *p = turn ? no : yes, *q = turn ? yes : no;
        bool subtracts = p->op == IR_FSUB;
        if ((p->op != IR_FMUL && p->op != IR_FADD && !subtracts) || p->id >= k->size || k->uses[p->id] != 1)
            continue;
        for (uint32_t i = subtracts; i < 2; i++) {
            uint32_t a = slot_of(k, ir_value(p->src[i])), c = NO_SLOT;
            struct ir_inst *x = ir_value(p->src[1 - i]);
            if (a == NO_SLOT)
                continue;
            if (q == x) {
                c = ir_slot_const(k->shader, IR_F32, p->op == IR_FMUL ? 0x3f800000u : 0);
            } else if (q->op == p->op && q->id < k->size && k->uses[q->id] == 1) {
                for (uint32_t j = subtracts; j < 2 && c == NO_SLOT; j++)
                    if (ir_value(q->src[1 - j]) == x)
                        c = slot_of(k, ir_value(q->src[j]));
            }
            if (c == NO_SLOT)
                continue;
            struct ir_slot slot = {.kind = IR_SLOT_EXPR, .op = IR_SELECT, .type = IR_F32, .narg = 3};
            slot.arg[0] = u;
            slot.arg[1] = turn ? c : a;
            slot.arg[2] = turn ? a : c;
            return ir_op2(b, (enum ir_op)p->op, x, ir_uniform(b, IR_F32, ir_slot(k->shader, slot)));
        }
    }
    return NULL;
}

/* u ? x : 0 with u known: the bits of x under a mask. */
static struct ir_inst *under_mask(struct known *k, struct ir_builder *b, struct ir_inst *inst, uint32_t u) {
    for (uint32_t i = 1; i < 3; i++) {
        struct ir_inst *zero = ir_value(inst->src[i]), *x = ir_value(inst->src[3 - i]);
        if (!ir_is_const(zero) || zero->imm != 0)
            continue;
        if (i == 1) {
            struct ir_slot no = {.kind = IR_SLOT_EXPR, .op = IR_BNOT, .type = IR_BOOL, .narg = 1, .arg = {u}};
            u = ir_slot(k->shader, no);
        }
        bool floats = inst->type == IR_F32;
        struct ir_inst *mask = ir_uniform(b, IR_I32, mask_of(k, u));
        x = ir_op2(b, IR_IAND, floats ? ir_op1(b, IR_FBITS, x) : x, mask);
        return floats ? ir_op1(b, IR_IBITS, x) : x;
    }
    return NULL;
}

/* Operations on something known that can do with less when that something has left the shader. */
static struct ir_inst *reduce(struct known *k, struct ir_inst *inst) {
    if (inst->op == IR_SELECT && inst->type != IR_BOOL) {
        uint32_t u = slot_of(k, ir_value(inst->src[0]));
        if (u == NO_SLOT || ir_is_const(ir_value(inst->src[0])))
            return NULL;
        struct ir_builder b = ir_builder_before(inst);
        struct ir_inst *by = inst->exact ? NULL : select_operand(k, &b, inst, u);
        return by ? by : under_mask(k, &b, inst, u);
    }
    if (inst->nsrc != 2)
        return NULL;
    struct ir_inst *x = ir_value(inst->src[0]), *y = ir_value(inst->src[1]);
    struct ir_inst *left = inst->op == IR_FPOW ? x : y; /* what may have left the shader */
    if (!is_known(k, left) || ir_is_const(left))
        return NULL;
    struct ir_builder b = ir_builder_before(inst);
    switch (inst->op) {
    case IR_FDIV: return ir_op2(&b, IR_FMUL, x, reciprocal(k, &b, slot_of(k, y)));
    case IR_FMOD:
    case IR_FREM: {
        struct ir_inst *q = ir_op2(&b, IR_FMUL, x, reciprocal(k, &b, slot_of(k, y)));
        q = inst->op == IR_FMOD ? ir_op1(&b, IR_FFLOOR, lower_whole_part(&b, q)) : ir_op1(&b, IR_FTRUNC, q);
        return ir_op2(&b, IR_FSUB, x, ir_op2(&b, IR_FMUL, y, q));
    }
    case IR_FPOW:
        return ir_op1(
            &b, IR_FEXP2,
            ir_op2(&b, IR_FMUL, y, ir_uniform(&b, IR_F32, make_slot(k, IR_FLOG2, slot_of(k, x), NO_SLOT))));
    default: return NULL;
    }
}

/* (x u) + (x u), which algebraic makes of 2 (x u): the 2 goes with u. */
static struct ir_inst *gather_double(struct known *k, struct ir_inst *inst) {
    struct ir_inst *y = inst->op == IR_FADD ? ir_value(inst->src[0]) : NULL;
    if (!y || inst->exact || y != ir_value(inst->src[1]) || y->op != IR_FMUL || y->exact ||
        y->id >= k->size || k->uses[y->id] != 2)
        return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t u = slot_of(k, ir_value(y->src[i]));
        if (u == NO_SLOT)
            continue;
        struct ir_builder b = ir_builder_before(inst);
        struct ir_inst *twice = ir_uniform(&b, IR_F32, make_slot(k, IR_FADD, u, u));
        return ir_op2(&b, IR_FMUL, ir_value(y->src[1 - i]), twice);
    }
    return NULL;
}

/* In its place, so that nothing that reads it has to be told; but as a new value: what was known of the old
 * one, its uses for one, does not hold. */
static void become_uniform(struct ir_shader *shader, struct ir_inst *inst, uint32_t slot) {
    inst->id = shader->next_id++;
    ir_become(inst, IR_UNIFORM);
    inst->imm = slot;
    inst->aux = inst->nsrc = 0;
}

bool pass_uniforms(struct ir_shader *shader, const struct pass_options *options) {
    if (options->no_uniform_expressions || options->level < 1)
        return false;
    bool changed = false, replaced = false;
    struct known k = {.shader = shader, .size = shader->next_id};
    k.slot = ir_alloc_uncleared(shader->arena, (size_t)k.size * sizeof *k.slot);
    k.uses = ir_facts(shader)->uses;
    if (ir_arena_oom(shader->arena))
        return false;
    for (uint32_t i = 0; i < k.size; i++)
        k.slot[i] = NO_SLOT;
    /* Reverse post-order: sources come first, but for phis, which are never known. */
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            uint32_t slot = inst->id < k.size ? find_slot(&k, inst) : NO_SLOT;
            if (slot == NO_SLOT) {
                struct ir_inst *by = gather(&k, inst);
                if (!by)
                    by = reduce(&k, inst);
                if (!by)
                    by = gather_double(&k, inst);
                if (by) {
                    ir_replace(inst, by);
                    replaced = true;
                }
                continue;
            }
            k.slot[inst->id] = slot;
            bool truth = inst->type == IR_BOOL;
            if (inst->op == IR_CONST ||
                (inst->op == IR_UNIFORM && (!truth || ir_slot_mask_of(shader, inst->imm) != NO_SLOT)))
                continue;
            become_uniform(shader, inst, truth ? mask_of(&k, slot) : slot);
            changed = true;
        }
    }
    if (replaced)
        ir_resolve(shader);
    return changed || replaced;
}
