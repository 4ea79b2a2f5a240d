/* qpucc_compile: the whole way on one page.
 *
 * - front_read: sources to IR, every diagnostic at the user's own lines
 * - passes_generic_list: the kept IR of each stage, which knows nothing of the GL state
 * - link_*: one uniform storage, one numbering of texture units, varyings by name
 * - passes_stage_list: lower_stage with the state key, then optimisation
 * - cut_*: vertex and coordinate shader out of one, after the last pass that could change a value
 * - passes_flow_list: loops and branches in the form that costs least
 * - ladder_run: selection, scheduling, allocation, encoding, for one thread and for two
 * - check: what came out, against the hardware's rules and the kernel's, on every compile
 *
 * When a stage needs more registers than there are, all of it is done again with that stage one thrift
 * further. */
#include "backend/isa/isa.h"
#include "compiler/front.h"
#include "compiler/ladder.h"
#include "compiler/link.h"
#include "compiler/program.h"
#include "passes/passes.h"

#include <stdlib.h>
#include <string.h>

struct compile {
    struct qpucc_program *program;
    struct qpucc_options options;
    struct qpucc_state state;
    enum qpucc_stage current;     /* for the callbacks */
    struct ir_shader *shaders[2]; /* by enum ir_stage: vertex, fragment */
    uint32_t varying_words[64];   /* for the vertex shader, in the fragment shader's order */
    uint32_t varying_count;
    uint64_t rough_varyings;
    bool varyings_known;
    size_t thrift[2]; /* index into thrifts, by enum ir_stage; the coordinate shader goes with the vertex
                         shader */
    int crowded;      /* index into thrift of what found no registers, or -1 */
    bool narrow;      /* a fragment shader with branches found just enough */
    uint64_t weight;  /* modelled cycles of all stages */
};

/* How much is given up for fewer values alive at once: steps that a stage takes while it does not fit, the
 * cheapest in modelled cycles first. Each was the first to help with some real shader. */
static const struct thrift {
    bool lean;          /* no passes that pay for fewer operations with longer lives */
    uint32_t cse_reach; /* what would have to wait for longer is computed again */
    uint32_t
        ifconvert_limit;   /* larger conditionals stay branches: values of one way live on that way alone */
    uint32_t unroll_limit; /* larger loops stay loops: one trip's values at a time */
} thrifts[] = {
    {false, PASSES_UNLIMITED, PASSES_UNLIMITED, PASSES_UNLIMITED},
    {true, PASSES_UNLIMITED, PASSES_UNLIMITED, PASSES_UNLIMITED},
    {true, 150, PASSES_UNLIMITED, PASSES_UNLIMITED},
    {true, 150, PASSES_UNLIMITED, 200},
    {true, 150, 60, PASSES_UNLIMITED},
    {true, 150, 60, 200},
};

/* --- options and state ---------------------------------------------------------------------------------- */

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

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static struct pass_options pass_options_of(struct compile *c, enum ir_stage stage) {
    const struct thrift *thrift = &thrifts[c->thrift[stage == IR_FRAGMENT ? IR_FRAGMENT : IR_VERTEX]];
    struct pass_options options = passes_default_options();
    options.level = c->options.opt_level;
    options.verify = QPUCC_VERIFY;
    options.no_uniform_expressions = c->options.no_uniform_expressions;
    options.lean = thrift->lean;
    options.cse_reach = thrift->cse_reach;
    options.ifconvert_limit = least(options.ifconvert_limit, thrift->ifconvert_limit);
    options.unroll_limit = least(options.unroll_limit, thrift->unroll_limit);
    options.state = c->state;
    if (c->varyings_known) {
        options.rough_varyings = c->rough_varyings;
        options.varying_words = c->varying_words;
        options.varying_count = c->varying_count;
    }
    if (c->options.on_pass_time || (c->options.on_ir && c->options.print_after)) {
        options.after = after_pass;
        options.user = c;
    }
    return options;
}

