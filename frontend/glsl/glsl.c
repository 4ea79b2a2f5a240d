/* glsl.c: one compile from text to SPIR-V, in order: preprocess, limits, check, rules, link, rewrite. */
#include "frontend/glsl/reasons.h"
#include "ir/heap.h"

#include <inttypes.h>
#include <string.h>

struct stage_work {
    struct unit unit;
    struct declarations declarations;
    struct pass_text check, code;
};

/* --- stages --------------------------------------------------------------------------------------------- */

static bool has_main(const struct declarations *d) {
    for (size_t i = 0; i < d->function_count; i++) {
        if (strcmp(d->functions[i].name->text, "main") == 0 && d->functions[i].body_close)
            return true;
    }
    return false;
}

static void report_no_main(struct run *run, const struct stage_work *w) {
    const struct unit *unit = &w->unit;
    const char *hint = "";
    if (declarations_defines(&w->declarations, run_name_z(run, "mainImage")))
        hint = "; it is Shadertoy's mainImage that calls for one: void main() { mainImage(gl_FragColor, "
               "gl_FragCoord.xy); }";
    run_report(run, FE_ERROR, unit->stage, unit->tokens.at[unit->tokens.count - 1].place,
               "the shader has no 'void main()'%s", hint);
}

#define MOST_RECOVERIES 8

/* Puts a token where it is missing, and reads the declarations again. */
static bool insert_token(struct run *run, struct stage_work *w, enum fe_precision precision,
                         const struct syntax_fault *fault, bool **skip) {
    struct tokens *tokens = &w->unit.tokens;
    struct token t = tokens->at[fault->at ? fault->at - 1 : 0];
    t.kind = T_PUNCTUATION;
    t.name = run_name_z(run, fault->insert);
    if (!tokens_push(run, tokens, t))
        return false;
    bool *longer = ir_heap_resize(NULL, *skip, tokens->count * sizeof *longer);
    if (!longer)
        return false;
    *skip = longer;
    size_t after = tokens->count - 1 - fault->at;
    memmove(tokens->at + fault->at + 1, tokens->at + fault->at, after * sizeof t);
    memmove(longer + fault->at + 1, longer + fault->at, after * sizeof *longer);
    tokens->at[fault->at] = t;
    longer[fault->at] = false;
    declarations_free(&w->declarations);
    declarations_read(run, &w->unit, precision, &w->declarations);
    return !run->failed;
}

/* Takes a token away, and reads the declarations again. */
static bool remove_token(struct run *run, struct stage_work *w, enum fe_precision precision, size_t i) {
    struct token *t = &w->unit.tokens.at[i];
    t->kind = T_PLACEMARKER;
    t->name = run_name_z(run, " ");
    declarations_free(&w->declarations);
    declarations_read(run, &w->unit, precision, &w->declarations);
    return !run->failed;
}

/* Parses again without what holds the syntax error, or with what is missing there, for the errors after it.
 * */
static void recover(struct run *run, struct stage_work *w, enum fe_precision precision, long at) {
    const struct unit *unit = &w->unit;
    bool *skip = ir_heap_zeroed(run->from, unit->tokens.count * sizeof *skip);
    struct engine *scratch = glslang_begin();
    for (int attempt = 0; skip && scratch && attempt < MOST_RECOVERIES && at >= 0 && !run->failed;
         attempt++) {
        struct syntax_fault fault = syntax_fault(run, unit, &w->declarations, (size_t)at);
        size_t skip_end = fault.skip_end < unit->tokens.count ? fault.skip_end : unit->tokens.count;
        bool inner = fault.skip_begin < skip_end && !skip[fault.skip_begin];
        if (inner)
            memset(skip + fault.skip_begin, true, skip_end - fault.skip_begin);
        else if (fault.remove   ? !remove_token(run, w, precision, fault.finding.token)
                 : fault.insert ? !insert_token(run, w, precision, &fault, &skip)
                                : !essl_recover(unit, (size_t)at, skip))
            break;
        struct pass_text text = {0};
        struct messages messages = {0};
        essl_text(run, unit, &w->declarations, precision, skip, TEXT_CHECK, &text);
        bool good = run->failed || glslang_parse(run, scratch, &text, unit->stage, &messages);
        messages_drop_consequences(run, unit, skip, &messages);
        messages_report(run, unit, &w->declarations, &text, &messages);
        at = good ? -1 : messages_syntax_error(&messages, &text, unit->tokens.count);
        ir_heap_free(messages.at);
        buffer_free(run, &text.text);
    }
    glslang_end(scratch);
    ir_heap_free(skip);
}

