/* relax_precision: lowers the precision of what ends as an 8-bit colour and nothing else, and raises that of
 * texture coordinates.
 *
 * requires: lower_stage. Runs before lower_math, which refines special function results by precision and
 *           turns floor and the like into sums that rely on rounding.
 * keeps:    the CFG. Values change only with lower_math.
 * breaks:   nothing.
 *
 * A colour's step is 1/255, about forty times the error of an unrefined reciprocal (docs/hardware.md, Special
 * functions), so a Newton step gains nothing there. The pass propagates the needed precision backwards.
 * Operations that can amplify a small error (comparisons, whole numbers, powers, texture coordinates,
 * derivatives, depth, position) need their operands at the declared precision. Sums, products, quotients,
 * roots and selects need their operands as precisely as their own result is needed. All other values become
 * mediump in fragment shaders, which also record the varyings that are never needed more precisely. In vertex
 * shaders they become lowp, because lower_math ignores declared precision there. `exact` instructions stay as
 * they are.
 *
 * In a texture of 2048 texels, the error of an unrefined quotient or root, 8.7e-5, moves a coordinate by 0.18
 * texels. So in fragment shaders every operation that passes such an error on to a coordinate becomes highp,
 * whatever it was declared as.
 *
 * Under -ffast-math coordinates keep their declared precision, and an error may move the edge that a
 * comparison makes. Angles and bases of powers need to be only as precise as the results made of them. */
#include "passes/algebraic.h"
#include "passes/lower_stage.h"

struct need {
    struct ir_shader *shader;
    const struct pass_options *options;
    struct ir_inst **stack; /* marked instructions whose operands are still to visit */
    uint32_t count;
};

static void mark(struct need *n, struct ir_inst *inst) {
    if (inst->mark)
        return;
    inst->mark = true;
    n->stack[n->count++] = inst;
}

/* x^n has n times the relative error of x. Up to n = 16 that of an unrefined quotient or root comes to
 * 1.4e-3, a third of a colour's step. */
static bool is_low_power(const struct ir_inst *inst) {
    const struct ir_inst *n = ir_value(inst->src[1]);
    return ir_is_const(n) && ir_float(n) >= 0 && ir_float(n) <= 16;
}

/* An error in operand k is about as large in the result. A relative error e in x is one of x ln 2 e in 2^x:
 * 1e-3 where the result is 65536, and less below. Where x is negative the absolute error is at most 0.4 e. */
static bool preserves_error(const struct ir_inst *inst, uint32_t k) {
    switch (inst->op) {
    case IR_FPOW: return k == 1 || is_low_power(inst);
    case IR_FEXP2: return true;
    default: return ir_ops[inst->op].even;
    }
}

/* The result's error may be larger than an operand's, but stays within the operation's own precision. */
static bool bounds_error(const struct ir_inst *inst) {
    return ir_ops[inst->op].bounded;
}

/* The index in varying_words of the varying that this word of the shaded vertex holds; 64: it holds none. */
static uint32_t varying_index(const struct need *n, uint32_t word) {
    uint32_t at = n->shader->point_size ? 4 : 3; /* varyings follow XY, Zs, 1/Wc, point size */
    if (!n->options->varying_words || word >= LOWER_STAGE_CLIP)
        return 64;
    for (uint32_t i = 0; i < n->options->varying_count && i < 64; i++)
        if (n->options->varying_words[i] != UINT32_MAX && at++ == word)
            return i;
    return 64;
}

/* Under -ffast-math angles need only the precision of the result, and so does the base of a power unless an
 * error could make it negative. */
static bool is_tolerant(const struct ir_inst *inst) {
    switch (inst->op) {
    case IR_FPOW: return float_range(ir_value(inst->src[0])).lo >= 0;
    case IR_FSIN:
    case IR_FCOS:
    case IR_FTAN:
    case IR_FASIN:
    case IR_FACOS:
    case IR_FATAN:
    case IR_FATAN2: return true;
    default: return false;
    }
}

static bool is_comparison(const struct ir_inst *inst) {
    return inst->op == IR_FLT || inst->op == IR_FGE || inst->op == IR_FEQ || inst->op == IR_FNE;
}

/* Operand k needs the precision that the result needs, and no more. */
static bool forwards_need(const struct need *n, const struct ir_inst *inst, uint32_t k) {
    return preserves_error(inst, k) || (n->options->policy == QPUCC_POLICY_FAST && is_tolerant(inst));
}

