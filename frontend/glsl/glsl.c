/* glsl.c: the way of one compile, in order: preprocess, limits, check, rules, link, translate, rewrite. */
#include "frontend/essl100/essl100.h"

#include <stdlib.h>
#include <string.h>

struct stage_work {
    struct unit unit;
    struct declarations declarations;
    struct pass_text check, translation;
};

static struct fe_limits limits_of(const struct fe_options *options) {
    struct fe_limits l = options->limits;
    l.source_bytes = l.source_bytes ? l.source_bytes : (size_t)4 << 20;
    l.tokens = l.tokens ? l.tokens : 200000;
    l.nesting = l.nesting ? l.nesting : 200;
    l.chain = l.chain ? l.chain : 4000;
    l.include_depth = l.include_depth ? l.include_depth : 16;
    l.includes = l.includes ? l.includes : 1000;
    l.errors = l.errors ? l.errors : 100;
    return l;
}

/* --- glslang's words made ours
 * --------------------------------------------------------------------------------------- */

static struct place message_place(const struct unit *unit, const struct pass_text *text,
                                  const struct message *m) {
    const struct tokens *tokens = &unit->tokens;
    if (m->line < (long)text->first_line)
        return (struct place){.file = unit->file};
    size_t at = (size_t)m->line - text->first_line;
    if (at >= tokens->count)
        return unit->end;
    /* glslang often names the token after the one it quotes, or the operator before: look around on the same
     * line. */
    struct place line = tokens->at[at].place;
    for (size_t distance = 0; *m->token && distance < 16; distance++) {
        for (int side = 0; side < 2; side++) {
            size_t k = side ? at + distance : at - distance;
            if (k < tokens->count && tokens->at[k].place.line == line.line &&
                tokens->at[k].place.file == line.file && token_is(&tokens->at[k], m->token))
                return tokens->at[k].place;
        }
    }
    return line;
}

static bool is_noise(const char *text) {
    static const char *const noise[] = {"compilation terminated", "No code generated",
                                        "Missing entry point: Each stage"};
    if (!*text)
        return true;
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++) {
        if (strstr(text, noise[i]))
            return true;
    }
    return false;
}

/* The parser generator's names of tokens. */
static const char *const token_names[][2] = {
    {"LEFT_PAREN", "'('"},
    {"RIGHT_PAREN", "')'"},
    {"LEFT_BRACKET", "'['"},
    {"RIGHT_BRACKET", "']'"},
    {"LEFT_BRACE", "'{'"},
    {"RIGHT_BRACE", "'}'"},
    {"SEMICOLON", "';'"},
    {"COMMA", "','"},
    {"COLON", "':'"},
    {"QUESTION", "'?'"},
    {"EQUAL", "'='"},
    {"DOT", "'.'"},
    {"PLUS", "'+'"},
    {"DASH", "'-'"},
    {"STAR", "'*'"},
    {"SLASH", "'/'"},
    {"LEFT_ANGLE", "'<'"},
    {"RIGHT_ANGLE", "'>'"},
    {"BANG", "'!'"},
    {"AMPERSAND", "'&'"},
    {"IDENTIFIER", "a name"},
    {"INTCONSTANT", "a number"},
    {"FLOATCONSTANT", "a number"},
    {"TYPE_NAME", "a type"},
};

static const char *readable(struct run *run, const char *text) {
    const char *start = strstr(text, "syntax error");
    if (!start)
        return text;
    struct buffer out = {0};
    for (const char *p = text; *p;) {
        size_t n = strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        const char *to = NULL;
        for (size_t i = 0; n && i < sizeof token_names / sizeof *token_names && !to; i++) {
            if (strlen(token_names[i][0]) == n && strncmp(p, token_names[i][0], n) == 0)
                to = token_names[i][1];
        }
        if (to)
            buffer_add_z(run, &out, to);
        else
            buffer_add(run, &out, p, n ? n : 1);
        p += n ? n : 1;
    }
    const char *copy = run->failed ? text : ir_strdup(run->arena, out.text);
    free(out.text);
    return copy;
}

