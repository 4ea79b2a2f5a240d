/* Warnings about arithmetic that GLSL leaves undefined, where the kept IR shows it. The code computes what
 * the hardware does then (docs/numerics.md), which is not what other GPUs give. */
#include "compiler/undefined.h"

#include "compiler/program.h"
#include "passes/algebraic.h"

#include <math.h>
#include <string.h>

static bool is_negative(const struct ir_inst *x) {
    return float_range(ir_value((struct ir_inst *)x)).hi < 0;
}

static const char *what_is_undefined(const struct ir_inst *inst) {
    const struct ir_inst *x = inst->nsrc ? alg_source(inst, 0) : NULL,
                         *y = inst->nsrc > 1 ? alg_source(inst, 1) : NULL;
    switch (inst->op) {
    case IR_FPOW: return is_negative(x) ? "pow of a negative number" : NULL;
    case IR_FSQRT: return is_negative(x) ? "sqrt of a negative number" : NULL;
    case IR_FRSQ: return is_negative(x) ? "inversesqrt of a negative number" : NULL;
    case IR_FLOG2: return is_negative(x) ? "the logarithm of a negative number" : NULL;
    case IR_FMOD: return alg_zero(y) ? "mod by zero" : NULL;
    case IR_FDIV: return alg_zero(x) && alg_zero(y) ? "zero divided by zero" : NULL;
    default: return NULL;
    }
}

static bool is_nan(const struct ir_inst *x) {
    return ir_is_const(x) && x->type == IR_F32 && isnan(ir_float(x));
}

/* The front end's folding makes a NaN of 0.0 / 0.0 of literals. */
static const struct ir_inst *nan_operand(const struct ir_inst *inst) {
    for (uint32_t k = 0; k < inst->nsrc; k++) {
        const struct ir_inst *x = alg_source(inst, k);
        if (is_nan(x))
            return x;
    }
    return NULL;
}

static void warn(struct qpucc_program *program, const struct ir_shader *shader, const struct ir_loc *loc,
                 const char *what) {
    char text[120];
    snprintf(text, sizeof text, "%s is undefined; the result is what the hardware gives", what);
    /* which says it once for all components, and for all unrolled iterations */
    program_diagnose(program, QPUCC_OK, QPUCC_WARNING, "undefined",
                     loc->file < shader->nfiles ? shader->files[loc->file] : NULL, loc->line, loc->column,
                     "%s", text);
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
            const char *what = what_is_undefined(inst);
            const struct ir_inst *constant = what || !nans ? NULL : nan_operand(inst);
            if (what)
                warn(program, shader, &inst->loc, what);
            else if (constant)
                warn(program, shader, &inst->loc, "a constant that is not a number (0.0 / 0.0)");
        }
    }
}