/* Parses once more, with the operands that the check's text leaves out, for the errors in these. */
static void check_operands(struct run *run, const struct stage_work *w, enum fe_precision precision) {
    const bool *operands = w->declarations.sequence_operands;
    struct declarations all = w->declarations;
    all.sequence_operands = NULL;
    if (!operands || run->failed)
        return;
    struct engine *scratch = glslang_begin();
    struct pass_text text = {0};
    struct messages messages = {0};
    essl_text(run, &w->unit, &all, precision, NULL, TEXT_CHECK, &text);
    run->failed |= !scratch;
    if (!run->failed)
        glslang_parse(run, scratch, &text, w->unit.stage, &messages);
    for (size_t i = 0; i < messages.count; i++) {
        struct message *m = &messages.at[i];
        long at = m->line - (long)text.first_line;
        bool inside = at >= 0 && (size_t)at < w->unit.tokens.count && operands[at];
        if (!inside || (token_is(&w->unit.tokens.at[at], ",") && !strstr(m->text, "syntax error")))
            m->text = ""; /* at a comma: of the sequence, which glslang does not take for a constant */
    }
    messages_report(run, &w->unit, &w->declarations, &text, &messages);
    glslang_end(scratch);
    buffer_free(run, &text.text);
    ir_heap_free(messages.at);
}

/* The compile's options with what the source has of its own. */
static struct fe_options options_of(const struct unit *unit, const struct fe_options *all) {
    struct fe_options options = *all;
    const struct fe_options *own = unit->source->options;
    if (own) {
        options.defines = own->defines;
        options.define_count = own->define_count;
        options.include_dirs = own->include_dirs;
        options.include_dir_count = own->include_dir_count;
        options.no_include = own->no_include;
        options.default_float_precision = own->default_float_precision;
        options.permissive = own->permissive;
    }
    if (unit->default_float)
        options.default_float_precision = unit->default_float;
    return options;
}

/* With -fpermissive a fragment shader without a precision of float has mediump ones. */
static void permit_precision(struct run *run, struct unit *unit) {
    const struct token *at = unit->tokens.at, *first = NULL;
    struct glsl_type type;
    if (unit->stage != QPUCC_FRAGMENT || !unit->es)
        return;
    for (size_t i = 0; i < unit->tokens.count; i++) {
        if (at[i].kind != T_IDENTIFIER)
            continue;
        if (token_is(&at[i], "precision") && i + 2 < unit->tokens.count && token_is(&at[i + 2], "float"))
            return;
        if (!first && glsl_type_of_word(at[i].name->text, &type) && type.base == GLSL_FLOAT)
            first = &at[i];
    }
    if (!first)
        return;
    unit->default_float = FE_MEDIUMP;
    run_warn(run, QPUCC_WARN_permissive, unit->stage, first->place,
             "'float' has no precision; -fpermissive takes mediump");
}

/* The default precision of float; a fragment shader of ES has none of its own. */
static enum fe_precision precision_of(const struct unit *unit, const struct fe_options *options) {
    bool needs = unit->stage == QPUCC_FRAGMENT && unit->es;
    return unit->default_float ? unit->default_float
           : needs             ? options->default_float_precision
                               : FE_PRECISION_NONE;
}