static bool needs_declared_precision(const struct need *n, const struct ir_inst *inst, uint32_t k) {
    switch (inst->op) {
    case IR_PACK_COLOR: return false;
    case IR_PACK_8F: return false;
    case IR_SELECT: return k == 0;
    case IR_TLB_COLOR:
    case IR_TLB_SAMPLE: return k == 1;
    case IR_VPM_OUT: {
        uint32_t place = varying_index(n, inst->imm);
        return place == 64 || !(n->options->rough_varyings >> place & 1);
    }
    default: break;
    }
    if (n->options->policy == QPUCC_POLICY_FAST && is_comparison(inst))
        return false;
    if (bounds_error(inst) && !forwards_need(n, inst, k))
        return n->shader->stage != QPUCC_FRAGMENT || inst->precision == IR_HIGHP;
    return !forwards_need(n, inst, k);
}

static void mark_precise(struct need *n) {
    ir_for_blocks(n->shader, block) {
        ir_for_insts(block, inst) {
            bool skip = ir_ops[inst->op].even && inst->op != IR_SELECT; /* none needs more than the result */
            for (uint32_t k = 0; !skip && k < inst->nsrc; k++)
                if (needs_declared_precision(n, inst, k))
                    mark(n, inst->src[k]);
        }
    }
    while (n->count) {
        struct ir_inst *inst = n->stack[--n->count];
        bool all = ir_ops[inst->op].even;
        for (uint32_t k = 0; k < inst->nsrc; k++)
            if (all || forwards_need(n, inst, k))
                mark(n, inst->src[k]);
    }
}

/* An error in operand k is about as large in the result, counted modulo 1 as coordinates are. */
static bool carries_error(const struct ir_inst *inst, uint32_t k) {
    return inst->op == IR_FFRACT || (ir_ops[inst->op].even && !(inst->op == IR_SELECT && k == 0));
}

/* Marks all that coordinates of texture lookups are made of. The sources after the coordinates, such as the
 * level and the border colour, do not count. */
static void mark_coordinates(struct need *n) {
    ir_for_blocks(n->shader, block) {
        ir_for_insts(block, inst) {
            uint32_t coordinates = (inst->aux & IR_TEX_KIND) == IR_TEX_CUBE ? 3 : 2;
            for (uint32_t k = 0; inst->op == IR_TEX && k < coordinates; k++)
                mark(n, inst->src[k]);
        }
    }
    while (n->count) {
        struct ir_inst *inst = n->stack[--n->count];
        for (uint32_t k = 0; k < inst->nsrc; k++)
            if (carries_error(inst, k))
                mark(n, inst->src[k]);
    }
}

static bool raise_coordinates(struct need *n) {
    bool changed = false;
    if (n->shader->stage != QPUCC_FRAGMENT || n->options->policy != QPUCC_POLICY_DEFAULT)
        return false; /* vertex shaders and -fprecise refine all, -ffast-math as declared */
    mark_coordinates(n);
    ir_for_blocks(n->shader, block) {
        ir_for_insts(block, inst) {
            if (inst->mark && inst->precision != IR_HIGHP && inst->type == IR_F32 && ir_ops[inst->op].even) {
                inst->precision = IR_HIGHP;
                changed = true;
            }
            inst->mark = false;
        }
    }
    return changed;
}

bool pass_relax_precision(struct ir_shader *shader, const struct pass_options *options) {
    if (!shader->lowered)
        return false;
    struct need n = {.shader = shader, .options = options};
    struct ir_mark before = ir_arena_mark(shader->arena);
    n.stack = ir_alloc_uncleared(shader->arena, (size_t)shader->next_id * sizeof *n.stack);
    if (ir_arena_oom(shader->arena))
        return false;
    bool changed = raise_coordinates(&n), fragment = shader->stage == QPUCC_FRAGMENT;
    if (options->level > 0)
        mark_precise(&n);
    ir_arena_rewind(shader->arena, before);
    if (options->level < 1)
        return changed;
    shader->rough_varyings = 0;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            bool needed = inst->mark;
            inst->mark = false;
            if (inst->type != IR_F32 || needed || inst->exact)
                continue;
            if (inst->op == IR_VARY && inst->imm < 64)
                shader->rough_varyings |= (uint64_t)1 << inst->imm;
            if (inst->precision < (fragment ? IR_MEDIUMP : IR_LOWP) &&
                (ir_ops[inst->op].even || bounds_error(inst))) {
                inst->precision = fragment ? IR_MEDIUMP : IR_LOWP;
                changed = true;
            }
        }
    }
    return changed;
}