static void report_messages(struct run *run, const struct unit *unit, const struct pass_text *text,
                            struct messages *messages) {
    bool precision_said = false;
    for (size_t i = 0; i < messages->count; i++) {
        struct message *m = &messages->at[i];
        m->text = readable(run, essl_unalias(run, m->text));
        m->token = essl_unalias(run, m->token);
        if (is_noise(m->text))
            continue;
        struct place place = message_place(unit, text, m);
        enum fe_severity severity = m->warning ? FE_WARNING : FE_ERROR;
        if (strstr(m->text, "type requires declaration of default precision qualifier") &&
            !strstr(m->token, "sampler")) {
            if (!precision_said)
                run_report(
                    run, severity, unit->stage, place,
                    "'%s' has no precision: the fragment language has no default for float; declare one "
                    "(precision mediump float;) or pass -fdefault-precision=mediump",
                    m->token);
            else
                run->error_count += severity == FE_ERROR;
            precision_said = true;
            continue;
        }
        if (*m->token)
            run_report(run, severity, unit->stage, place, "'%s': %s", m->token, m->text);
        else
            run_report(run, severity, unit->stage, place, "%s", m->text);
    }
}

/* --- stages --------------------------------------------------------------------------------------------- */

static bool has_main(const struct declarations *d) {
    for (size_t i = 0; i < d->function_count; i++) {
        if (strcmp(d->functions[i].name->text, "main") == 0 && d->functions[i].body_close)
            return true;
    }
    return false;
}

/* The token that a syntax error is at, or -1. */
static long syntax_error_token(const struct messages *messages, const struct pass_text *text, size_t count) {
    for (size_t i = 0; i < messages->count; i++) {
        const struct message *m = &messages->at[i];
        if (!m->warning && strstr(m->text, "syntax error") && m->line >= (long)text->first_line)
            return m->line - (long)text->first_line < (long)count ? m->line - (long)text->first_line
                                                                  : (long)count - 1;
    }
    return -1;
}

/* What the left-out tokens named is now unknown for no fault of the user's. */
static void drop_consequences(struct run *run, const struct unit *unit, const bool *skip,
                              struct messages *messages) {
    for (size_t t = 0; t < unit->tokens.count; t++) {
        if (skip[t] && unit->tokens.at[t].kind == T_IDENTIFIER)
            ((struct name *)unit->tokens.at[t].name)->mark = 1;
    }
    for (size_t i = 0; i < messages->count; i++) {
        struct message *m = &messages->at[i];
        bool consequence = (*m->token && run_name_z(run, essl_unalias(run, m->token))->mark) ||
                           strstr(m->text, "function does not return a value");
        if (consequence && !strstr(m->text, "syntax error"))
            m->text = "";
    }
    for (size_t t = 0; t < unit->tokens.count; t++)
        ((struct name *)unit->tokens.at[t].name)->mark = 0;
}

#define MOST_RECOVERIES 8

/* Parses again without what holds the syntax error, for the errors behind it. */
static void recover(struct run *run, struct stage_work *w, enum fe_precision precision, long at) {
    const struct unit *unit = &w->unit;
    bool *skip = calloc(unit->tokens.count, sizeof *skip);
    struct engine *scratch = glslang_check_begin();
    for (int turn = 0; skip && scratch && turn < MOST_RECOVERIES && at >= 0 && !run->failed; turn++) {
        if (!essl_recover(unit, (size_t)at, skip))
            break;
        struct pass_text text = {0};
        struct messages messages = {0};
        essl_check_text(run, unit, &w->declarations, precision, skip, &text);
        bool good = run->failed || glslang_check_stage(run, scratch, &text, unit->stage, &messages);
        drop_consequences(run, unit, skip, &messages);
        report_messages(run, unit, &text, &messages);
        at = good ? -1 : syntax_error_token(&messages, &text, unit->tokens.count);
        free(messages.at);
        free(text.text.text);
    }
    glslang_check_end(scratch);
    free(skip);
}

