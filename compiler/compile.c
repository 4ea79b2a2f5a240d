/* qpucc_compile: the whole compile on one page.
 *
 * - read: sources to IR, every diagnostic at the user's own lines; one uniform storage, one numbering of
 *   units
 * - link: the generic passes, which do not depend on the GL state, and varyings by name. That IR is kept
 * - build: from the kept IR to code for one state (compiler/attempts.c). The fragment shader comes first,
 *   because the vertex shader follows its order of varyings
 *
 * Each is done once for a program; a variant for another state needs only the last, one for certain values of
 * uniforms the last two (compiler/variant.c). */
#include "compiler/compile.h"
#include "compiler/chip.h"
#include "compiler/costs.h"
#include "compiler/entry.h"
#include "compiler/front.h"
#include "compiler/layout.h"
#include "compiler/link.h"
#include "compiler/result.h"
#include "compiler/stage.h"
#include "compiler/state.h"
#include "compiler/undefined.h"
#include "compiler/usage.h"
#include "ir/heap.h"
#include "passes/decisions.h"

#include <string.h>

/* --- passes --------------------------------------------------------------------------------------------- */

static void after_pass(void *user, const char *pass, struct ir_shader *shader, bool changed, double seconds) {
    struct compile *c = user;
    const struct qpucc_options *o = &c->options;
    if (c->trace && changed)
        c->trace(c->trace_user, shader, pass);
    if (o->on_pass_time)
        o->on_pass_time(o->user, c->current, pass, seconds);
    if (o->on_ir && o->print_after && (!strcmp(o->print_after, "all") || !strcmp(o->print_after, pass))) {
        char *text = ir_print_text(shader);
        if (text)
            o->on_ir(o->user, c->current, pass, text);
        ir_heap_free(text);
    }
}

enum { UNROLL_LOOPS = 5 }; /* loops of the size asked for that a shader may have, as with the default */

struct pass_options compile_pass_options(const struct compile *c) {
    struct pass_options options = passes_default_options();
    options.level = stage_opt_level(c);
    options.verify = QPUCC_VERIFY;
    options.no_uniform_expressions = c->options.flags & QPUCC_NO_UNIFORM_EXPRESSIONS;
    options.watch = c->options.flags & QPUCC_WATCH_UNDEFINED;
    options.policy = program_policy(c->options.flags);
    if (c->flat || options.level == 0 || c->options.flags & QPUCC_NO_UNIFORM_BRANCHES)
        options.branch_least = PASSES_UNLIMITED;
    options.any_branch_flat = c->flat == FLAT_ALL;
    if (c->options.unroll) {
        options.unroll_limit = options.unroll_usual = c->options.unroll;
        if (options.unroll_total < UNROLL_LOOPS * c->options.unroll)
            options.unroll_total = UNROLL_LOOPS * c->options.unroll;
    }
    if (c->options.flags & QPUCC_NO_UNROLL)
        options.unroll_limit = 0;
    options.rows_fall = chip_relies_on(&c->options.chip, QPUCC_ASSUME_vpm_rows_fall);
    return options;
}

bool compile_passes(struct compile *c, struct ir_shader *shader, struct pass_options options,
                    enum passes_list list) {
    char error[300];
    if (c->trace || c->options.on_pass_time || (c->options.on_ir && c->options.print_after)) {
        options.after = after_pass;
        options.user = c;
    }
    c->current = shader->stage;
    if (c->decisions) /* the coordinate shader is called so from its cut on */
        options.decisions = &c->decisions[list == PASSES_CUT_COORDINATE ? QPUCC_COORDINATE : shader->stage];
    if (passes_run(shader, list, &options, error, sizeof error))
        return true;
    if (ir_arena_oom(shader->arena))
        return compile_stopped(c, shader);
    program_diagnose(c->program, QPUCC_INTERNAL, QPUCC_ERROR, "internal",
                     shader->nfiles ? shader->files[0] : NULL, 0, 0, "%s", error);
    return false;
}