static bool run_passes(struct compile *c, struct ir_shader *shader, const char *names) {
    static const enum qpucc_stage stages[] = {QPUCC_VERTEX, QPUCC_FRAGMENT, QPUCC_COORDINATE};
    char error[300];
    struct pass_options options = pass_options_of(c, shader->stage);
    c->current = stages[shader->stage];
    if (passes_run_named(shader, names, &options, error, sizeof error))
        return true;
    /* a shader that outgrows its arena is the user's; anything else is ours */
    bool ours = !ir_arena_oom(shader->arena);
    program_diagnose(c->program, ours ? QPUCC_INTERNAL : QPUCC_DOES_NOT_FIT, QPUCC_ERROR,
                     ours ? "internal" : "size", shader->nfiles ? shader->files[0] : NULL, 0, 0, "%s", error);
    return false;
}

/* --- results -------------------------------------------------------------------------------------------- */

static void *keep(struct qpucc_program *program, const void *data, size_t size) {
    void *copy = ir_alloc(program->arena, size ? size : 1);
    if (size)
        memcpy(copy, data, size);
    return copy;
}

/* Every program that leaves must keep to the hardware's rules and the kernel's (whose profile has both): a
 * violation is a fault of ours, never the user's. */
static bool check(struct qpucc_program *program, enum qpucc_stage stage, const struct be_result *code) {
    static const enum qpu_stage stages[] = {QPU_STAGE_FRAGMENT, QPU_STAGE_VERTEX, QPU_STAGE_COORDINATE};
    static const char *const names[] = {"fragment", "vertex", "coordinate"};
    struct qpu_check_options options = {
        .stage = stages[stage], .profile = QPU_PROFILE_LINUX, .threaded = code->threads > 1};
    struct qpu_violation found[8];
    size_t count = qpu_check(code->code, code->count, &options, found, 8);
    for (size_t i = 0; i < count && i < 8; i++) {
        if (found[i].warning)
            continue;
        program_diagnose(program, QPUCC_INTERNAL, QPUCC_ERROR, "internal", NULL, 0, 0,
                         "%s shader, instruction %u breaks the rule %s: %s", names[stage], found[i].index,
                         found[i].rule, found[i].text);
        return false;
    }
    return true;
}

/* Takes back what was said of a try that did not fit; false when something else is wrong. */
static bool try_again(struct qpucc_program *program, size_t said, enum qpucc_status before) {
    if (program->status != QPUCC_DOES_NOT_FIT)
        return false;
    program->diagnostic_count = said;
    program->status = before;
    return true;
}

/* Fits, but only just: values were rematerialised for want of registers. */
static bool is_crowded(const struct be_result *code) {
    return code->threads == 1 && code->regs_a + code->regs_b >= 60;
}

/* What may be done to loops: most of it makes more values live at once. */
enum flow_form { LOOPS_HOISTED, LOOPS_ROTATED, LOOPS_PLAIN, FLOW_FORMS };

static bool generate_form(struct compile *c, enum flow_form form, struct ir_shader *shader,
                          struct ladder_result *result) {
    return (form == LOOPS_PLAIN || run_passes(c, shader, passes_flow_list(form == LOOPS_HOISTED))) &&
           ladder_run(c->program, shader, c->options.opt_level, form == LOOPS_PLAIN, result);
}