static void check_stage(struct run *run, const struct fe_options *options, struct stage_work *w,
                        struct engine *checked) {
    struct unit *unit = &w->unit;
    size_t errors = run->error_count;
    preprocess(run, options, unit);
    enum fe_precision precision =
        unit->stage == FE_FRAGMENT && unit->es ? options->default_float_precision : FE_PRECISION_NONE;
    if (run->failed || unit->stopped || !unit->tokens.count || !essl_limits(run, unit))
        return;
    bool preprocessed = run->error_count == errors;
    if (unit->version == 100)
        essl_rules_text(run, unit);
    declarations_read(run, unit, precision, &w->declarations);
    if (run->failed || !essl_block_names(run, unit, &w->declarations))
        return;
    struct messages messages = {0};
    bool good = false;
    if (!run->failed)
        essl_check_text(run, unit, &w->declarations, precision, NULL, &w->check);
    if (!run->failed)
        good = glslang_check_stage(run, checked, &w->check, unit->stage, &messages);
    size_t before = run->error_count;
    report_messages(run, unit, &w->check, &messages);
    long at = good ? -1 : syntax_error_token(&messages, &w->check, unit->tokens.count);
    free(messages.at);
    if (run->failed)
        return;
    if (!good) {
        if (run->error_count == before && preprocessed)
            run_report(run, FE_ERROR, unit->stage, (struct place){unit->file, 0, 0},
                       "the shader could not be parsed");
        if (at >= 0)
            recover(run, w, precision, at);
        return;
    }
    if (!has_main(&w->declarations) && preprocessed)
        run_report(run, FE_ERROR, unit->stage, unit->end, "the shader has no 'void main()'");
    if (unit->version != 100)
        essl300_rules(run, unit, &w->declarations);
    if (!unit->es)
        desktop_rules(run, unit, &w->declarations);
    if (!run->failed && unit->version == 100)
        essl_rules(run, unit, &w->declarations);
}

/* The last use of a built-in variable that the text names; behind it the conflict is complete. */
static bool builtin_place(const struct unit *unit, const char *text, struct place *place) {
    for (size_t i = unit->tokens.count; i-- > 0;) {
        const struct token *token = &unit->tokens.at[i];
        if (token->kind == T_IDENTIFIER && !strncmp(token->name->text, "gl_", 3) &&
            strstr(text, token->name->text)) {
            *place = token->place;
            return true;
        }
    }
    return false;
}

/* The linker names symbols in its text, not lines: find the first name that this program declares. */
static struct place link_place(const struct stage_work *works, size_t count, struct run *run,
                               const char *text, enum fe_stage *stage) {
    for (size_t pass = count; pass-- > 0;) {
        const struct stage_work *w = &works[pass];
        for (const char *p = text; *p;) {
            size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
            if (!n) {
                p++;
                continue;
            }
            const struct variable *v = declarations_find(&w->declarations, run_name(run, p, n));
            for (size_t f = 0; f < w->declarations.function_count; f++) {
                if (w->declarations.functions[f].name == run_name(run, p, n)) {
                    *stage = w->unit.stage;
                    return w->unit.tokens.at[w->declarations.functions[f].token].place;
                }
            }
            if (v) {
                *stage = w->unit.stage;
                return w->unit.tokens.at[v->token].place;
            }
            p += n;
        }
    }
    struct place place = {.file = works[0].unit.file};
    *stage = works[0].unit.stage;
    for (size_t pass = count; pass-- > 0 && !place.line;)
        if (builtin_place(&works[pass].unit, text, &place))
            *stage = works[pass].unit.stage;
    return place;
}