static void check_stage(struct run *run, const struct fe_options *options, struct stage_work *w,
                        struct engine *checked) {
    struct unit *unit = &w->unit;
    size_t errors = run->error_count;
    preprocess(run, options, unit);
    if (options->permissive && !options->default_float_precision)
        permit_precision(run, unit);
    enum fe_precision precision = precision_of(unit, options);
    if (options->preprocess_only)
        return;
    if (run->failed || unit->stopped || !unit->tokens.count || !essl_limits(run, unit) ||
        !essl_const_places(run, unit))
        return;
    bool preprocessed = run->error_count == errors;
    essl_hoist_structures(run, unit);
    essl_numbers(run, unit);
    if (unit->version == 100)
        essl_rules_text(run, unit);
    declarations_read(run, unit, precision, &w->declarations);
    if (run->failed || !essl_block_names(run, unit, &w->declarations))
        return;
    struct messages messages = {0};
    bool good = false;
    if (!run->failed)
        essl_text(run, unit, &w->declarations, precision, NULL, TEXT_CHECK, &w->check);
    if (!run->failed)
        good = glslang_parse(run, checked, &w->check, unit->stage, &messages);
    size_t before = run->error_count;
    messages_report(run, unit, &w->declarations, &w->check, &messages);
    long at = good ? -1 : messages_syntax_error(&messages, &w->check, unit->tokens.count);
    ir_heap_free(messages.at);
    check_operands(run, w, precision);
    if (run->failed)
        return;
    if (!good) {
        if (run->error_count == before && preprocessed)
            run_report(run, FE_ERROR, unit->stage, (struct place){unit->file, 1, 1},
                       "the shader could not be parsed");
        if (at >= 0)
            recover(run, w, precision, at);
        return;
    }
    if (!has_main(&w->declarations) && preprocessed)
        report_no_main(run, w);
    all_rules(run, unit, &w->declarations);
    if (unit->version != 100)
        essl300_rules(run, unit, &w->declarations);
    if (!unit->es)
        desktop_rules(run, unit, &w->declarations);
    if (!run->failed && unit->version == 100)
        essl_rules(run, unit, &w->declarations);
    if (!run->failed && run->error_count == errors)
        warn_stage(run, unit, &w->declarations);
}

static void link_stages(struct run *run, const struct fe_options *options, struct stage_work *works,
                        size_t count, struct engine *checked) {
    struct messages messages = {0};
    size_t before = run->error_count;
    /* Desktop versions may be mixed, those of ES not (ES 3.00 section 1.5). */
    bool mixed = count == 2 && works[0].unit.version != works[1].unit.version &&
                 (works[0].unit.es || works[1].unit.es);
    struct place version = works[1].unit.version_place;
    if (!version.line) /* none: it would stand in the first line */
        version = (struct place){.file = works[1].unit.file, .line = 1};
    if (mixed)
        run_report(run, FE_ERROR, works[1].unit.stage, version,
                   "the shaders have different versions: %d and %d", works[0].unit.version,
                   works[1].unit.version);
    if (count == 2 && !mixed) {
        int v = works[0].unit.stage == QPUCC_VERTEX ? 0 : 1;
        essl_link(run, &works[v].unit, &works[v].declarations, &works[1 - v].unit, &works[1 - v].declarations,
                  options);
    }
    if (!glslang_link(run, checked, &messages) && run->error_count == before) {
        struct stage_module stages[2];
        for (size_t i = 0; i < count; i++)
            stages[i] = (struct stage_module){&works[i].unit, &works[i].declarations, NULL, 0};
        if (!messages_report_link(run, stages, count, &messages) && !messages.count)
            run_report(run, FE_ERROR, works[0].unit.stage,
                       (struct place){.file = works[0].unit.file, .line = 1},
                       "link: the shaders do not fit together");
    }
    ir_heap_free(messages.at);
}

/* The text for code was refused, which the check let through: our mistake, and said so, unless the size of an
 * array or a case needs the value of what constants.c leaves to the generated code. */
static void report_code(struct run *run, struct stage_work *w, struct messages *messages) {
    const struct unit *unit = &w->unit;
    size_t before = run->error_count;
    const char *what = essl_unfolded_constants(run, unit, &w->declarations) ? "not evaluated at compile time"
                                                                            : "internal: text for code";
    for (size_t i = 0; i < messages->count; i++)
        if (!messages->at[i].warning && !messages_noise(messages->at[i].text))
            messages->at[i].text = run_format(run, "%s: %s", what, messages->at[i].text);
    messages_report(run, unit, NULL, &w->code, messages);
    if (run->error_count == before)
        run_report(run, FE_ERROR, unit->stage, (struct place){.file = unit->file},
                   "internal: the text for code was refused without a message");
}