/* Code for a lowered shader. One without loops has one form; else the first that leaves room, or the best. */
static bool generate(struct compile *c, struct program_stage *out, struct ir_shader *lowered,
                     struct ladder_result *result) {
    struct qpucc_program *program = c->program;
    size_t said = program->diagnostic_count;
    enum qpucc_status before = program->status;
    bool ok = false, more = true;
    for (unsigned form = lowered->nblocks > 1 ? 0 : LOOPS_PLAIN; form < FLOW_FORMS && more; form++) {
        struct ir_shader *shader = form == LOOPS_PLAIN ? lowered : ir_shader_clone(lowered);
        struct ladder_result attempt;
        bool fits = generate_form(c, form, shader, &attempt);
        bool better = fits && (!ok || attempt.code.weight < result->code.weight);
        more = fits ? is_crowded(&attempt.code) : form + 1 < FLOW_FORMS && try_again(program, said, before);
        if (c->options.generate_ir && (better || !ok)) {
            char *text = ir_print_to_string(shader);
            out->ir = text ? ir_strdup(program->arena, text) : NULL;
            free(text);
        }
        if (fits && better && ok)
            ladder_result_free(result);
        if (fits && better)
            *result = attempt;
        else if (fits)
            ladder_result_free(&attempt);
        ok |= fits;
        if (shader != lowered)
            ir_shader_destroy(shader);
    }
    if (ok)
        try_again(program, said, before); /* of what was said of the last form */
    return ok;
}

static bool finish_stage(struct compile *c, enum qpucc_stage stage, struct ir_shader *lowered) {
    struct qpucc_program *program = c->program;
    struct program_stage *out = &program->stages[stage];
    struct ladder_result result;
    if (!generate(c, out, lowered, &result)) {
        c->crowded = lowered->stage == IR_FRAGMENT ? IR_FRAGMENT : IR_VERTEX;
        return false;
    }
    const struct be_result *code = &result.code;
    c->narrow |= lowered->stage == IR_FRAGMENT && code->blocks > 1 && is_crowded(code);
    c->weight += code->weight;
    bool ok = check(program, stage, code);
    out->count = code->count;
    out->code = keep(program, code->code, code->count * sizeof *code->code);
    out->lines = c->options.generate_lines && code->lines
                     ? keep(program, code->lines, code->count * sizeof *code->lines)
                     : NULL;
    out->slot_count = result.shader->nslots;
    out->slots = keep(program, result.shader->slots, result.shader->nslots * sizeof *result.shader->slots);
    out->stream_count = code->uniform_count;
    out->stream = ir_alloc(program->arena, (code->uniform_count + 1) * sizeof *out->stream);
    out->stream_text = ir_alloc(program->arena, sizeof *out->stream_text);
    for (size_t i = 0; i < code->uniform_count; i++) {
        out->stream[i] = code->uniforms[i].slot;
        if (out->stream[i] >= out->slot_count) {
            program_diagnose(program, QPUCC_INTERNAL, QPUCC_ERROR, "internal", NULL, 0, 0,
                             "stream word %zu names slot %u of %u", i, out->stream[i], out->slot_count);
            out->stream[i] = 0;
            ok = false;
        }
    }
    size_t taken = program_index_stream(program, out);
    /* one word more may stand behind the last: the kernel wants it after backward branches (docs/hardware.md, Kernel) */
    if (ok && (taken > out->stream_count || taken + 1 < out->stream_count)) {
        program_diagnose(program, QPUCC_INTERNAL, QPUCC_ERROR, "internal", NULL, 0, 0,
                         "the code takes %zu words from a stream of %zu", taken, out->stream_count);
        ok = false;
    }
    out->stats = (struct qpucc_stage_stats){.instructions = (unsigned)code->count,
                                            .uniforms = (unsigned)code->uniform_count,
                                            .threads = code->threads,
                                            .regs_a = code->regs_a,
                                            .regs_b = code->regs_b,
                                            .accumulators = code->accumulators,
                                            .cycles = code->cycles,
                                            .lower_bound = code->lower_bound,
                                            .tmu = code->tmu,
                                            .sfu = code->sfu,
                                            .blocks = code->blocks,
                                            .blocks_optimal = code->blocks_optimal};
    if (stage == QPUCC_FRAGMENT)
        program->threaded = code->threads > 1;
    ladder_result_free(&result);
    return ok;
}

/* --- stages --------------------------------------------------------------------------------------------- */

static void add_varying(struct qpucc_program *program, const struct ir_shader *fragment, uint32_t word) {
    if (word == UINT32_MAX) /* a point's coordinate, which the hardware makes */
        return;
    const struct ir_symbol *symbol = ir_symbol_of_word(&fragment->inputs, word);
    if (symbol && symbol->interp == IR_FLAT && program->varying_words < QPUCC_MAX_VARYING_WORDS)
        program->flat_varyings |= 1u << program->varying_words;
    program->varying_words++;
}