static void link_stages(struct run *run, struct stage_work *works, size_t count, struct engine *checked) {
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
    if (count == 2 && !mixed && (works[0].unit.version == 100 || !works[0].unit.es)) {
        int v = works[0].unit.stage == FE_VERTEX ? 0 : 1;
        essl_link(run, &works[v].unit, &works[v].declarations, &works[1 - v].unit,
                  &works[1 - v].declarations);
    }
    if (!glslang_check_link(run, checked, &messages) && run->error_count == before) {
        bool other = false;
        for (size_t i = 0; i < messages.count; i++) {
            enum fe_stage stage;
            messages.at[i].text = essl_unalias(run, messages.at[i].text);
            if (works[0].unit.version == 100 &&
                strstr(messages.at[i].text, "Precision qualifiers must match"))
                continue; /* essl_link has judged: only what both stages use must agree */
            if (!works[0].unit.es && strstr(messages.at[i].text, "Anonymous member name used"))
                continue; /* glslang takes the compatibility profile's gl_PerVertex for one block of both
                             stages */
            other = true;
            struct place place = link_place(works, count, run, messages.at[i].text, &stage);
            if (!is_noise(messages.at[i].text))
                run_report(run, messages.at[i].warning ? FE_WARNING : FE_ERROR, stage, place, "link: %s",
                           messages.at[i].text);
        }
        if (run->error_count == before && (other || !messages.count))
            run_report(run, FE_ERROR, works[0].unit.stage, (struct place){.file = works[0].unit.file},
                       "link: the shaders do not fit together");
    }
    free(messages.at);
}

static void translate_stage(struct run *run, const struct fe_options *options, struct stage_work *w,
                            const struct unit *other, struct fe_stage_result *result) {
    struct unit *unit = &w->unit;
    struct messages messages = {0};
    size_t words = 0;
    essl_translate_text(run, unit, &w->declarations, other, options->default_float_precision,
                        &w->translation);
    uint32_t *spirv =
        run->failed ? NULL : glslang_translate(run, &w->translation, unit->stage, &words, &messages);
    if (!spirv && !run->failed) {
        /* The check let it through and the bridge's text does not parse: our mistake, and said so. */
        size_t before = run->error_count;
        for (size_t i = 0; i < messages.count; i++) {
            if (!messages.at[i].warning && !is_noise(messages.at[i].text))
                messages.at[i].text = run_format(run, "internal: translated shader: %s", messages.at[i].text);
        }
        report_messages(run, unit, &w->translation, &messages);
        if (run->error_count == before)
            run_report(run, FE_ERROR, unit->stage, (struct place){.file = unit->file},
                       "internal: the translated shader was refused without a message");
    }
    free(messages.at);
    if (spirv)
        result->spirv = module_rewrite(run, unit, &w->translation, spirv, words, &result->spirv_words);
    free(spirv);
}

/* --- the side table
 * --------------------------------------------------------------------------------------------------- */

