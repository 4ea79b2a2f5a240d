/* The alternatives that qpucc explain compiles: other precision, other exactness, values of the uniforms
 * that decide most, and the code without what the compiler takes out of it. advice_text.c says what came of
 * them. */
#include "advice.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void add(struct advice *a, qpucc_program *program, bool undone, const char *option, const char *what) {
    struct advice_try *t = &a->list[a->count];
    bool fine = program && a->count < ADVICE_TRIES && qpucc_program_status(program) == QPUCC_OK;
    qpucc_explanation *explain = fine ? qpucc_explain(program, 0) : NULL;
    if (!explain) { /* it does not compile so, or memory ran out: nothing is said about it */
        qpucc_program_free(program);
        return;
    }
    *t = (struct advice_try){.undone = undone, .program = program, .explain = explain};
    snprintf(t->option, sizeof t->option, "%s", option);
    snprintf(t->what, sizeof t->what, "%s", what);
    a->count++;
}

static bool in_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Does a source have the word outside of longer ones? */
static bool has_word(const struct cli_sources *sources, enum qpucc_stage stage, const char *word) {
    size_t length = strlen(word);
    for (size_t i = 0; i < sources->count; i++) {
        const struct qpucc_source *s = &sources->source[i];
        const char *text = s->data;
        for (size_t at = 0; s->stage == stage && s->language == QPUCC_GLSL && at + length <= s->size; at++)
            if (!memcmp(text + at, word, length) && (!at || !in_word(text[at - 1])) &&
                (at + length == s->size || !in_word(text[at + length])))
                return true;
    }
    return false;
}

/* The options without what they print. */
static struct qpucc_options quiet(const struct cli_options *options) {
    struct qpucc_options o = options->compile;
    o.print_after = NULL;
    o.on_ir = NULL;
    o.on_pass_time = NULL;
    return o;
}

/* All that the sources call highp as mediump. Uniforms of both stages keep the higher one, so that they
 * fit. */
static void try_mediump(struct advice *a, const struct cli_options *options,
                        const struct cli_sources *sources) {
    if (options->fixed_path || options->set_count || options->spec_count ||
        !has_word(sources, QPUCC_FRAGMENT, "highp"))
        return;
    struct qpucc_options o = quiet(options);
    const char *defines[CLI_MAX_LIST + 1];
    memcpy(defines, options->defines, sizeof options->defines);
    defines[o.define_count++] = "highp=mediump";
    o.defines = defines;
    o.uniform_precision = QPUCC_UNIFORM_PRECISION_HIGHP;
    add(a, qpucc_compile(sources->source, sources->count, &options->state, &o), false, "-D highp=mediump",
        "mediump for what is highp");
}

static void try_options(struct advice *a, const qpucc_program *program, const struct cli_options *options) {
    struct qpucc_options o = quiet(options);
    o.flags |= QPUCC_NO_UNIFORM_EXPRESSIONS;
    if (!(options->compile.flags & QPUCC_NO_UNIFORM_EXPRESSIONS))
        add(a, qpucc_variant_with(program, &options->state, &o), true, "-fno-uniform-expressions",
            "arithmetic on uniforms in the shader");
    if (qpucc_program_policy(program) != QPUCC_POLICY_DEFAULT)
        return;
    o = quiet(options);
    o.flags |= QPUCC_POLICY_FAST;
    add(a, qpucc_variant_with(program, &options->state, &o), false, "-ffast-math",
        "special functions without refinement");
}

/* Zero and one of each: nearly all that such uniforms are. */
static void try_controls(struct advice *a, const qpucc_program *program, const struct cli_options *options) {
    struct qpucc_control list[2];
    size_t count = qpucc_program_controls(program, list, 2);
    for (size_t i = 0; i < count && i < 2; i++) {
        const struct qpucc_variable *v = qpucc_program_variable(program, QPUCC_UNIFORMS, list[i].variable);
        char name[160], option[240], what[320];
        advice_control_name(program, &list[i], name, sizeof name);
        for (uint32_t value = 0; value < 2; value++) {
            struct qpucc_constant constant = {list[i].word,
                                              v->base == QPUCC_FLOAT && value ? 0x3f800000u : value};
            snprintf(option, sizeof option, "--set=%s=%u", name, value);
            snprintf(what, sizeof what, "code of its own for draws in which %s is %u", name, value);
            add(a, qpucc_specialise(program, &options->state, &constant, 1), false, option, what);
        }
    }
}

void advice_make(struct advice *advice, const qpucc_program *program, const qpucc_explanation *explain,
                 const struct cli_options *options, const struct cli_sources *sources) {
    unsigned instructions = 0;
    *advice = (struct advice){.now = explain};
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        const struct qpucc_explain_stage *stage = qpucc_explanation_stage(explain, (enum qpucc_stage)s);
        instructions += stage ? stage->count : 0;
    }
    advice->measured = instructions <= ADVICE_MOST;
    if (!advice->measured)
        return;
    try_mediump(advice, options, sources);
    try_options(advice, program, options);
    try_controls(advice, program, options);
}

void advice_free(struct advice *advice) {
    for (unsigned i = 0; i < advice->count; i++) {
        qpucc_explain_free(advice->list[i].explain);
        qpucc_program_free(advice->list[i].program);
    }
}
