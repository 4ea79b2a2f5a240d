/* What discard and highp cost in a fragment shader, measured: the same IR without them is compiled for the
 * same state, and the two codes are compared.
 *
 * Requires: a program that was built. Keeps: its code and its kept IR; all else is done in a program that is
 * thrown away. What that one takes is bounded by the limits of the compile, and by its cancel flag. */
#include "compiler/costs.h"
#include "passes/algebraic.h"

#include <stdio.h>
#include <string.h>

/* Changes the shader. Returns an instruction to point at, or NULL: there is nothing to be saved. */
typedef const struct ir_inst *change_function(struct ir_shader *shader);

struct saving {
    struct ir_loc loc;
    const char *file; /* of the program's arena, or NULL */
    int instructions, cycles;
};

/* --- without discard ------------------------------------------------------------------------------------ */

static const struct ir_inst *drop_discards(struct ir_shader *shader) {
    const struct ir_inst *first = NULL;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            if (inst->op != IR_DISCARD)
                continue;
            if (!first)
                first = inst;
            ir_remove(inst);
        }
    }
    return first;
}

/* The statement: what sets the variable by which the front end's IR discards at its end (frontend/spirv). */
static void find_statement(const struct compile *c, struct saving *saving) {
    struct ir_shader *read = ir_unpack(c->ir->read[QPUCC_FRAGMENT], c->program->arena);
    uint32_t variable = UINT32_MAX;
    if (!read)
        return;
    ir_for_blocks(read, last) {
        ir_for_insts(last, inst) {
            if (inst->op == IR_DISCARD && inst->src[0]->op == IR_VAR_LOAD)
                variable = inst->src[0]->imm;
        }
    }
    ir_for_blocks(read, block) {
        ir_for_insts(block, inst) {
            bool sets = inst->op == IR_VAR_STORE && inst->imm == variable && inst->loc.line;
            if (sets && ir_is_const(inst->src[0]) && inst->src[0]->imm) {
                saving->loc = inst->loc;
                ir_shader_destroy(read);
                return;
            }
        }
    }
    ir_shader_destroy(read);
}

/* --- highp that no 8-bit colour shows ------------------------------------------------------------------- */

/* Is a small error of that operand a small one of the result? Not where it could move an edge or a texel. An
 * angle's is no larger in its sine. */
static bool stays_small(const struct ir_shader *shader, const struct ir_inst *inst, uint32_t k) {
    switch (inst->op) {
    case IR_FSIN:
    case IR_FCOS:
    case IR_FATAN:
    case IR_FATAN2:
    case IR_FEXP2: return true;
    case IR_FPOW: return k == 1 || float_range(ir_value(inst->src[0])).lo >= 0;
    case IR_SELECT: return k > 0;
    case IR_OUTPUT: {
        const struct ir_symbol *symbol = ir_symbol_of_word(&shader->outputs, inst->imm);
        return symbol && strncmp(symbol->name, "gl_FragDepth", strlen("gl_FragDepth")) != 0;
    }
    default: return ir_ops[inst->op].even;
    }
}

static const struct ir_inst *lower_precision(struct ir_shader *shader) {
    const struct ir_inst *first = NULL;
    struct ir_inst **stack = ir_alloc(shader->arena, (shader->next_id + 1) * sizeof *stack);
    size_t count = 0;
    if (ir_arena_oom(shader->arena))
        return NULL;
    ir_for_blocks(shader, any) {
        ir_for_insts(any, inst) {
            inst->mark = false;
        }
    }
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            for (uint32_t k = 0; k < inst->nsrc; k++)
                if (!inst->src[k]->mark && !stays_small(shader, inst, k)) {
                    inst->src[k]->mark = true;
                    stack[count++] = inst->src[k];
                }
        }
    }
    while (count) { /* what is made of them has to be as good */
        const struct ir_inst *inst = stack[--count];
        for (uint32_t k = 0; k < inst->nsrc; k++)
            if (!inst->src[k]->mark) {
                inst->src[k]->mark = true;
                stack[count++] = inst->src[k];
            }
    }
    ir_for_blocks(shader, b) {
        ir_for_insts(b, inst) {
            bool needed = inst->mark;
            inst->mark = false;
            if (needed || inst->type != IR_F32 || inst->precision != IR_HIGHP || inst->exact)
                continue;
            inst->precision = IR_MEDIUMP;
            if (!first && inst->nsrc && !ir_ops[inst->op].even && inst->loc.line)
                first = inst;
        }
    }
    return first;
}

/* --- the comparison ------------------------------------------------------------------------------------- */