static bool build_fragment(struct compile *c, struct ir_shader *fragment) {
    struct pass_options options = pass_options_of(c, IR_FRAGMENT);
    if (!run_passes(c, fragment, passes_stage_list(&options)))
        return false;
    c->program->varying_words = c->program->flat_varyings = 0;
    for (uint32_t i = 0; i < fragment->nvary; i++)
        add_varying(c->program, fragment, fragment->vary_symbol_word[i]);
    return finish_stage(c, QPUCC_FRAGMENT, fragment);
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

static bool build_vertex(struct compile *c, struct ir_shader *vertex, const struct ir_shader *fragment) {
    c->varying_count = link_vertex_outputs(vertex, fragment, c->varying_words);
    c->varyings_known = true;
    c->rough_varyings = fragment ? fragment->rough_varyings : 0;
    if (!fragment)
        c->program->varying_words = c->varying_count;
    struct pass_options options = pass_options_of(c, IR_VERTEX);
    if (!run_passes(c, vertex, passes_stage_list(&options)))
        return false;
    struct ir_shader *coordinate = ir_shader_clone(vertex);
    bool ok = run_passes(c, vertex, "cut_vertex, dce, outputs") &&
              run_passes(c, coordinate, "cut_coordinate, dce, outputs") &&
              set_attributes(c, vertex, coordinate);
    c->program->point_size = vertex->point_size;
    /* both, so that a shader that fits neither gets both messages */
    if (ok) {
        ok = finish_stage(c, QPUCC_VERTEX, vertex);
        ok &= finish_stage(c, QPUCC_COORDINATE, coordinate);
    }
    ir_shader_destroy(coordinate);
    return ok;
}

/* What the streams really use. */
static void mark_used(struct qpucc_program *program) {
    struct program_table *uniforms = &program->variables[QPUCC_UNIFORMS],
                         *samplers = &program->variables[QPUCC_SAMPLERS];
    for (size_t i = 0; i < uniforms->count; i++)
        uniforms->list[i].used = false;
    for (size_t i = 0; i < samplers->count; i++)
        samplers->list[i].used = false;
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        const struct program_stage *stage = &program->stages[s];
        bool *reached = ir_alloc(program->arena, stage->slot_count + 1);
        for (size_t i = 0; i < stage->stream_count; i++)
            reached[stage->stream[i]] = true;
        for (uint32_t i = stage->slot_count; i-- > 0;) { /* arguments have lower numbers */
            const struct ir_slot *slot = &stage->slots[i];
            if (!reached[i])
                continue;
            for (unsigned k = 0; slot->kind == IR_SLOT_EXPR && k < slot->narg; k++)
                reached[slot->arg[k]] = true;
            bool storage = slot->kind == IR_SLOT_UNIFORM || slot->kind == IR_SLOT_ARRAY;
            struct program_table *table = storage ? uniforms : slot->kind == IR_SLOT_TEX ? samplers : NULL;
            for (size_t v = 0; table && v < table->count; v++) {
                struct qpucc_variable *u = &table->list[v];
                unsigned words = (storage ? u->rows * u->cols : 1) * u->array_length;
                if (slot->value >= u->word && slot->value < u->word + words)
                    u->used = true;
            }
        }
    }
    for (size_t i = 0; i < program->variables[QPUCC_ATTRIBUTES].count; i++)
        program->variables[QPUCC_ATTRIBUTES].list[i].used = false;
    for (size_t i = 0; i < program->attribute_count; i++)
        if (program->attributes[i].variable != UINT32_MAX)
            program->variables[QPUCC_ATTRIBUTES].list[program->attributes[i].variable].used = true;
}

