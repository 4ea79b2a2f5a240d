/* One table of strategies; a fresh run from the same IR for each, the fewest modelled cycles win.
 *
 * A strategy may only differ in what comes after the kept IR: how many hardware threads share the registers
 * today; packing, rematerialisation and refinement have their place here when they exist. */
#include "compiler/ladder.h"

#include <string.h>

struct strategy {
    const char *name;
    unsigned threads;
    int min_level;      /* of -O */
    bool fragment_only; /* "only fragment shaders may be threaded" (qpu-facts section 9) */
};

static const struct strategy strategies[] = {
    {"one thread", 1, 0, false},
    {"two threads", 2, 1, true},
};

static bool applies(const struct strategy *strategy, const struct ir_shader *shader, int opt_level) {
    return opt_level >= strategy->min_level && (shader->stage == IR_FRAGMENT || !strategy->fragment_only);
}

static void complain(struct qpucc_program *program, const struct ir_shader *shader,
                     const struct be_result *code) {
    static const struct {
        enum qpucc_status status;
        const char *code;
    } kinds[] = {[BE_OK] = {QPUCC_INTERNAL, "internal"},
                 [BE_UNSUPPORTED] = {QPUCC_SOURCE_ERROR, "unsupported"},
                 [BE_DOES_NOT_FIT] = {QPUCC_DOES_NOT_FIT, "registers"},
                 [BE_INTERNAL] = {QPUCC_INTERNAL, "internal"}};
    static const char *const stage[] = {"vertex", "fragment", "coordinate"};
    program_diagnose(program, kinds[code->status].status, QPUCC_ERROR, kinds[code->status].code,
                     code->where.file < shader->nfiles ? shader->files[code->where.file] : NULL,
                     code->where.line, code->where.column, "%s shader: %s", stage[shader->stage],
                     code->message);
}

bool ladder_run(struct qpucc_program *program, const struct ir_shader *shader, int opt_level,
                struct ladder_result *result) {
    struct be_result first_failure;
    bool failed = false;
    memset(result, 0, sizeof *result);
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        if (!applies(&strategies[i], shader, opt_level))
            continue;
        struct be_options options = {
            .opt_level = opt_level, .threads = strategies[i].threads, .linux_rules = true};
        struct ladder_result attempt = {.shader = ir_shader_clone(shader)};
        be_compile(attempt.shader, &options, &attempt.code);
        if (attempt.code.status != BE_OK) {
            if (!failed)
                first_failure = attempt.code; /* its message is an array of its own */
            failed = true;
            ladder_result_free(&attempt);
        } else if (!result->shader || attempt.code.cycles < result->code.cycles) {
            ladder_result_free(result);
            *result = attempt;
        } else
            ladder_result_free(&attempt);
    }
    if (result->shader)
        return true;
    if (failed)
        complain(program, shader, &first_failure);
    return false;
}

void ladder_result_free(struct ladder_result *result) {
    if (!result->shader)
        return;
    be_result_free(&result->code);
    ir_shader_destroy(result->shader);
    memset(result, 0, sizeof *result);
}
