/* Repeats the passes of a finished compile, for the one attempt whose code was kept, and shows the IR to a
 * function after each pass. So ordinary compiles need not record anything.
 *
 * Requires: the kept IR. Keeps it: works on copies, in the arenas of a temporary program. */
#include "compiler/replay.h"
#include "compiler/attempts.h"
#include "compiler/layout.h"
#include "compiler/link.h"
#include "passes/decisions.h"

/* The attempt whose code the program has; NULL: the stage has no code. */
static const struct trial *winner_of(const struct qpucc_program *program, enum qpucc_stage stage) {
    const struct program_stage *s = &program->stages[stage];
    return s->code && s->winner < s->trial_count ? &s->trials[s->winner] : NULL;
}

static void show(const struct compile *c, const struct ir_shader *shader, const char *pass) {
    if (c->trace)
        c->trace(c->trace_user, shader, pass);
}

/* Shows the way from the front end's IR to the kept IR, where the attempt started from the kept IR. */
static bool replay_generic(struct compile *c, enum qpucc_stage stage) {
    const struct kept_ir *kept = c->ir;
    static const struct qpucc_state default_state;
    struct pass_options options = compile_pass_options(c);
    struct ir_shader *shader = ir_unpack(kept->read[stage], c->home), *linked;
    if (!shader)
        return false;
    show(c, shader, "source");
    bool ok = compile_passes(c, shader, options, PASSES_GENERIC);
    if (ok && c->plan && stage == QPUCC_FRAGMENT && link_plan_fragment(c->plan, shader, &default_state))
        ok = compile_passes(c, shader, options, PASSES_TIDY);
    ir_shader_destroy(shader);
    linked = ok ? ir_unpack(kept->linked[stage], c->home) : NULL;
    ok = linked;
    if (ok)
        show(c, linked, "link");
    ir_shader_destroy(linked);
    return ok;
}

static bool replay_source(struct compile *c, enum qpucc_stage stage) {
    struct ir_shader *shader = ir_unpack(c->ir->read[stage], c->home);
    bool ok = shader;
    if (ok)
        show(c, shader, "source");
    ir_shader_destroy(shader);
    return ok;
}

static bool finish_decisions(struct compile *c, const struct ir_shader *part) {
    struct ir_shader *shader = c->decisions ? ir_shader_clone(part) : NULL;
    if (shader)
        decisions_finish(&c->decisions[part->stage], shader);
    ir_shader_destroy(shader);
    return !c->decisions || shader;
}

/* Shows the passes that made the attempt's form of a part. False, too, if the IR is then not the one that the
 * attempt was made on. */
static bool replay_form(struct compile *c, const struct ir_shader *part, const struct trial *trial) {
    struct ir_shader *shader = trial ? ir_shader_clone(part) : NULL;
    bool ok = shader != NULL && finish_decisions(c, part);
    struct decisions *decisions = c->decisions;
    c->decisions = NULL; /* they are finished: these passes only change the form of loops that stay */
    if (ok && trial->attempt.loops != LOOPS_PLAIN)
        ok = attempts_make_form(c, shader, (enum loop_form)trial->attempt.loops);
    c->decisions = decisions;
    ok = ok && ir_fingerprint(shader) == trial->ir;
    ir_shader_destroy(shader);
    return ok;
}

static bool replay_stage(struct compile *c, const struct qpucc_program *program, enum qpucc_stage stage,
                         struct stage_ir *ir) {
    unsigned level = winner_of(program, stage)->attempt.level;
    c->flat = winner_of(program, stage)->attempt.flat;
    bool ok = stage_starts_linked(c, level) ? replay_generic(c, stage) : replay_source(c, stage);
    ok = ok && stage_lower(c, stage, level, ir);
    for (unsigned k = 0; ok && k < ir->parts; k++)
        ok = replay_form(c, ir->part[k], winner_of(program, ir->part[k]->stage));
    c->flat = NOT_FLAT;
    return ok;
}

/* A compile with raised limits may have needed them. Lowered ones do not count: what is repeated begins with
 * the plan once more, and may take more. */
static void set_limits(struct ir_arena *arena, const struct program_kept *kept) {
    uint64_t limit[QPUCC_LIMIT_COUNT];
    for (unsigned k = 0; k < QPUCC_LIMIT_COUNT; k++) {
        uint64_t most = ir_limit_default((enum qpucc_limit)k);
        limit[k] = kept->account.limit[k] > most ? kept->account.limit[k] : most;
    }
    ir_limits_set(arena, limit);
}

bool replay_passes(const struct qpucc_program *program, replay_function *function, void *user,
                   struct decisions *decisions) {
    struct program_kept *kept = program->kept;
    struct compile c = {.options = qpucc_options_default(),
                        .state = program->state ? *program->state : (struct qpucc_state){0},
                        .ir = program_ir(program),
                        .trace_user = user};
    struct stage_ir fragment = {.parts = 0}, vertex = {.parts = 0};
    if (!c.ir || !kept->complete || !program->state)
        return false;
    c.options.opt_level = kept->opt_level;
    c.options.flags = kept->flags;
    c.options.unroll = kept->unroll;
    c.options.chip = kept->chip;
    c.program = program_create(kept, NULL);
    if (!c.program)
        return false;
    c.home = c.program->arena;
    set_limits(c.home, kept);
    bool ok = compile_plan(&c); /* before the trace is set: it runs passes on both stages */
    c.trace = function;
    c.decisions = decisions;
    if (ok && winner_of(program, QPUCC_FRAGMENT))
        ok = replay_stage(&c, program, QPUCC_FRAGMENT, &fragment);
    if (ok && winner_of(program, QPUCC_VERTEX)) {
        const struct ir_shader *linked = compile_linked(&c, QPUCC_VERTEX);
        c.varying_count = linked ? link_vertex_outputs(linked, fragment.part[0], c.varying_words) : 0;
        c.rough_varyings = fragment.part[0] ? fragment.part[0]->rough_varyings : 0;
        ok = replay_stage(&c, program, QPUCC_VERTEX, &vertex);
    }
    ok = ok && !ir_arena_oom(c.program->arena);
    stage_ir_free(&fragment);
    stage_ir_free(&vertex);
    compile_close(&c);
    qpucc_program_free(c.program);
    return ok;
}