/* Parses the stages again where a text for code differs from the one that was checked. NULL: the run has
 * failed, or errors. */
static struct engine *read_code(struct run *run, const struct fe_options *options, struct stage_work *works,
                                size_t count) {
    struct engine *engine = glslang_begin();
    bool good = engine != NULL;
    run->failed |= !engine;
    for (size_t i = 0; i < count && good && !run->failed; i++) {
        struct stage_work *w = &works[i];
        struct messages messages = {0};
        const struct fe_options own = options_of(&w->unit, options);
        essl_text(run, &w->unit, &w->declarations, precision_of(&w->unit, &own), NULL, TEXT_CODE, &w->code);
        if (!run->failed)
            good = glslang_parse(run, engine, &w->code, w->unit.stage, &messages);
        if (!good)
            report_code(run, w, &messages);
        ir_heap_free(messages.at);
    }
    struct messages messages = {0};
    if (good && !run->failed)
        glslang_link(run, engine, &messages); /* says what it said of the checked text */
    ir_heap_free(messages.at);
    if (!run->failed && !run->error_count)
        return engine;
    glslang_end(engine);
    return NULL;
}

static void take_stage(struct run *run, struct stage_work *w, struct engine *engine,
                       struct fe_stage_result *result) {
    size_t words = 0;
    const uint32_t *spirv = glslang_spirv(run, engine, w->unit.stage, &words);
    const struct pass_text *text = w->code.first_line ? &w->code : &w->check;
    if (spirv)
        result->spirv =
            module_rewrite(run, &w->unit, text, &w->declarations, spirv, words, &result->spirv_words);
}

/* SPIR-V of the tree that was checked, or of the text for code. Takes the engine. */
static void take_stages(struct run *run, const struct fe_options *options, struct stage_work *works,
                        size_t count, struct engine *engine, struct fe_glsl_result *result) {
    if (works[0].check.differs || works[1].check.differs) {
        glslang_end(engine);
        engine = read_code(run, options, works, count);
    }
    struct messages messages = {0};
    if (engine && !glslang_map(run, engine, &messages))
        run_report(run, FE_ERROR, works[0].unit.stage, (struct place){.file = works[0].unit.file},
                   "internal: variables without numbers: %s",
                   messages.count ? messages.at[0].text : "glslang says nothing");
    ir_heap_free(messages.at);
    for (size_t i = 0; i < count && engine && !run->failed && !run->error_count; i++)
        take_stage(run, &works[i], engine, &result->stages[i]);
    glslang_end(engine);
}

/* --- the side table ------------------------------------------------------------------------------------- */

/* N of `[N]` behind the name. */
static unsigned written_length(const struct unit *unit, const struct variable *v) {
    unsigned length = 0;
    if (v->array_type || v->array_close != v->array_open + 2)
        return 0;
    for (const char *digit = unit->tokens.at[v->array_open + 1].name->text; *digit; digit++) {
        if (*digit < '0' || *digit > '9' || length > 99999)
            return 0;
        length = length * 10 + (unsigned)(*digit - '0');
    }
    return length;
}

static bool is_plain(const struct unit *unit, const struct declarations *d) {
    for (size_t i = 0; i < d->structure_count; i++)
        if (d->structures[i].open && d->meanings[d->structures[i].open - 1].kind == MEANS_BLOCK)
            return false;
    return unit->stage == QPUCC_VERTEX || (!declarations_invariant(unit, d, "gl_FragCoord") &&
                                           !declarations_invariant(unit, d, "gl_PointCoord"));
}

static struct fe_symbol symbol_of(struct run *run, const struct unit *unit, const struct variable *v) {
    const struct token *t = &unit->tokens.at[v->token];
    return (struct fe_symbol){
        .name = v->name->text,
        .type_name = v->type->text,
        .precision = v->precision,
        .array = v->array_close != v->array_open || v->array_type,
        .array_length = written_length(unit, v),
        .flat = v->flat,
        .noperspective = v->noperspective,
        .centroid = v->centroid,
        .by_location = v->storage == STORE_VARYING && v->location >= 0,
        .attribute_location = v->storage == STORE_ATTRIBUTE && v->location >= 0,
        .location = v->location >= 0 ? (unsigned)v->location : 0,
        .invariant = v->invariant ||
                     (unit->invariant_all && unit->stage == QPUCC_VERTEX && v->storage == STORE_VARYING),
        .line = t->place.line,
        .column = t->place.column,
        .file = run->files[t->place.file],
    };
}