/* The changed fragment shader as the kept IR of another program: all levels of pressure begin with it. */
static bool begin_with(struct compile *t, const struct compile *c, change_function *change,
                       struct saving *saving) {
    struct ir_shader *shader = ir_unpack(c->ir->linked[QPUCC_FRAGMENT], t->home);
    const struct ir_inst *at = shader ? change(shader) : NULL;
    if (at) {
        const char *file = at->loc.file < shader->nfiles ? shader->files[at->loc.file] : NULL;
        saving->loc = at->loc;
        saving->file = file ? ir_strdup(c->program->arena, file) : NULL;
        if (compile_passes(t, shader, compile_pass_options(t), PASSES_GENERIC) &&
            (t->ir->linked[QPUCC_FRAGMENT] = ir_pack(shader, t->ir->from)))
            t->ir->read[QPUCC_FRAGMENT] = ir_packed_share(t->ir->linked[QPUCC_FRAGMENT]);
    }
    ir_shader_destroy(shader);
    t->ir->loops[QPUCC_FRAGMENT] = c->ir->loops[QPUCC_FRAGMENT];
    t->ir->branches[QPUCC_FRAGMENT] = c->ir->branches[QPUCC_FRAGMENT];
    return t->ir->read[QPUCC_FRAGMENT];
}

/* What the code would be shorter by. False: nothing of the kind is there, or it could not be compiled. */
static bool measure(const struct compile *c, change_function *change, struct saving *saving) {
    const struct qpucc_allocator *from = c->program->kept->from;
    struct compile t = {.options = c->options, .state = c->state};
    *saving = (struct saving){0};
    t.options.on_ir = NULL;
    t.options.on_pass_time = NULL;
    t.options.flags &= ~(uint32_t)(QPUCC_GENERATE_IR | QPUCC_GENERATE_NAMES | QPUCC_GENERATE_LINES);
    t.program = program_create(NULL, from);
    t.ir = t.program ? kept_ir_create(from) : NULL;
    if (!t.ir) {
        qpucc_program_free(t.program);
        return false;
    }
    atomic_store(&t.program->kept->ir, t.ir);
    t.home = t.program->kept->arena;
    program_set_state(t.program, &t.state);
    t.program->uniform_words = c->program->uniform_words;
    for (int k = 0; k < 2; k++) {
        struct ir_arena *arena = k ? t.home : t.program->arena;
        program_set_limits(arena, t.options.limit, t.options.opt_level);
        ir_cancel_by(arena, t.options.cancel);
    }
    bool ok = begin_with(&t, c, change, saving) && compile_complete(&t, true) && compile_build(&t);
    if (ok) {
        const struct qpucc_stage_stats *with = &c->program->stages[QPUCC_FRAGMENT].stats,
                                       *without = &t.program->stages[QPUCC_FRAGMENT].stats;
        saving->instructions = (int)with->instructions - (int)without->instructions;
        saving->cycles = (int)with->cycles - (int)without->cycles;
    }
    compile_close(&t);
    qpucc_program_free(compile_finish(&t, ok));
    return ok;
}

/* --- what is said --------------------------------------------------------------------------------------- */

static bool is_on(const struct qpucc_options *options, enum qpucc_warning warning) {
    return (options->warnings & ~options->no_warnings) >> warning & 1;
}

bool costs_are_asked(const struct qpucc_options *options) {
    return is_on(options, QPUCC_WARN_discard_cost) || is_on(options, QPUCC_WARN_highp_cost);
}

static void say(struct compile *c, enum qpucc_warning warning, enum qpucc_severity severity,
                const struct saving *saving, const char *text) {
    program_diagnose(c->program, QPUCC_OK, severity, qpucc_warning_name(warning), saving->file,
                     saving->loc.line, saving->loc.column, "%s", text);
}

static void warn_discard(struct compile *c, unsigned instructions) {
    struct saving saving;
    char text[300];
    if (measure(c, drop_discards, &saving)) {
        find_statement(c, &saving);
        int n = snprintf(text, sizeof text, "discard costs %d of %u instructions and %d of %u cycles",
                         saving.instructions, instructions, saving.cycles,
                         c->program->stages[QPUCC_FRAGMENT].stats.cycles);
        if (c->program->layout.flags & QPUCC_WRITES_Z) /* QPUCC_EARLY_Z_SAFE is not set */
            snprintf(
                text + n, sizeof text - (size_t)n,
                "; later draws behind this one are shaded in full, because early Z does not learn of it");
        say(c, QPUCC_WARN_discard_cost, QPUCC_NOTE, &saving, text);
    }
}

static void warn_highp(struct compile *c, unsigned instructions) {
    struct saving saving;
    char text[300];
    if (measure(c, lower_precision, &saving) && saving.instructions > 0 && saving.cycles > 0) {
        snprintf(
            text, sizeof text,
            "highp costs %d of %u instructions and %d of %u cycles in values that end in an 8-bit colour "
            "only: mediump would do",
            saving.instructions, instructions, saving.cycles,
            c->program->stages[QPUCC_FRAGMENT].stats.cycles);
        say(c, QPUCC_WARN_highp_cost, QPUCC_WARNING, &saving, text);
    }
}

void warn_costs(struct compile *c) {
    unsigned instructions = c->program->stages[QPUCC_FRAGMENT].stats.instructions;
    if (!c->program->stages[QPUCC_FRAGMENT].code || !c->ir->linked[QPUCC_FRAGMENT])
        return;
    if (is_on(&c->options, QPUCC_WARN_discard_cost))
        warn_discard(c, instructions);
    if (is_on(&c->options, QPUCC_WARN_highp_cost) && c->options.opt_level > 0 &&
        program_policy(c->options.flags) != QPUCC_POLICY_PRECISE)
        warn_highp(c, instructions);
}