/* --- read and link -------------------------------------------------------------------------------------- */

bool compile_keep(struct compile *c, bool ok, struct ir_shader *shader[2]) {
    struct ir_packed **packed = c->ir->read;
    for (int i = 0; i < 2; i++) {
        if (ok && shader[i] && !ir_arena_oom(shader[i]->arena))
            packed[i] = ir_pack(shader[i], c->ir->from);
        if (ok && shader[i] && !packed[i])
            ok = compile_stopped(c, shader[i]);
        ir_shader_destroy(shader[i]);
    }
    return ok;
}

bool compile_link_storage(struct compile *c, struct ir_shader *read[2]) {
    if (c->options.flags & QPUCC_LINK_BY_LOCATION &&
        !link_locations(c->program, read[QPUCC_VERTEX], read[QPUCC_FRAGMENT]))
        return false;
    if (read[QPUCC_VERTEX])
        link_attributes(read[QPUCC_VERTEX]);
    return link_uniforms(c->program, read[QPUCC_VERTEX], read[QPUCC_FRAGMENT]);
}

bool compile_read(struct compile *c, const struct front_glsl *glsl, const struct front_source *sources,
                  size_t count) {
    struct ir_shader *read[2] = {NULL};
    bool ok = front_read(c->program, glsl, sources, count, NULL, read) && compile_link_storage(c, read);
    return compile_keep(c, ok, read);
}

static bool read_fixed(struct compile *c, const struct qpucc_fixed *fixed) {
    struct ir_shader *read[2] = {NULL};
    bool ok = front_read_fixed(c->program, fixed, &c->state, read) && compile_link_storage(c, read);
    return compile_keep(c, ok, read);
}

static bool make_generic(struct compile *c, enum qpucc_stage stage) {
    if (!c->ir->read[stage])
        return true;
    c->linked[stage] = ir_unpack(c->ir->read[stage], c->home);
    if (!c->linked[stage])
        return compile_stopped(c, NULL);
    return compile_passes(c, c->linked[stage], compile_pass_options(c), PASSES_GENERIC);
}

static bool share_varyings(struct compile *c, struct ir_shader *vertex, struct ir_shader *fragment) {
    static const struct qpucc_state plain; /* a key that gives varyings another meaning starts elsewhere */
    if (!vertex || !fragment || c->options.opt_level == 0)
        return true;
    c->plan = link_plan_varyings(vertex, fragment, !(c->options.flags & QPUCC_NO_UNIFORM_EXPRESSIONS));
    if (!c->plan || !link_plan_vertex(c->plan, vertex, &plain))
        return compile_stopped(c, vertex);
    return !link_plan_fragment(c->plan, fragment, &plain) ||
           compile_passes(c, fragment, compile_pass_options(c), PASSES_TIDY);
}

/* `again`: the program has been linked before, and has its warnings and its reflection. */
static bool link_stages(struct compile *c, bool again) {
    if (!make_generic(c, QPUCC_VERTEX) || !make_generic(c, QPUCC_FRAGMENT))
        return false;
    struct ir_shader *vertex = c->linked[QPUCC_VERTEX], *fragment = c->linked[QPUCC_FRAGMENT];
    if (!link_interfaces(c->program, vertex, fragment))
        return false;
    if (vertex && !again)
        warn_undefined(c->program, vertex);
    if (fragment && !again)
        warn_undefined(c->program, fragment);
    if (!again)
        link_reflect(c->program, vertex, fragment);
    return share_varyings(c, vertex, fragment) && link_capacity(c->program, vertex, fragment);
}

static bool has_loops(const struct ir_shader *shader) {
    ir_for_blocks(shader, b) {
        for (int k = 0; k < 2; k++)
            if (b->succ[k] && b->succ[k]->id <= b->id)
                return true;
    }
    return false;
}

