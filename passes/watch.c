/* watch: makes a shader tell where it computes what GLSL leaves undefined, for `qpucc run --undefined`.
 *
 * requires: IR as it was read, before SSA construction.
 * keeps:    the CFG; every value of the shader.
 * breaks:   nothing; adds variables and code.
 *
 * Before each operation a bit of a variable is set if its operands are outside the function's domain;
 * control flow decides whether that happens, as for any other store. All components on a line share a bit
 * for each kind. At the end each bit goes to the special function unit within a NaN pattern
 * (qpucc/watch.h), which nothing else makes: whoever traces the machine reads it there, lane by lane. The
 * results flow into an output without changing it, so that nothing is removed. */
#include "passes/lower_math.h"
#include "passes/passes.h"

#include <qpucc/watch.h>

enum { SITES = 128, BITS = 32 };

struct watch {
    struct ir_shader *shader;
    uint32_t variable;
    uint32_t site[SITES], count; /* patterns without the bit */
};

static uint32_t watch_pattern(enum qpucc_watch_kind kind, uint32_t line) {
    return QPUCC_WATCH_TAG | (uint32_t)kind << 18 | (line & 0x1ffff) << 1;
}

/* Which site it is; the last one is for all that find no room. */
static uint32_t site_of(struct watch *w, enum qpucc_watch_kind kind, uint32_t line) {
    uint32_t pattern = watch_pattern(kind, line), at = 0;
    while (at < w->count && w->site[at] != pattern)
        at++;
    if (at == w->count && at < SITES)
        w->site[w->count++] = at == SITES - 1 ? watch_pattern(QPUCC_WATCH_MANY, 0) : pattern;
    return at < SITES ? at : SITES - 1;
}

static void note(struct watch *w, struct ir_builder *b, enum qpucc_watch_kind kind, val condition) {
    uint32_t at = site_of(w, kind, b->loc.line);
    val set = num(b, 1u << at % BITS), clear = num(b, 0);
    val old = ir_emit(b, IR_VAR_LOAD, IR_I32, 0, NULL, w->variable, at / BITS);
    val now = ir_op2(b, IR_IOR, old, pick(b, condition, set, clear));
    ir_emit(b, IR_VAR_STORE, IR_VOID, 1, &now, w->variable, at / BITS);
}

static val both(struct ir_builder *b, val x, val y) {
    return ir_op2(b, IR_BAND, x, y);
}

static void note_special(struct watch *w, struct ir_builder *b, val x) {
    val mask = num(b, 0x7f800000u), bits = ir_op1(b, IR_FBITS, x);
    note(w, b, QPUCC_WATCH_SPECIAL, ir_op2(b, IR_IEQ, ir_op2(b, IR_IAND, bits, mask), mask));
}

/* (x - a) / (b - a), as smoothstep has it. */
static bool is_place(val x, val y) {
    return x->op == IR_FSUB && y->op == IR_FSUB && ir_value(x->src[1]) == ir_value(y->src[1]);
}

static void watch(struct watch *w, struct ir_inst *inst) {
    struct ir_builder b = ir_builder_before(inst);
    val x = ir_value(inst->src[0]), y = inst->nsrc > 1 ? ir_value(inst->src[1]) : NULL;
    val zero = flt(&b, 0.0f), low = ir_op2(&b, IR_FLT, x, zero), none = ir_op2(&b, IR_FEQ, x, zero);
    val other = y ? ir_op2(&b, IR_FEQ, y, zero) : NULL;
    switch (inst->op) {
    case IR_FPOW:
        note(w, &b, QPUCC_WATCH_POW_NEGATIVE, low);
        note(w, &b, QPUCC_WATCH_POW_ZERO, both(&b, none, ir_op2(&b, IR_FGE, zero, y)));
        break;
    case IR_FSQRT: note(w, &b, QPUCC_WATCH_SQRT, low); break;
    case IR_FRSQ:
        note(w, &b, QPUCC_WATCH_INVERSESQRT, low);
        note(w, &b, QPUCC_WATCH_NORMALIZE, none);
        break;
    case IR_FLOG2: note(w, &b, QPUCC_WATCH_LOG, ir_op2(&b, IR_FGE, zero, x)); break;
    case IR_FMOD: note(w, &b, QPUCC_WATCH_MOD, other); break;
    case IR_FATAN2: note(w, &b, QPUCC_WATCH_ATAN, both(&b, none, other)); break;
    case IR_FRCP: note(w, &b, QPUCC_WATCH_DIVISION, none); break;
    case IR_FDIV:
        if (is_place(x, y)) {
            note(w, &b, QPUCC_WATCH_EDGES, other);
        } else {
            note(w, &b, QPUCC_WATCH_ZERO_BY_ZERO, both(&b, none, other));
            note(w, &b, QPUCC_WATCH_DIVISION, both(&b, ir_op1(&b, IR_BNOT, none), other));
        }
        break;
    default: break;
    }
}