static void fill_symbols(struct run *run, const struct stage_work *w, struct fe_stage_result *result) {
    const struct declarations *d = &w->declarations;
    size_t most = d->variable_count + d->member_count;
    struct fe_symbol *symbols = ir_alloc(run->arena, most * sizeof *symbols);
    if (ir_arena_oom(run->arena)) {
        run->failed = true;
        return;
    }
    size_t n = 0;
    for (size_t i = 0; i < d->variable_count; i++) {
        const struct variable *v = &d->variables[i];
        if (v->storage == STORE_NONE || v->storage == STORE_CONST)
            continue;
        symbols[n] = symbol_of(run, &w->unit, v);
        symbols[n++].storage = v->storage == STORE_UNIFORM     ? FE_UNIFORM
                               : v->storage == STORE_ATTRIBUTE ? FE_ATTRIBUTE
                               : v->storage == STORE_OUTPUT    ? FE_OUTPUT
                                                               : FE_VARYING;
        result->needs_external_sampler |= w->unit.external_image && name_is(v->type, "samplerExternalOES");
    }
    for (size_t s = 0; s < d->structure_count; s++) {
        const struct structure *st = &d->structures[s];
        for (size_t m = st->first_member; m < st->first_member + st->member_count && m < d->member_count;
             m++) {
            symbols[n] = symbol_of(run, &w->unit, &d->members[m]);
            symbols[n].name =
                run_format(run, "%s.%s", st->name ? st->name->text : "", d->members[m].name->text);
            symbols[n++].storage = FE_STRUCT_MEMBER;
        }
    }
    result->symbols = symbols;
    result->symbol_count = n;
}

const struct fe_symbol *fe_find_symbol(const struct fe_stage_result *stage, const char *name,
                                       enum fe_storage storage) {
    for (size_t i = 0; i < stage->symbol_count; i++) {
        if (stage->symbols[i].storage == storage && strcmp(stage->symbols[i].name, name) == 0)
            return &stage->symbols[i];
    }
    return NULL;
}

/* --- the whole ------------------------------------------------------------------------------------------ */

static void compile(struct run *run, const struct fe_options *options, struct stage_work *works, size_t count,
                    struct fe_glsl_result *result) {
    struct engine *checked = glslang_begin();
    if (!checked) {
        run->failed = true;
        return;
    }
    for (size_t i = 0; i < count && !run->failed; i++) {
        struct fe_options own = options_of(&works[i].unit, options);
        run->reading = works[i].unit.source;
        check_stage(run, &own, &works[i], checked);
        result->stages[i].version = works[i].unit.version;
        result->stages[i].es = works[i].unit.es;
        if (options->preprocess_only && !run->failed)
            result->stages[i].preprocessed = write_preprocessed(run, &works[i].unit);
    }
    if (options->preprocess_only) {
        glslang_end(checked);
        return;
    }
    if (!run->failed && !run->error_count)
        link_stages(run, options, works, count, checked);
    if (run->failed || run->error_count) {
        glslang_end(checked);
        return;
    }
    take_stages(run, options, works, count, checked, result);
    for (size_t i = 0; i < count && !run->failed && !run->error_count; i++) {
        fill_symbols(run, &works[i], &result->stages[i]);
        result->stages[i].reads_framebuffer = works[i].unit.framebuffer_fetch;
        result->stages[i].upper_left = works[i].unit.upper_left;
        result->stages[i].plain = is_plain(&works[i].unit, &works[i].declarations);
    }
    if (run->failed || run->error_count)
        return;
    struct stage_module modules[2] = {0};
    for (size_t i = 0; i < count; i++)
        modules[works[i].unit.stage == QPUCC_FRAGMENT] = (struct stage_module){
            &works[i].unit, &works[i].declarations, result->stages[i].spirv, result->stages[i].spirv_words};
    if (!options->unlinked || modules[1].words)
        essl_capacity(run, &modules[0], &modules[1]);
    module_match_locations(run, works[0].unit.version != 100, &modules[0], &modules[1]);
}

