/* The pressure levels, and the IR of a stage at each of them.
 *
 * Requires: the program's kept IR. Keeps: that; the result is a copy. */
#include "compiler/stage.h"
#include "compiler/link.h"
#include "passes/decisions.h"

static const struct pressure {
    bool lean;             /* no passes that lengthen live ranges to save operations */
    uint32_t unroll_limit; /* larger loops stay loops: one iteration's values at a time */
    bool unroll;           /* not even large loops stay: arrays that they index dissolve */
    bool late;             /* varyings are read after loops */
} pressures[PRESSURE_LEVELS] = {
    [LEVEL_FIRST] = {false, PASSES_UNLIMITED, false, false},
    [LEVEL_LEAN] = {true, 200, false, false},
    [LEVEL_LATE] = {true, PASSES_UNLIMITED, true, true},
};

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

enum { UNROLL_MORE = 5 }; /* times what else may be unrolled */

static struct pass_options options_at(const struct compile *c, enum qpucc_stage stage, unsigned level) {
    const struct pressure *pressure = &pressures[level];
    struct pass_options options = compile_pass_options(c);
    options.lean = pressure->lean;
    options.unroll_limit = least(options.unroll_limit, pressure->unroll_limit);
    options.unroll_hinted = least(options.unroll_hinted, pressure->unroll_limit);
    if (pressure->unroll) {                                     /* asked for or not: nothing else fits */
        uint32_t usual = passes_default_options().unroll_usual; /* at least: the caller may want few copies */
        options.unroll_limit = UNROLL_MORE * (options.unroll_usual > usual ? options.unroll_usual : usual);
        options.unroll_total *= UNROLL_MORE;
        options.unroll_all = true;
    }
    options.state = c->state;
    if (stage == QPUCC_VERTEX) {
        options.rough_varyings = c->rough_varyings;
        options.varying_words = c->varying_words;
        options.varying_count = c->varying_count;
    }
    return options;
}

int stage_opt_level(const struct compile *c) {
    return c->flat && c->options.opt_level == 0 ? 1 : c->options.opt_level;
}

bool stage_asks_plan(const struct qpucc_state *state) {
    return state->flat_shade || state->two_sided ||
           (state->primitive == QPUCC_POINTS && state->coord_replace);
}

bool stage_starts_linked(const struct compile *c, unsigned level) {
    return level == LEVEL_FIRST && !c->flat && !(c->plan && link_plan_concerns(c->plan, &c->state));
}

/* The generic passes again, for a level that makes something else of the stage. False with *refused unset:
 * diagnosed; set: the linker's plan does not apply to this form. */
static bool make_generic(struct compile *c, struct ir_shader *shader, struct pass_options options,
                         bool *refused) {
    if (!compile_passes(c, shader, options, PASSES_GENERIC) || !compile_plan(c))
        return false;
    const struct link_plan *plan = c->plan;
    if (plan && shader->stage == QPUCC_FRAGMENT && link_plan_fragment(plan, shader, &c->state))
        return compile_passes(c, shader, options, PASSES_TIDY);
    *refused = plan && shader->stage == QPUCC_VERTEX && !link_plan_vertex(plan, shader, &c->state);
    return !*refused;
}

/* Vertex and coordinate shader out of one, after the last pass that could change a value. */
static bool cut(struct compile *c, struct pass_options options, struct stage_ir *out) {
    out->part[1] = ir_shader_clone(out->part[0]);
    if (!out->part[1])
        return compile_stopped(c, out->part[0]);
    out->parts = 2;
    if (c->decisions) /* what was decided so far holds for both */
        decisions_copy(&c->decisions[QPUCC_COORDINATE], &c->decisions[QPUCC_VERTEX]);
    return compile_passes(c, out->part[0], options, PASSES_CUT_VERTEX) &&
           compile_passes(c, out->part[1], options, PASSES_CUT_COORDINATE);
}

bool stage_lower(struct compile *c, enum qpucc_stage stage, unsigned level, struct stage_ir *out) {
    struct pass_options options = options_at(c, stage, level);
    const struct kept_ir *kept = c->ir;
    *out = (struct stage_ir){0};
    if (pressures[level].unroll && !kept->loops[stage])
        return true;
    bool from_linked = stage_starts_linked(c, level);
    struct ir_shader *shader =
        ir_unpack(from_linked ? kept->linked[stage] : kept->read[stage], c->program->arena);
    bool refused = false;
    *out = (struct stage_ir){{shader}, 1};
    if (!shader) {
        out->parts = 0;
        return compile_stopped(c, NULL);
    }
    bool ok = (from_linked || make_generic(c, shader, options, &refused)) &&
              compile_passes(c, shader, options, PASSES_STAGE) &&
              (!pressures[level].late || stage != QPUCC_FRAGMENT ||
               compile_passes(c, shader, options, PASSES_SINK_VARYINGS));
    /* a shader that is optimised less may keep more inputs than there is room for */
    refused |= ok && (level || c->flat) && shader->refused;
    if (ok && !level && !c->flat && shader->refused) { /* it fitted before the state key asked for more */
        program_diagnose(c->program, QPUCC_DOES_NOT_FIT, QPUCC_ERROR, "state", NULL, 0, 0, "%s",
                         shader->refused);
        ok = false;
    }
    if (ok && !refused && stage == QPUCC_VERTEX)
        ok = cut(c, options, out);
    if (!ok || refused)
        stage_ir_free(out);
    return ok || refused;
}

void stage_ir_free(struct stage_ir *ir) {
    for (unsigned k = 0; k < ir->parts; k++)
        ir_shader_destroy(ir->part[k]);
    *ir = (struct stage_ir){0};
}