/* Operations whose operands are looked at for infinities and NaN patterns. */
static bool consumes(const struct ir_inst *inst) {
    const struct ir_op_info *info = ir_op_info((enum ir_op)inst->op);
    return inst->op == IR_F2I || inst->op == IR_TEX || inst->op == IR_OUTPUT ||
           (info->cls == IR_CLASS_FUNCTION && info->sources[0] == 'f');
}

/* Before the last block's output of a float. */
static void tell(struct watch *w, struct ir_inst *output) {
    struct ir_builder b = ir_builder_before(output);
    val all = num(&b, 0), one = num(&b, 1), sign = num(&b, 0x80000000u);
    for (uint32_t k = 0; k < w->count; k++) {
        val word = ir_emit(&b, IR_VAR_LOAD, IR_I32, 0, NULL, w->variable, k / BITS);
        val bit = ir_op2(&b, IR_IAND, ir_op2(&b, IR_USHR, word, num(&b, k % BITS)), one);
        val pattern = ir_op2(&b, IR_IOR, bit, num(&b, w->site[k]));
        val result = ir_op1(&b, IR_SFU_EXP2, ir_op1(&b, IR_IBITS, pattern));
        all = ir_op2(&b, IR_IOR, all, ir_op1(&b, IR_FBITS, result));
    }
    all = ir_op2(&b, IR_IAND, all, sign); /* 0: the unit's NaN is positive */
    val bits = ir_op1(&b, IR_FBITS, ir_value(output->src[0]));
    output->src[0] = ir_op1(&b, IR_IBITS, ir_op2(&b, IR_IOR, bits, all));
}

static bool is_float(val x) {
    return x->type == IR_F32;
}

static struct ir_inst *last_output(const struct ir_shader *shader) {
    ir_for_blocks(shader, block) {
        for (struct ir_inst *inst = block->last; inst && block->last->op == IR_END; inst = inst->prev)
            if (inst->op == IR_OUTPUT && is_float(ir_value(inst->src[0])))
                return inst;
    }
    return NULL;
}

bool pass_watch(struct ir_shader *shader, const struct pass_options *options) {
    struct ir_inst *output = options->watch ? last_output(shader) : NULL;
    if (!output)
        return false;
    struct watch w = {.shader = shader};
    w.variable = ir_add_var(shader, "undefined", IR_I32, SITES / BITS);
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            struct ir_builder b = ir_builder_before(inst);
            if (!inst->loc.line || !inst->nsrc || inst->op == IR_PHI)
                continue;
            for (uint32_t k = 0; consumes(inst) && k < inst->nsrc; k++)
                if (is_float(ir_value(inst->src[k])))
                    note_special(&w, &b, ir_value(inst->src[k]));
            if (ir_op_info((enum ir_op)inst->op)->cls == IR_CLASS_FUNCTION &&
                is_float(ir_value(inst->src[0])))
                watch(&w, inst);
        }
    }
    struct ir_builder start = ir_builder_before(shader->blocks[0]->first);
    val none = num(&start, 0);
    for (uint32_t k = 0; k < SITES / BITS; k++)
        ir_emit(&start, IR_VAR_STORE, IR_VOID, 1, &none, w.variable, k);
    tell(&w, output);
    return true;
}