static void report_failure(struct run *run) {
    struct place place = {.file = UINT32_MAX}; /* the source in hand */
    enum qpucc_stage stage = run->reading ? run->reading->stage : QPUCC_VERTEX;
    enum qpucc_limit met = ir_limit_met(run->arena);
    if (ir_cancelled(run->arena))
        return;
    if (met == QPUCC_LIMIT_COUNT)
        run_report(run, FE_ERROR, stage, place, "out of memory");
    else if (met == QPUCC_LIMIT_BYTES)
        run_limit(run, stage, place, "reading the shader takes more than %" PRIu64 " bytes of memory",
                  ir_limit(run->arena, met));
    else
        run_limit(run, stage, place, "reading the shader takes more than %" PRIu64 " steps of compile work",
                  ir_limit(run->arena, met));
}

static void list_includes(struct run *run, struct fe_glsl_result *result) {
    const char **files = ir_alloc(run->arena, (run->file_count + 1) * sizeof *files);
    if (ir_arena_oom(run->arena))
        return;
    result->files = files;
    for (size_t i = 0; i < run->file_count; i++)
        if (run_name_z(run, run->files[i])->included)
            files[result->file_count++] = run->files[i];
}

struct fe_glsl_result *fe_glsl_compile(const struct fe_source *sources, size_t count,
                                       const struct fe_options *options) {
    static const struct fe_options none;
    if (!options)
        options = &none;
    struct run run = {0};
    struct stage_work works[2] = {0};
    run.reading = count ? &sources[0] : NULL;
    if (!run_begin(&run, options->beside)) {
        run_end(&run);
        if (run.arena)
            ir_arena_destroy(run.arena);
        return NULL;
    }
    struct fe_glsl_result *result = ir_alloc(run.arena, sizeof *result);
    if (count < 1 || count > 2 || (count == 2 && sources[0].stage == sources[1].stage)) {
        uint32_t file =
            run_file(&run, count && sources[0].name ? sources[0].name : "shader", (struct place){0});
        run_report(&run, FE_ERROR, count ? sources[0].stage : QPUCC_VERTEX, (struct place){.file = file},
                   "expected one shader, or one vertex and one fragment shader");
    } else {
        result->stage_count = count;
        for (size_t i = 0; i < count; i++) {
            result->stages[i].stage = sources[i].stage;
            run.warnings[sources[i].stage == QPUCC_FRAGMENT] =
                run_warnings_of(sources[i].options ? sources[i].options : options);
            works[i].unit.source = &sources[i];
            works[i].unit.stage = sources[i].stage;
            works[i].unit.file =
                run_file(&run, sources[i].name ? sources[i].name : "shader", (struct place){0});
        }
        compile(&run, options, works, count, result);
    }
    run.failed |= ir_arena_oom(run.arena);
    if (run.failed)
        report_failure(&run);
    for (size_t i = 0; i < 2; i++) {
        tokens_free(&run, &works[i].unit.tokens);
        declarations_free(&works[i].declarations);
        buffer_free(&run, &works[i].check.text);
        buffer_free(&run, &works[i].code.text);
    }
    result->ok = run.error_count == 0 && !run.failed;
    for (size_t i = 0; i < 2 && !result->ok; i++) {
        ir_heap_free(result->stages[i].spirv);
        result->stages[i].spirv = NULL;
        result->stages[i].spirv_words = 0;
    }
    run_sort(&run);
    list_includes(&run, result);
    result->diagnostics = run.diagnostics;
    result->diagnostic_count = run.diagnostic_count;
    result->storage = run.arena;
    run_end(&run);
    return result;
}

void fe_glsl_result_free(struct fe_glsl_result *result) {
    if (!result)
        return;
    for (size_t i = 0; i < 2; i++)
        ir_heap_free(result->stages[i].spirv);
    ir_heap_free((void *)result->diagnostics);
    ir_arena_destroy(result->storage); /* it lies in there */
}