static bool build(struct compile *c, const struct qpucc_source *sources, size_t count) {
    if (!front_read(c->program, sources, count, &c->options, c->shaders))
        return false;
    struct ir_shader *vertex = c->shaders[IR_VERTEX], *fragment = c->shaders[IR_FRAGMENT];
    for (int i = 0; i < 2; i++) {
        struct pass_options options = pass_options_of(c, (enum ir_stage)i);
        if (c->shaders[i] && !run_passes(c, c->shaders[i], passes_generic_list(&options)))
            return false;
    }
    if (!link_uniforms(c->program, vertex, fragment) || !link_interfaces(c->program, vertex, fragment))
        return false;
    link_reflect(c->program, vertex, fragment);
    bool ok = true;
    if (vertex && fragment && c->options.opt_level > 0 &&
        link_varyings(vertex, fragment, !c->options.no_uniform_expressions))
        ok = run_passes(c, fragment, "(fold,algebraic,cse,cfg,dce)*8");
    if (!ok || !link_capacity(c->program, vertex, fragment))
        return false;
    if (fragment)
        ok = build_fragment(c, fragment);
    /* the order of varyings is known once lower_stage has seen the fragment shader, whether it found
     * registers or not */
    if (vertex && (!fragment || fragment->lowered))
        ok &= build_vertex(c, vertex, fragment);
    if (ok)
        mark_used(c->program);
    return ok;
}

/* One try; NULL: out of memory. */
static struct qpucc_program *attempt(struct compile *c, const struct qpucc_source *sources, size_t count) {
    struct ir_arena *arena = ir_arena_create();
    if (!arena)
        return NULL;
    c->program = ir_alloc(arena, sizeof *c->program);
    if (ir_arena_oom(arena)) {
        ir_arena_destroy(arena);
        return NULL;
    }
    c->program->arena = arena;
    c->program->flip_y = c->state.flip_y;
    c->crowded = -1;
    c->narrow = false;
    c->weight = 0;
    c->shaders[0] = c->shaders[1] = NULL;
    c->varyings_known = false;
    if (!build(c, sources, count) && c->program->status == QPUCC_OK)
        program_diagnose(c->program, QPUCC_INTERNAL, QPUCC_ERROR, "internal", NULL, 0, 0,
                         "failed without a reason");
    for (int i = 0; i < 2; i++)
        if (c->shaders[i])
            ir_shader_destroy(c->shaders[i]);
    ir_arena_trim(arena);
    if (c->program->status != QPUCC_OK)
        for (int i = 0; i < QPUCC_STAGE_COUNT; i++) { /* a program with errors has no code */
            c->program->stages[i].code = NULL;
            c->program->stages[i].stream_count = 0;
        }
    return c->program;
}

/* Where registers are just enough values are rematerialised: more operations with shorter lives may be the faster
 * program. */
static struct qpucc_program *leaner(struct compile *c, const struct qpucc_source *sources, size_t count,
                                    struct qpucc_program *program) {
    uint64_t weight = c->weight;
    c->thrift[IR_FRAGMENT] = 1;
    struct qpucc_program *other = program->status == QPUCC_OK ? attempt(c, sources, count) : NULL;
    bool better = other && other->status == QPUCC_OK && c->weight < weight;
    qpucc_program_free(better ? program : other);
    return better ? other : program;
}

qpucc_program *qpucc_compile(const struct qpucc_source *sources, size_t count,
                             const struct qpucc_state *state, const struct qpucc_options *options) {
    struct compile c = {.options = options ? *options : qpucc_options_default()};
    if (state)
        c.state = *state;
    for (;;) {
        struct qpucc_program *program = attempt(&c, sources, sources ? count : 0);
        if (!program || program->status != QPUCC_DOES_NOT_FIT || c.crowded < 0 ||
            ++c.thrift[c.crowded] == sizeof thrifts / sizeof *thrifts)
            return c.narrow && !c.thrift[IR_FRAGMENT] ? leaner(&c, sources, sources ? count : 0, program)
                                                      : program;
        qpucc_program_free(program);
    }
}
