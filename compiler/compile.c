/* qpucc_compile: the whole compile on one page.
 *
 * - read: sources to IR, every diagnostic at the user's own lines; one uniform storage, one numbering of
 *   units
 * - link: the generic passes, which do not depend on the GL state, and varyings by name. That IR is kept
 * - build: from the kept IR to code for one state (compiler/attempts.c). The fragment shader comes first,
 *   because the vertex shader follows its order of varyings
 *
 * Each is done once for a program; another state needs only the last. */
#include "compiler/compile.h"
#include "compiler/front.h"
#include "compiler/link.h"
#include "compiler/result.h"
#include "compiler/state.h"
#include "compiler/undefined.h"

#include <stdlib.h>
#include <string.h>

/* --- passes --------------------------------------------------------------------------------------------- */

static void after_pass(void *user, const char *pass, struct ir_shader *shader, bool changed, double seconds) {
    struct compile *c = user;
    const struct qpucc_options *o = &c->options;
    (void)changed;
    if (o->on_pass_time)
        o->on_pass_time(o->user, c->current, pass, seconds);
    if (o->on_ir && o->print_after && (!strcmp(o->print_after, "all") || !strcmp(o->print_after, pass))) {
        char *text = ir_print_to_string(shader);
        if (text)
            o->on_ir(o->user, c->current, pass, text);
        free(text);
    }
}

struct pass_options compile_pass_options(const struct compile *c) {
    struct pass_options options = passes_default_options();
    options.level = c->options.opt_level;
    options.verify = QPUCC_VERIFY;
    options.no_uniform_expressions = c->options.flags & QPUCC_NO_UNIFORM_EXPRESSIONS;
    return options;
}

bool compile_passes(struct compile *c, struct ir_shader *shader, struct pass_options options,
                    const char *names) {
    char error[300];
    if (c->options.on_pass_time || (c->options.on_ir && c->options.print_after)) {
        options.after = after_pass;
        options.user = c;
    }
    c->current = shader->stage;
    if (passes_run_named(shader, names, &options, error, sizeof error))
        return true;
    if (ir_arena_oom(shader->arena))
        return compile_stopped(c, shader);
    program_diagnose(c->program, QPUCC_INTERNAL, QPUCC_ERROR, "internal",
                     shader->nfiles ? shader->files[0] : NULL, 0, 0, "%s", error);
    return false;
}

/* --- read and link -------------------------------------------------------------------------------------- */

static bool read_sources(struct compile *c, const struct qpucc_source *sources, size_t count) {
    struct ir_shader **read = c->program->kept.read;
    return front_read(c->program, sources, count, &c->options, read) &&
           link_uniforms(c->program, read[QPUCC_VERTEX], read[QPUCC_FRAGMENT]);
}

static bool read_fixed(struct compile *c, const struct qpucc_fixed *fixed) {
    struct ir_shader **read = c->program->kept.read;
    return front_read_fixed(c->program, fixed, &c->state, read) &&
           link_uniforms(c->program, read[QPUCC_VERTEX], read[QPUCC_FRAGMENT]);
}

static bool make_generic(struct compile *c, enum qpucc_stage stage) {
    struct program_kept *kept = &c->program->kept;
    struct pass_options options = compile_pass_options(c);
    if (!kept->read[stage])
        return true;
    kept->linked[stage] = ir_shader_clone(kept->read[stage]);
    if (!kept->linked[stage])
        return compile_stopped(c, kept->read[stage]);
    return compile_passes(c, kept->linked[stage], options, passes_generic_list(&options));
}

static bool share_varyings(struct compile *c, struct ir_shader *vertex, struct ir_shader *fragment) {
    struct program_kept *kept = &c->program->kept;
    if (!vertex || !fragment || c->options.opt_level == 0)
        return true;
    kept->plan = link_plan_varyings(vertex, fragment, !(c->options.flags & QPUCC_NO_UNIFORM_EXPRESSIONS));
    if (!kept->plan || !link_plan_vertex(kept->plan, vertex))
        return compile_stopped(c, vertex);
    return !link_plan_fragment(kept->plan, fragment) ||
           compile_passes(c, fragment, compile_pass_options(c), passes_tidy_list());
}