static struct fe_symbol symbol_of(struct run *run, const struct unit *unit, const struct variable *v) {
    const struct token *t = &unit->tokens.at[v->token];
    return (struct fe_symbol){
        .name = v->name->text,
        .type_name = v->type->text,
        .precision = v->precision,
        .array = v->array_close != v->array_open || v->array_type,
        .flat = v->flat,
        .centroid = v->centroid,
        .invariant =
            v->invariant || (unit->invariant_all && unit->stage == FE_VERTEX && v->storage == STORE_VARYING),
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
        result->needs_external_sampler |= strcmp(v->type->text, "samplerExternalOES") == 0;
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

/* --- the whole
 * -------------------------------------------------------------------------------------------------------- */

static void compile(struct run *run, const struct fe_options *options, struct stage_work *works, size_t count,
                    struct fe_glsl_result *result) {
    struct engine *checked = glslang_check_begin();
    if (!checked) {
        run->failed = true;
        return;
    }
    for (size_t i = 0; i < count && !run->failed; i++) {
        check_stage(run, options, &works[i], checked);
        result->stages[i].version = works[i].unit.version;
        result->stages[i].es = works[i].unit.es;
    }
    if (!run->failed && !run->error_count)
        link_stages(run, works, count, checked);
    glslang_check_end(checked);
    for (size_t i = 0; i < count && !run->failed && !run->error_count; i++) {
        translate_stage(run, options, &works[i], count == 2 ? &works[1 - i].unit : NULL, &result->stages[i]);
        fill_symbols(run, &works[i], &result->stages[i]);
        result->stages[i].reads_framebuffer = works[i].unit.framebuffer_fetch;
        result->stages[i].upper_left = works[i].unit.upper_left;
    }
    if (run->failed || run->error_count)
        return;
    struct fe_stage_result *vertex = NULL, *fragment = NULL;
    for (size_t i = 0; i < count; i++)
        *(result->stages[i].stage == FE_VERTEX ? &vertex : &fragment) = &result->stages[i];
    struct stage_module modules[2] = {0};
    for (size_t i = 0; i < count; i++)
        modules[works[i].unit.stage == FE_FRAGMENT] = (struct stage_module){
            &works[i].unit, &works[i].declarations, result->stages[i].spirv, result->stages[i].spirv_words};
    essl_capacity(run, &modules[0], &modules[1]);
    module_match_locations(run, works[0].unit.version != 100, vertex ? vertex->spirv : NULL,
                           vertex ? vertex->spirv_words : 0, fragment ? fragment->spirv : NULL,
                           fragment ? fragment->spirv_words : 0);
}

static int compare_diagnostics(const void *pa, const void *pb) {
    const struct fe_diagnostic *a = pa, *b = pb;
    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    int file = strcmp(a->file, b->file);
    if (file)
        return file;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return strcmp(a->text, b->text);
}

struct fe_glsl_result *fe_glsl_compile(const struct fe_source *sources, size_t count,
                                       const struct fe_options *options) {
    static const struct fe_options none;
    struct fe_glsl_result *result = calloc(1, sizeof *result);
    if (!result)
        return NULL;
    if (!options)
        options = &none;
    struct run run = {.limits = limits_of(options)};
    struct stage_work works[2] = {0};
    if (!run_begin(&run)) {
        run_end(&run);
        if (run.arena)
            ir_arena_destroy(run.arena);
        free(result);
        return NULL;
    }
    if (count < 1 || count > 2 || (count == 2 && sources[0].stage == sources[1].stage)) {
        uint32_t file = run_file(&run, count && sources[0].name ? sources[0].name : "shader");
        run_report(&run, FE_ERROR, count ? sources[0].stage : FE_VERTEX, (struct place){.file = file},
                   "expected one shader, or one vertex and one fragment shader");
    } else {
        result->stage_count = count;
        for (size_t i = 0; i < count; i++) {
            result->stages[i].stage = sources[i].stage;
            works[i].unit.source = &sources[i];
            works[i].unit.stage = sources[i].stage;
            works[i].unit.file = run_file(&run, sources[i].name ? sources[i].name : "shader");
        }
        compile(&run, options, works, count, result);
    }
    if (run.failed)
        run_report(&run, FE_ERROR, count ? sources[0].stage : FE_VERTEX, (struct place){0}, "out of memory");
    for (size_t i = 0; i < 2; i++) {
        tokens_free(&works[i].unit.tokens);
        declarations_free(&works[i].declarations);
        free(works[i].check.text.text);
        free(works[i].translation.text.text);
    }
    result->ok = run.error_count == 0 && !run.failed;
    for (size_t i = 0; i < 2 && !result->ok; i++) {
        free(result->stages[i].spirv);
        result->stages[i].spirv = NULL;
        result->stages[i].spirv_words = 0;
    }
    if (run.diagnostic_count)
        qsort(run.diagnostics, run.diagnostic_count, sizeof *run.diagnostics, compare_diagnostics);
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
        free(result->stages[i].spirv);
    free((void *)result->diagnostics);
    ir_arena_destroy(result->storage);
    free(result);
}
