/* relax_precision: lowers the precision of what ends as an 8-bit colour and nothing else, and raises that of
 * texture coordinates.
 *
 * requires: lower_stage, before lower_math, which refines special function results by precision and makes
 *           sums that round out of floor and the like.
 * keeps:    the CFG; the values until lower_math.
 * breaks:   nothing.
 *
 * A colour's step is 1/255, about forty times the error of an unrefined reciprocal (docs/hardware.md, Special
 * functions), so a Newton step gains nothing there. The pass follows the needed precision backwards.
 * Operations that can amplify a small error (comparisons, whole numbers, powers, texture coordinates,
 * derivatives, depth, position) need their operands at the declared precision. Sums, products, quotients,
 * roots and choices need their operands as precisely as their own result is needed. Fragment shaders mark the
 * others mediump, and record the varyings that are never needed more precisely. Vertex shaders mark them
 * lowp, because lower_math ignores declared precision there. `exact` instructions stay as they are.
 *
 * Of 2048 texels one is 4.9e-4 wide, so the error of an unrefined quotient or root in a coordinate, 8.7e-5,
 * is 0.18 texels. Fragment shaders mark what such an error passes through on its way to a coordinate highp,
 * whatever it was declared as.
 *
 * -ffast-math leaves coordinates as they were declared. It lets an error move the edge that a comparison
 * makes; angles and bases of powers need be no more precise than what is made of them. */
#include "passes/algebraic.h"
#include "passes/lower_stage.h"

struct need {
    struct ir_shader *shader;
    const struct pass_options *options;
    struct ir_inst **stack; /* marked, operands not looked at */
    uint32_t count;
};

static void push(struct need *n, struct ir_inst *inst) {
    if (inst->mark)
        return;
    inst->mark = true;
    n->stack[n->count++] = inst;
}

/* A relative error times 16 at most: 1.4e-3 for a quotient or a root, a third of a colour's step. */
static bool is_low_power(const struct ir_inst *inst) {
    const struct ir_inst *n = ir_value(inst->src[1]);
    return ir_is_const(n) && ir_float(n) >= 0 && ir_float(n) <= 16;
}

/* An error in operand k is about as large in the result. An exponent's error e becomes x ln 2 e in a result
 * of 2^x: 1e-3 at 65536, less below, and never more than 0.4 e of the range 0..1 where x is negative. */
static bool is_even(const struct ir_inst *inst, uint32_t k) {
    switch (inst->op) {
    case IR_FPOW: return k == 1 || is_low_power(inst);
    case IR_FEXP2: return true;
    default: return ir_ops[inst->op].even;
    }
}

/* It may be larger, but no larger than the operation's own precision allows. */
static bool is_function(const struct ir_inst *inst) {
    return ir_ops[inst->op].bounded;
}

/* The place of a varying in the fragment shader's FIFO by the word of the shaded vertex; 64: none of them. */
static uint32_t place_of(const struct need *n, uint32_t word) {
    uint32_t at = n->shader->point_size ? 4 : 3; /* XY, Zs, 1/Wc, size */
    if (!n->options->varying_words || word >= LOWER_STAGE_CLIP)
        return 64;
    for (uint32_t i = 0; i < n->options->varying_count && i < 64; i++)
        if (n->options->varying_words[i] != UINT32_MAX && at++ == word)
            return i;
    return 64;
}

/* Under -ffast-math an angle is as good as what is made of it has to be, and the base of a power, unless the
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

/* An operand is as good as the result has to be. */
static bool passes_on(const struct need *n, const struct ir_inst *inst, uint32_t k) {
    return is_even(inst, k) || (n->options->policy == QPUCC_POLICY_FAST && is_tolerant(inst));
}

static bool operand_is_needed(const struct need *n, const struct ir_inst *inst, uint32_t k) {
    switch (inst->op) {
    case IR_PACK_COLOR: return false;
    case IR_PACK_8F: return false;
    case IR_SELECT: return k == 0;
    case IR_TLB_COLOR:
    case IR_TLB_SAMPLE: return k == 1;
    case IR_VPM_OUT: {
        uint32_t place = place_of(n, inst->imm);
        return place == 64 || !(n->options->rough_varyings >> place & 1);
    }
    default: break;
    }
    if (n->options->policy == QPUCC_POLICY_FAST && is_comparison(inst))
        return false;
    if (is_function(inst) && !passes_on(n, inst, k))
        return n->shader->stage != QPUCC_FRAGMENT || inst->precision == IR_HIGHP;
    return !passes_on(n, inst, k);
}

static void find_needed(struct need *n) {
    ir_for_blocks(n->shader, block) {
        ir_for_insts(block, inst) {
            bool none = ir_ops[inst->op].even && inst->op != IR_SELECT;
            for (uint32_t k = 0; !none && k < inst->nsrc; k++)
                if (operand_is_needed(n, inst, k))
                    push(n, inst->src[k]);
        }
    }
    while (n->count) {
        struct ir_inst *inst = n->stack[--n->count];
        bool all = ir_ops[inst->op].even;
        for (uint32_t k = 0; k < inst->nsrc; k++)
            if (all || passes_on(n, inst, k))
                push(n, inst->src[k]);
    }
}

/* An operand whose error is about as large in the result, where wholes do not count. */
static bool carries(const struct ir_inst *inst, uint32_t k) {
    return inst->op == IR_FFRACT || (ir_ops[inst->op].even && !(inst->op == IR_SELECT && k == 0));
}

/* Marks what lookups' coordinates are made of; the level and the border's colour are none. */
static void find_coordinates(struct need *n) {
    ir_for_blocks(n->shader, block) {
        ir_for_insts(block, inst) {
            uint32_t coordinates = (inst->aux & IR_TEX_KIND) == IR_TEX_CUBE ? 3 : 2;
            for (uint32_t k = 0; inst->op == IR_TEX && k < coordinates; k++)
                push(n, inst->src[k]);
        }
    }
    while (n->count) {
        struct ir_inst *inst = n->stack[--n->count];
        for (uint32_t k = 0; k < inst->nsrc; k++)
            if (carries(inst, k))
                push(n, inst->src[k]);
    }
}

static bool raise_coordinates(struct need *n) {
    bool changed = false;
    if (n->shader->stage != QPUCC_FRAGMENT || n->options->policy != QPUCC_POLICY_DEFAULT)
        return false; /* refined there in any case, or only as declared */
    find_coordinates(n);
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
        find_needed(&n);
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
                (ir_ops[inst->op].even || is_function(inst))) {
                inst->precision = fragment ? IR_MEDIUMP : IR_LOWP;
                changed = true;
            }
        }
    }
    return changed;
}