static bool link_stages(struct compile *c) {
    if (!make_generic(c, QPUCC_VERTEX) || !make_generic(c, QPUCC_FRAGMENT))
        return false;
    struct ir_shader *vertex = c->program->kept.linked[QPUCC_VERTEX],
                     *fragment = c->program->kept.linked[QPUCC_FRAGMENT];
    if (!link_interfaces(c->program, vertex, fragment))
        return false;
    if (vertex)
        warn_undefined(c->program, vertex);
    if (fragment)
        warn_undefined(c->program, fragment);
    link_reflect(c->program, vertex, fragment);
    return share_varyings(c, vertex, fragment) && link_capacity(c->program, vertex, fragment);
}

/* --- build ---------------------------------------------------------------------------------------------- */

static void add_varying(struct qpucc_program *program, const struct ir_shader *fragment, uint32_t word) {
    if (word == UINT32_MAX) /* a point's coordinate, which the hardware makes */
        return;
    const struct ir_symbol *symbol = ir_symbol_of_word(&fragment->inputs, word);
    if (symbol && symbol->interp == IR_FLAT && program->varying_words < QPUCC_MAX_VARYING_WORDS)
        program->flat_varyings |= 1u << program->varying_words;
    program->varying_words++;
}

static void list_varyings(struct qpucc_program *program, const struct ir_shader *fragment) {
    program->varying_words = program->flat_varyings = 0;
    for (uint32_t i = 0; i < fragment->nvary; i++)
        add_varying(program, fragment, fragment->vary_symbol_word[i]);
}

/* The program's attribute list is the vertex shader's: the coordinate shader loads a subset, in the same
 * sizes. */
static bool set_attributes(struct compile *c, const struct ir_shader *vertex,
                           const struct ir_shader *coordinate) {
    struct qpucc_program *program = c->program;
    program->attribute_count = 0;
    for (int k = 0; k < 2; k++) {
        const struct ir_shader *shader = k ? coordinate : vertex;
        uint8_t *words = program->stages[k ? QPUCC_COORDINATE : QPUCC_VERTEX].attribute_words;
        size_t at = 0;
        memset(words, 0, QPUCC_MAX_ATTRIBUTES);
        for (uint32_t i = 0; i < shader->nattr; i++) {
            uint32_t symbol = shader->attr_symbol[i], column = shader->attr_column[i], variable = UINT32_MAX;
            if (symbol < shader->inputs.count)
                for (size_t v = 0; v < program->variables[QPUCC_ATTRIBUTES].count; v++)
                    if (!strcmp(program->variables[QPUCC_ATTRIBUTES].list[v].name,
                                shader->inputs.sym[symbol].name))
                        variable = (uint32_t)v;
            while (at < program->attribute_count &&
                   (program->attributes[at].variable != variable || program->attributes[at].column != column))
                at++;
            if (at == program->attribute_count) {
                if (k || at == QPUCC_MAX_ATTRIBUTES)
                    goto disagree; /* order or number: not a subset */
                program->attributes[program->attribute_count++] =
                    (struct program_attribute){variable, shader->attr_size[i], column};
            }
            if (program->attributes[at].words != shader->attr_size[i])
                goto disagree;
            words[at++] = shader->attr_size[i];
        }
    }
    return true;
disagree:
    program_diagnose(program, QPUCC_INTERNAL, QPUCC_ERROR, "internal", NULL, 0, 0,
                     "vertex and coordinate shader disagree on the attributes");
    return false;
}

