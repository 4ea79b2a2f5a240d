/* Making instructions. */
#include "ir/internal.h"

#include <string.h>

void ir_alloc_sources(struct ir_arena *arena, struct ir_inst *inst, uint32_t count) {
    uint32_t capacity = count;
    if (inst->op == IR_PHI) { /* capacity is always the power of two that holds the sources: see ir_phi_add */
        for (capacity = 2; capacity < count;)
            capacity *= 2;
        inst->phi_block = ir_alloc_uncleared(arena, capacity * sizeof *inst->phi_block);
    }
    inst->src = capacity ? ir_alloc_uncleared(arena, capacity * sizeof *inst->src) : NULL;
    inst->nsrc = count;
}

/* Inline: nearly all instructions come this way. */
static inline struct ir_inst *emit(struct ir_builder *b, enum ir_op op, enum ir_type type, uint32_t nsrc,
                                   struct ir_inst *const *src, uint32_t imm, uint32_t aux) {
    /* sources lie behind their instruction, but for those of a phi, which may grow */
    uint32_t behind = op == IR_PHI ? 0 : nsrc;
    struct ir_inst *inst = ir_alloc(b->shader->arena, sizeof *inst + behind * sizeof *src);
    inst->id = b->shader->next_id++;
    inst->op = op;
    inst->type = type;
    inst->precision = b->precision;
    inst->exact = b->exact;
    inst->loc = b->loc;
    inst->imm = imm;
    inst->aux = aux;
    inst->nsrc = nsrc;
    if (op == IR_PHI)
        ir_alloc_sources(b->shader->arena, inst, nsrc);
    else
        inst->src = nsrc ? (struct ir_inst **)(inst + 1) : NULL;
    for (uint32_t k = 0; k < nsrc; k++)
        inst->src[k] = src[k];
    ir_link(inst, b->block, b->before);
    return inst;
}

struct ir_inst *ir_emit(struct ir_builder *b, enum ir_op op, enum ir_type type, uint32_t nsrc,
                        struct ir_inst *const *src, uint32_t imm, uint32_t aux) {
    return emit(b, op, type, nsrc, src, imm, aux);
}

static struct ir_inst *emit_typed(struct ir_builder *b, enum ir_op op, uint32_t nsrc,
                                  struct ir_inst *const *src) {
    const struct ir_op_info *info = ir_op_info(op);
    enum ir_type type = IR_VOID;
    switch (info->result[0]) {
    case 'f': type = IR_F32; break;
    case 'i': type = IR_I32; break;
    case 'b': type = IR_BOOL; break;
    case '*':
        for (uint32_t k = nsrc; k-- > 0;)
            if (ir_source_kind(info, k) == '*')
                type = src[k]->type;
        break;
    }
    return emit(b, op, type, nsrc, src, 0, 0);
}

struct ir_inst *ir_op1(struct ir_builder *b, enum ir_op op, struct ir_inst *x) {
    return emit_typed(b, op, 1, (struct ir_inst *[]){x});
}

struct ir_inst *ir_op2(struct ir_builder *b, enum ir_op op, struct ir_inst *x, struct ir_inst *y) {
    return emit_typed(b, op, 2, (struct ir_inst *[]){x, y});
}

struct ir_inst *ir_op3(struct ir_builder *b, enum ir_op op, struct ir_inst *x, struct ir_inst *y,
                       struct ir_inst *z) {
    return emit_typed(b, op, 3, (struct ir_inst *[]){x, y, z});
}

struct ir_inst *ir_const(struct ir_builder *b, enum ir_type type, uint32_t bits) {
    return ir_emit(b, IR_CONST, type, 0, NULL, bits, 0);
}

struct ir_inst *ir_const_f(struct ir_builder *b, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return ir_const(b, IR_F32, bits);
}

struct ir_inst *ir_const_i(struct ir_builder *b, uint32_t value) {
    return ir_const(b, IR_I32, value);
}

struct ir_inst *ir_const_b(struct ir_builder *b, bool value) {
    return ir_const(b, IR_BOOL, value);
}

float ir_float(const struct ir_inst *constant) {
    float value;
    memcpy(&value, &constant->imm, sizeof value);
    return value;
}

struct ir_inst *ir_uniform(struct ir_builder *b, enum ir_type type, uint32_t slot) {
    return ir_emit(b, IR_UNIFORM, type, 0, NULL, slot, 0);
}

struct ir_inst *ir_phi(struct ir_builder *b, enum ir_type type) {
    struct ir_builder at = *b;
    at.before = b->block->first;
    while (at.before && at.before->op == IR_PHI)
        at.before = at.before->next;
    return ir_emit(&at, IR_PHI, type, 0, NULL, 0, 0);
}

void ir_phi_add(struct ir_inst *phi, struct ir_block *pred, struct ir_inst *value) {
    uint32_t n = phi->nsrc;
    /* A power of two may mean full, or that a source was dropped: a larger copy is right either way. */
    if (!phi->src || (n >= 2 && (n & (n - 1)) == 0)) {
        struct ir_inst **src = phi->src;
        struct ir_block **from = phi->phi_block;
        ir_alloc_sources((phi->block ? phi->block : pred)->shader->arena, phi, n + 1);
        for (uint32_t k = 0; k < n; k++) {
            phi->src[k] = src[k];
            phi->phi_block[k] = from[k];
        }
    }
    phi->src[n] = value;
    phi->phi_block[n] = pred;
    phi->nsrc = n + 1;
}

void ir_jump(struct ir_builder *b, struct ir_block *to) {
    ir_emit(b, IR_JUMP, IR_VOID, 0, NULL, 0, 0);
    b->block->succ[0] = to;
    b->block->succ[1] = NULL;
}

void ir_branch(struct ir_builder *b, struct ir_inst *cond, struct ir_block *then,
               struct ir_block *otherwise) {
    ir_emit(b, IR_BRANCH, IR_VOID, 1, &cond, 0, 0);
    b->block->succ[0] = then;
    b->block->succ[1] = otherwise;
}

void ir_end(struct ir_builder *b) {
    ir_emit(b, IR_END, IR_VOID, 0, NULL, 0, 0);
    b->block->succ[0] = b->block->succ[1] = NULL;
}