bool compile_link(struct compile *c, bool again) {
    struct kept_ir *kept = c->ir;
    if (!link_stages(c, again))
        return false;
    kept->planned = c->plan != NULL;
    for (int i = 0; i < 2; i++) {
        if (!c->linked[i])
            continue;
        kept->loops[i] = has_loops(c->linked[i]);
        kept->branches[i] = c->linked[i]->kept_branches;
        kept->linked[i] = ir_pack(c->linked[i], kept->from);
        if (!kept->linked[i])
            return compile_stopped(c, c->linked[i]);
    }
    return true;
}

struct ir_shader *compile_linked(struct compile *c, enum qpucc_stage stage) {
    if (!c->linked[stage] && c->ir->linked[stage]) {
        c->linked[stage] = ir_unpack(c->ir->linked[stage], c->home);
        if (!c->linked[stage])
            compile_stopped(c, NULL);
    }
    return c->linked[stage];
}

void compile_close(struct compile *c) {
    for (int i = 0; i < 2; i++) {
        ir_shader_destroy(c->linked[i]);
        c->linked[i] = NULL;
    }
    c->plan = NULL;
}

/* A variant that makes it again has taken no more work than a compile, which made it once. */
bool compile_plan(struct compile *c) {
    if (c->plan || !c->ir->planned)
        return true;
    struct qpucc_usage before = ir_usage(c->home);
    compile_close(c);
    ir_account_rewind(c->home, 0, 0);
    bool ok = link_stages(c, true);
    ir_account_rewind(c->home, before.work, before.search);
    return ok;
}

/* --- build ---------------------------------------------------------------------------------------------- */

/* The code for a source stage, into the program. `ir` is what it was made from, where it got that far. */
static bool build_stage(struct compile *c, enum qpucc_stage stage, struct stage_ir *ir) {
    struct part_result results[2] = {0};
    bool ok = attempts_run(c, stage, ir, results);
    for (unsigned k = 0; k < 2; k++) {
        if (k < ir->parts)
            ok &= result_keep(c, ir->part[k]->stage, &results[k]);
        part_result_free(&results[k]);
    }
    return ok;
}

static bool build_vertex(struct compile *c, const struct ir_shader *fragment) {
    struct qpucc_program *program = c->program;
    const struct ir_shader *vertex = compile_linked(c, QPUCC_VERTEX);
    struct stage_ir ir;
    if (!vertex)
        return false;
    c->varying_count = link_vertex_outputs(vertex, fragment, c->varying_words);
    c->rough_varyings = fragment ? fragment->rough_varyings : 0;
    if (!fragment)
        layout_vertex_alone(program, vertex, c->varying_words, c->varying_count);
    bool ok = build_stage(c, QPUCC_VERTEX, &ir);
    if (ir.parts && !layout_attributes(program, ir.part[0], ir.part[1])) {
        program_diagnose(program, QPUCC_INTERNAL, QPUCC_ERROR, "internal", NULL, 0, 0,
                         "vertex and coordinate shader disagree on the attributes");
        ok = false;
    }
    stage_ir_free(&ir);
    return ok;
}

bool compile_build(struct compile *c) {
    struct qpucc_program *program = c->program;
    struct stage_ir fragment = {0};
    bool ok = true;
    if (!state_check(program, &c->state) || (stage_asks_plan(&c->state) && !compile_plan(c)))
        return false;
    if (c->ir->linked[QPUCC_FRAGMENT]) {
        ok = build_stage(c, QPUCC_FRAGMENT, &fragment);
        if (fragment.parts)
            layout_fragment(program, fragment.part[0], &c->state);
    }
    /* the order of varyings is known once lower_stage has seen the fragment shader, whether it found
     * registers or not: both messages, if neither fits */
    if (c->ir->linked[QPUCC_VERTEX] && (ok || (fragment.parts && fragment.part[0]->lowered)))
        ok &= build_vertex(c, fragment.part[0]);
    stage_ir_free(&fragment);
    if (ok) {
        layout_finish(program);
        result_mark_used(program);
        fill_prepare(program);
    }
    return ok;
}

