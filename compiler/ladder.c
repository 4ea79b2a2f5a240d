/* One form of a stage's code or the other: how many hardware threads share the registers. Each is a fresh run
 * from the same IR; the fewest modelled cycles win. */
#include "compiler/ladder.h"

#include <string.h>

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

/* Registers of a file that values between blocks may take, while a block finds too few besides. The fewer
 * there are the more of these values share one, at the price of copies at the ends of blocks. */
static const unsigned cross_regs[] = {0, 29, 26};

static void build(const struct ir_shader *shader, unsigned threads, struct be_options options,
                  struct ladder_result *result) {
    size_t tries =
        options.tight && threads == 1 && shader->nblocks > 1 ? sizeof cross_regs / sizeof *cross_regs : 1;
    options.threads = threads;
    options.linux_rules = true;
    for (size_t k = 0; k < tries; k++) {
        struct ladder_result attempt = {.shader = ir_shader_clone(shader)};
        options.cross_regs = cross_regs[k];
        be_compile(attempt.shader, &options, &attempt.code);
        bool more = attempt.code.status == BE_DOES_NOT_FIT && !attempt.code.crossing;
        if (k && attempt.code.status != BE_OK) {
            ladder_result_free(&attempt); /* the first has said what there is to say */
        } else {
            ladder_result_free(result);
            *result = attempt;
        }
        if (!more)
            return;
    }
}

static bool is_good(const struct ladder_result *result) {
    return result->shader && result->code.status == BE_OK;
}

/* Two threads serve fragment shaders only (docs/hardware.md, Threads). A schedule is searched for where it may be
 * the winner: with two threads first, which most textured shaders are faster with; with one, too, when a
 * first try at it comes near. */
bool ladder_run(struct qpucc_program *program, const struct ir_shader *shader, int opt_level, bool tight,
                struct ladder_result *result) {
    struct ladder_result one = {0}, two = {0};
    bool both = opt_level > 0 && be_worth_threads(shader);
    struct be_options options = {.opt_level = opt_level, .tight = tight, .search = !both};
    build(shader, 1, options, &one);
    if (both) {
        options.search = true;
        build(shader, 2, options, &two);
        bool near = is_good(&one) && (!is_good(&two) || one.code.weight * 8 < two.code.weight * 9);
        if (near) {
            ladder_result_free(&one);
            build(shader, 1, options, &one);
        }
    }
    bool ok = is_good(&one) || is_good(&two);
    if (!ok)
        complain(program, shader, &one.code);
    bool second = is_good(&two) && !(is_good(&one) && one.code.weight <= two.code.weight);
    *result = second ? two : one;
    ladder_result_free(second ? &one : &two);
    if (!ok)
        ladder_result_free(result);
    return ok;
}

void ladder_result_free(struct ladder_result *result) {
    if (!result->shader)
        return;
    be_result_free(&result->code);
    ir_shader_destroy(result->shader);
    memset(result, 0, sizeof *result);
}