/* The code for a source stage, into the program. `ir` is what it was made from, where it got that far. */
static bool build_stage(struct compile *c, enum qpucc_stage stage, struct stage_ir *ir) {
    struct outcome outcome[2] = {0};
    bool ok = attempts_run(c, stage, ir, outcome);
    for (unsigned k = 0; k < 2; k++) {
        if (outcome[k].shader)
            ok &= result_keep(c, &outcome[k]);
        outcome_free(&outcome[k]);
    }
    return ok;
}

static bool build_vertex(struct compile *c, const struct ir_shader *fragment) {
    struct qpucc_program *program = c->program;
    struct stage_ir ir;
    c->varying_count = link_vertex_outputs(program->kept.linked[QPUCC_VERTEX], fragment, c->varying_words);
    c->rough_varyings = fragment ? fragment->rough_varyings : 0;
    if (!fragment)
        program->varying_words = c->varying_count;
    bool ok = build_stage(c, QPUCC_VERTEX, &ir);
    if (ir.parts) {
        program->point_size = ir.part[0]->point_size;
        ok &= set_attributes(c, ir.part[0], ir.part[1]);
    }
    stage_ir_free(&ir);
    return ok;
}

/* From the kept IR to code for c->state. */
static bool build(struct compile *c) {
    struct qpucc_program *program = c->program;
    struct stage_ir fragment = {0};
    bool ok = true;
    if (program->kept.linked[QPUCC_FRAGMENT]) {
        ok = build_stage(c, QPUCC_FRAGMENT, &fragment);
        if (fragment.parts)
            list_varyings(program, fragment.part[0]);
    }
    /* the order of varyings is known once lower_stage has seen the fragment shader, whether it found
     * registers or not: both messages, if neither fits */
    if (program->kept.linked[QPUCC_VERTEX] && (ok || (fragment.parts && fragment.part[0]->lowered)))
        ok &= build_vertex(c, fragment.part[0]);
    stage_ir_free(&fragment);
    if (ok) {
        result_mark_used(program);
        fill_prepare(program);
    }
    return ok;
}

/* False: no memory for a program that could say so. */
static bool begin(struct compile *c, const struct qpucc_state *state, const struct qpucc_options *options) {
    *c = (struct compile){.program = program_create(),
                          .options = options ? *options : qpucc_options_default()};
    if (!c->program)
        return false;
    if (state)
        c->state = *state;
    ir_limits_set(c->program->arena, c->options.limit);
    return true;
}

/* From the IR of the sources, if they could be read, to a program. */
static qpucc_program *finish(struct compile *c, bool ok) {
    struct qpucc_program *program = c->program;
    ok = ok && link_stages(c) && build(c);
    if (ir_arena_oom(program->arena) && program->status == QPUCC_OK)
        ok = compile_stopped(c, NULL);
    program->usage = ir_usage(program->arena);
    if (!ok && program->status == QPUCC_OK)
        program_diagnose(program, QPUCC_INTERNAL, QPUCC_ERROR, "internal", NULL, 0, 0,
                         "failed without a reason");
    ir_arena_trim(program->arena);
    for (int i = 0; program->status != QPUCC_OK && i < QPUCC_STAGE_COUNT; i++) {
        program->stages[i].code = NULL; /* a program with errors has no code */
        program->stages[i].stream_count = 0;
    }
    return program;
}

qpucc_program *qpucc_compile(const struct qpucc_source *sources, size_t count,
                             const struct qpucc_state *state, const struct qpucc_options *options) {
    struct compile c;
    if (!begin(&c, state, options))
        return NULL;
    return finish(&c, state_check(c.program, &c.state) && read_sources(&c, sources, sources ? count : 0));
}

qpucc_program *qpucc_compile_fixed(const struct qpucc_fixed *fixed, const struct qpucc_state *state,
                                   const struct qpucc_options *options) {
    struct compile c;
    if (!begin(&c, state, options))
        return NULL;
    return finish(&c, state_check(c.program, &c.state) && read_fixed(&c, fixed));
}
