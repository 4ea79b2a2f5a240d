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

static void build(const struct ir_shader *shader, const struct strategy *strategy, int opt_level, bool tight,
                  bool search, struct ladder_result *result) {
    struct be_options options = {.opt_level = opt_level,
                                 .threads = strategy->threads,
                                 .search = search,
                                 .tight = tight,
                                 .linux_rules = true};
    result->shader = ir_shader_clone(shader);
    be_compile(result->shader, &options, &result->code);
}

bool ladder_run(struct qpucc_program *program, const struct ir_shader *shader, int opt_level, bool tight,
                struct ladder_result *result) {
    enum { COUNT = sizeof strategies / sizeof *strategies };
    struct be_result first_failure;
    const struct strategy *chosen[COUNT], *best = NULL;
    bool failed = false;
    size_t n = 0;
    for (size_t i = 0; i < COUNT; i++)
        if (applies(&strategies[i], shader, opt_level))
            chosen[n++] = &strategies[i];
    memset(result, 0, sizeof *result);
    for (size_t i = 0; i < n; i++) {
        struct ladder_result attempt = {0};
        build(shader, chosen[i], opt_level, tight, n == 1, &attempt);
        if (attempt.code.status != BE_OK) {
            if (!failed)
                first_failure = attempt.code; /* its message is an array of its own */
            failed = true;
            ladder_result_free(&attempt);
        } else if (!best || attempt.code.weight < result->code.weight) {
            ladder_result_free(result);
            *result = attempt;
            best = chosen[i];
        } else
            ladder_result_free(&attempt);
    }
    if (best && n > 1 && opt_level > 1) { /* only the winner is worth a search */
        struct ladder_result searched = {0};
        build(shader, best, opt_level, tight, true, &searched);
        if (searched.code.status == BE_OK) {
            ladder_result_free(result);
            *result = searched;
        } else
            ladder_result_free(&searched);
    }
    if (!best && failed)
        complain(program, shader, &first_failure);
    return best != NULL;
}

void ladder_result_free(struct ladder_result *result) {
    if (!result->shader)
        return;
    be_result_free(&result->code);
    ir_shader_destroy(result->shader);
    memset(result, 0, sizeof *result);
}