/* --- entry points --------------------------------------------------------------------------------------- */

qpucc_program *compile_finish(struct compile *c, bool ok) {
    struct qpucc_program *program = c->program;
    if (ir_arena_oom(program->arena) && program->status == QPUCC_OK)
        ok = compile_stopped(c, NULL);
    program->usage = ir_usage(program->arena);
    compile_close(c);
    if (!ok && program->status == QPUCC_OK)
        program_diagnose(program, QPUCC_INTERNAL, QPUCC_ERROR, "internal", NULL, 0, 0,
                         "failed without a reason");
    if (program->status != QPUCC_OK)
        program_drop_code(program);
    return program_close(program);
}

bool compile_complete(struct compile *c, bool ok) {
    struct program_kept *kept = c->program->kept;
    kept->opt_level = c->options.opt_level;
    kept->flags = c->options.flags;
    kept->unroll = c->options.unroll;
    kept->chip = c->options.chip;
    program_keep_diagnostics(c->program);
    ir_arena_trim(kept->arena);
    kept->account = ir_account(kept->arena);
    ir_account_continue(c->program->arena, kept->arena);
    if (ok && ir_arena_oom(kept->arena))
        ok = compile_stopped(c, NULL);
    return kept->complete = ok;
}

qpucc_program *compile_on(struct compile *c, bool ok) {
    if (c->options.flags & QPUCC_PREPROCESS_ONLY) {
        compile_complete(c, false);
        return compile_finish(c, ok);
    }
    ok = compile_complete(c, ok && compile_link(c, false)) && compile_build(c);
    if (ok)
        warn_costs(c);
    return compile_finish(c, ok);
}

bool compile_begin(struct compile *c, const struct qpucc_state *state, const struct qpucc_options *options,
                   const struct qpucc_allocator *otherwise) {
    *c = (struct compile){0};
    usage_copy_options(options, &c->options);
    const struct qpucc_allocator *from = c->options.allocator ? c->options.allocator : otherwise;
    c->program = program_create(NULL, from);
    c->ir = c->program ? kept_ir_create(from) : NULL;
    if (!c->ir) {
        qpucc_program_free(c->program);
        return false;
    }
    atomic_store(&c->program->kept->ir, c->ir);
    c->home = c->program->kept->arena;
    if (state)
        c->state = *state;
    program_set_state(c->program, &c->state);
    program_set_limits(c->program->arena, c->options.limit, c->options.opt_level);
    program_set_limits(c->program->kept->arena, c->options.limit, c->options.opt_level);
    ir_cancel_by(c->program->arena, c->options.cancel);
    ir_cancel_by(c->program->kept->arena, c->options.cancel);
    return true;
}

bool compile_check_options(struct compile *c, const struct qpucc_options *options) {
    if (!usage_check_options(c->program, options) || !program_check_chip(c->program, &c->options.chip))
        return false;
    program_warn_of_chip(c->program, &c->options.chip);
    return true;
}

qpucc_program *qpucc_private_compile(const struct front_glsl *glsl, const struct qpucc_source *sources,
                                     size_t count, const struct qpucc_state *state,
                                     const struct qpucc_options *options) {
    struct compile c;
    struct front_source from[2];
    if (!compile_begin(&c, state, options, NULL))
        return NULL;
    bool ok = compile_check_options(&c, options) && usage_check_sources(c.program, sources, count);
    for (size_t i = 0; ok && i < count; i++)
        from[i] = (struct front_source){sources[i], &c.options};
    return compile_on(&c, ok && compile_read(&c, glsl, from, count));
}

qpucc_program *qpucc_compile_fixed(const struct qpucc_fixed *fixed, const struct qpucc_state *state,
                                   const struct qpucc_options *options) {
    struct compile c;
    if (!compile_begin(&c, state, options, NULL))
        return NULL;
    return compile_on(&c, compile_check_options(&c, options) && read_fixed(&c, fixed));
}
