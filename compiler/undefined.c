/* Warnings about arithmetic that GLSL leaves undefined, where the kept IR shows it, and what the code
 * computes then (docs/numerics.md). */
#include "compiler/undefined.h"

#include "compiler/program.h"
#include "passes/algebraic.h"

#include <math.h>
#include <string.h>

static bool is_negative(const struct ir_inst *x) {
    return float_range(ir_value((struct ir_inst *)x)).hi < 0;
}

/* What is undefined, and what the code does then (pass `defined`). */
struct finding {
    const char *what, *result;
};

static struct finding power_of_negative(const struct ir_inst *y) {
    bool whole = ir_is_const(y) && ir_float(y) == floorf(ir_float(y));
    return (struct finding){"pow of a negative number",
                            whole ? "the result is a product's" : "the base counts as 0"};
}

static struct finding find_undefined(const struct ir_inst *inst) {
    const struct ir_inst *x = inst->nsrc ? alg_source(inst, 0) : NULL,
                         *y = inst->nsrc > 1 ? alg_source(inst, 1) : NULL;
    const struct finding none = {NULL, NULL};
    switch (inst->op) {
    case IR_FPOW: return is_negative(x) ? power_of_negative(y) : none;
    case IR_FSQRT:
        return is_negative(x) ? (struct finding){"sqrt of a negative number", "the result is 0"} : none;
    case IR_FRSQ:
        return is_negative(x) ? (struct finding){"inversesqrt of a negative number", "the result is 0"}
                              : none;
    case IR_FLOG2:
        return is_negative(x)
                   ? (struct finding){"the logarithm of a negative number", "the result is that of 0"}
                   : none;
    case IR_FMOD: return alg_zero(y) ? (struct finding){"mod by zero", "the result is 0"} : none;
    case IR_FDIV:
        return alg_zero(x) && alg_zero(y) ? (struct finding){"zero divided by zero", "the result is 0"}
                                          : none;
    default: return none;
    }
}

static bool is_nan(const struct ir_inst *x) {
    return ir_is_const(x) && x->type == IR_F32 && isnan(ir_float(x));
}

/* The front end's folding makes a NaN of 0.0 / 0.0 of literals. */
static bool nan_operand(const struct ir_inst *inst) {
    for (uint32_t k = 0; k < inst->nsrc; k++)
        if (is_nan(alg_source(inst, k)))
            return true;
    return false;
}

static void warn(struct qpucc_program *program, const struct ir_shader *shader, const struct ir_loc *loc,
                 struct finding f) {
    bool fast = program_policy(program->kept->flags) == QPUCC_POLICY_FAST;
    /* which says it once for all components, and for all unrolled iterations */
    program_diagnose(program, QPUCC_OK, QPUCC_WARNING, "undefined",
                     loc->file < shader->nfiles ? shader->files[loc->file] : NULL, loc->line, loc->column,
                     "%s is undefined; %s", f.what,
                     fast ? "the result is what the hardware gives" : f.result);
}

void warn_undefined(struct qpucc_program *program, const struct ir_shader *shader) {
    bool nans = false;
    ir_for_blocks(shader, first) {
        ir_for_insts(first, i) {
            nans |= is_nan(i);
        }
    }
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            struct finding f = find_undefined(inst);
            if (!f.what && nans && nan_operand(inst))
                f = (struct finding){"a constant that is not a number (0.0 / 0.0)", "it counts as 0"};
            if (f.what)
                warn(program, shader, &inst->loc, f);
        }
    }
}
