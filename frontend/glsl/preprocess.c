/* preprocess.c: the loop over lines, #if and its kin, #version, and characters that are no tokens.
 *
 * Macros are in macros.c, #include in include.c, the other directives in directives.c.
 *
 * This replaces glslang's preprocessor for two reasons. Here a token keeps its own file, line and column
 * through macros and #include, and work is bounded before it is done: every expanded token counts against a
 * limit. */
#include "frontend/glsl/macros.h"
#include "frontend/glsl/preprocess.h"

#include <stdlib.h>
#include <string.h>

#define DEEPEST_IF 256
enum { LONGEST_CHARACTER = 4 }; /* of UTF-8, in bytes */

void preprocess_error(struct preprocessor *pp, struct place place, const char *text) {
    run_report(pp->run, FE_ERROR, pp->unit->stage, place, "%s", text);
}

/* --- lines ---------------------------------------------------------------------------------------------- */

void preprocess_read_line(struct preprocessor *pp, struct tokens *line) {
    line->count = 0;
    for (;;) {
        struct lexer before = pp->lexer;
        struct token t = lexer_next(pp->run, &pp->lexer);
        if (t.kind == T_NEWLINE || t.kind == T_END || pp->run->failed) {
            pp->lexer = before;           /* the newline belongs to the caller's loop, */
            lexer_skip_space(&pp->lexer); /* those in a comment before it to this line */
            return;
        }
        if (!tokens_push(pp->run, line, t))
            return;
    }
}

void preprocess_expect_end(struct preprocessor *pp, const struct tokens *line, size_t from,
                           const char *directive) {
    if (line->count > from)
        run_report(pp->run, FE_ERROR, pp->unit->stage, line->at[from].place, "unexpected '%s' after #%s",
                   line->at[from].name->text, directive);
}

void preprocess_keep_line(struct preprocessor *pp, struct place place, const char *text) {
    struct token t = {.kind = T_DIRECTIVE, .place = place, .name = run_name_z(pp->run, text)};
    tokens_push(pp->run, &pp->unit->tokens, t);
}

/* For text that preprocessing alone is to give: the line as it is. */
static void keep_directive(struct preprocessor *pp, const struct token *word, const struct tokens *line) {
    struct buffer text = {0};
    buffer_add_z(pp->run, &text, "#");
    buffer_add_z(pp->run, &text, word->name->text);
    for (size_t i = 0; i < line->count; i++) {
        if (i == 0 || line->at[i].space)
            buffer_add_z(pp->run, &text, " ");
        buffer_add_z(pp->run, &text, line->at[i].name->text);
    }
    if (!pp->run->failed)
        preprocess_keep_line(pp, word->place, text.text);
    buffer_free(pp->run, &text);
}

/* --- #if and company ------------------------------------------------------------------------------------ */

static bool condition(struct preprocessor *pp, const struct tokens *line, struct place place) {
    struct tokens expanded = {0};
    bool value = false;
    pp->in_condition = true;
    if (macros_expand_list(pp, line, &expanded)) {
        struct expression_error error;
        value = expression_evaluate(pp->run, expanded.at, expanded.count, place, pp->unit->es, &error) != 0;
        if (error.text)
            preprocess_error(pp, error.place, error.text);
    }
    pp->in_condition = false;
    tokens_free(pp->run, &expanded);
    return value;
}

static bool is_if(const struct token *t) {
    return token_is(t, "if") || token_is(t, "ifdef") || token_is(t, "ifndef");
}

/* Skips lines until this group's #elif (if wanted and true), #else or #endif. True: the text goes on live. */
static void skip_group(struct preprocessor *pp, bool taken) {
    struct run *run = pp->run;
    unsigned depth = 0;
    struct tokens line = {0};
    bool start = true;
    while (!run->failed) {
        struct token t = lexer_next(run, &pp->lexer);
        if (t.kind == T_END)
            break; /* the caller reports the open #if */
        if (t.kind == T_NEWLINE) {
            start = true;
            continue;
        }
        bool directive = start && token_is(&t, "#");
        start = false;
        if (!directive)
            continue;
        struct lexer before = pp->lexer;
        struct token word = lexer_next(run, &pp->lexer);
        if (word.kind != T_IDENTIFIER) {
            pp->lexer = before;
            continue;
        }
        struct conditional *group = &pp->conditionals[pp->conditional_count - 1];
        if (is_if(&word)) {
            depth++;
        } else if (token_is(&word, "endif")) {
            if (depth == 0) {
                preprocess_read_line(pp, &line);
                preprocess_expect_end(pp, &line, 0, "endif");
                pp->conditional_count--;
                break;
            }
            depth--;
        } else if (depth == 0 && (token_is(&word, "else") || token_is(&word, "elif"))) {
            bool is_else = token_is(&word, "else");
            preprocess_read_line(pp, &line);
            if (group->had_else)
                run_report(run, FE_ERROR, pp->unit->stage, word.place, "#%s after #else", word.name->text);
            group->had_else |= is_else;
            if (is_else)
                preprocess_expect_end(pp, &line, 0, "else");
            if (!taken && (is_else || condition(pp, &line, word.place)))
                break;
        }
    }
    tokens_free(pp->run, &line);
}

static void begin_if(struct preprocessor *pp, const struct token *word, const struct tokens *line) {
    bool value;
    if (token_is(word, "if")) {
        value = condition(pp, line, word->place);
    } else {
        bool wanted = token_is(word, "ifdef");
        if (!line->count || line->at[0].kind != T_IDENTIFIER) {
            run_report(pp->run, FE_ERROR, pp->unit->stage, line->count ? line->at[0].place : word->place,
                       "#%s needs a name", word->name->text);
            value = false;
        } else {
            preprocess_expect_end(pp, line, 1, word->name->text);
            value = (line->at[0].name->macro != NULL) == wanted;
        }
    }
    if (pp->conditional_count >= DEEPEST_IF) {
        run_limit(pp->run, pp->unit->stage, word->place, "#if is nested more than %d deep", DEEPEST_IF);
        pp->stopped = true;
        return;
    }
    pp->conditionals[pp->conditional_count++] = (struct conditional){.place = word->place};
    if (!value)
        skip_group(pp, false);
}

/* --- the loop ------------------------------------------------------------------------------------------- */

/* What follows is of a language that the text was not read as: nothing else is said about it. */
static void late_version(struct preprocessor *pp, struct place hash, const struct tokens *line) {
    const char *given = line->count ? line->at[0].name->text : "";
    if (pp->unit->version_place.line || !pp->seen_token)
        preprocess_error(pp, hash, "#version must come first, and once");
    else
        run_report(
            pp->run, FE_ERROR, pp->unit->stage, hash,
            "#version must come first: only comments may stand before it, and without it this is GLSL ES "
            "1.00, not %s",
            given);
    pp->stopped = true;
}

static void directive(struct preprocessor *pp, struct place hash) {
    struct run *run = pp->run;
    struct lexer before = pp->lexer;
    struct token word = lexer_next(run, &pp->lexer);
    if (word.kind == T_NEWLINE || word.kind == T_END) {
        pp->lexer = before; /* a lone # */
        return;
    }
    if (token_is(&word, "include")) {
        preprocess_include(pp, word.place);
        return;
    }
    if (token_is(&word, "error")) {
        const char *rest = lexer_rest(run, &pp->lexer);
        run_report(run, FE_ERROR, pp->unit->stage, hash, "#error%s%s", *rest ? " " : "", rest);
        return;
    }
    struct tokens line = {0};
    preprocess_read_line(pp, &line);
    if (token_is(&word, "define")) {
        macros_define(pp, word.place, &line);
    } else if (token_is(&word, "undef")) {
        macros_undef(pp, word.place, &line);
    } else if (is_if(&word)) {
        begin_if(pp, &word, &line);
    } else if (token_is(&word, "else") || token_is(&word, "elif")) {
        struct conditional *group = pp->conditional_count > pp->conditional_base
                                        ? &pp->conditionals[pp->conditional_count - 1]
                                        : NULL;
        if (!group) {
            run_report(run, FE_ERROR, pp->unit->stage, hash, "#%s without #if", word.name->text);
        } else {
            if (group->had_else)
                run_report(run, FE_ERROR, pp->unit->stage, hash, "#%s after #else", word.name->text);
            if (token_is(&word, "else")) {
                group->had_else = true;
                preprocess_expect_end(pp, &line, 0, "else");
            }
            skip_group(pp, true);
        }
    } else if (token_is(&word, "endif")) {
        preprocess_expect_end(pp, &line, 0, "endif");
        if (pp->conditional_count > pp->conditional_base)
            pp->conditional_count--;
        else
            preprocess_error(pp, hash, "#endif without #if");
    } else if (token_is(&word, "version")) {
        if (pp->met_version || !pp->unit->version_place.line)
            late_version(pp, hash, &line);
        pp->met_version = true;
    } else if (token_is(&word, "extension")) {
        preprocess_extension(pp, &word, &line);
        if (pp->options->preprocess_only)
            keep_directive(pp, &word, &line);
    } else if (token_is(&word, "pragma")) {
        preprocess_pragma(pp, &word, &line);
        if (pp->options->preprocess_only)
            keep_directive(pp, &word, &line);
    } else if (token_is(&word, "line")) {
        preprocess_line_directive(pp, &word, &line);
    } else {
        run_report(run, FE_ERROR, pp->unit->stage, hash, "unknown directive '#%s'", word.name->text);
    }
    tokens_free(pp->run, &line);
}

/* Characters that editors, chats and web pages put in the place of those that were typed. */
static const struct {
    uint32_t first, last;
    const char *what;
} typographic[] = {
    {0xa0, 0xa0, "a no-break space: write a space"},
    {0xab, 0xab, "a typographic quote: GLSL has no text in quotes"},
    {0xbb, 0xbb, "a typographic quote: GLSL has no text in quotes"},
    {0xd7, 0xd7, "a multiplication sign: write *"},
    {0x200b, 0x200f, "an invisible character: delete it"},
    {0x2010, 0x2015, "a typographic dash: write -"},
    {0x2018, 0x201f, "a typographic quote: GLSL has no text in quotes"},
    {0x2026, 0x2026, "an ellipsis: write ..."},
    {0x2212, 0x2212, "a typographic minus sign: write -"},
    {0x3000, 0x3000, "an ideographic space: write a space"},
    {0xfeff, 0xfeff, "an invisible character: delete it"},
    {0xff01, 0xff5e, "a fullwidth character: write the ordinary one"},
};

/* The character of a UTF-8 sequence; 0: it is none. */
static uint32_t character_of(const struct name *name) {
    const unsigned char *p = (const unsigned char *)name->text;
    uint32_t c = name->length == 2 ? p[0] & 0x1f : name->length == 3 ? p[0] & 0x0f : p[0] & 0x07;
    for (size_t i = 1; i < name->length; i++)
        c = c << 6 | (p[i] & 0x3f);
    return name->length > 1 ? c : 0;
}

static void stray_character(struct preprocessor *pp, const struct token *t) {
    uint32_t c = character_of(t->name);
    const char *what = NULL;
    for (size_t i = 0; c && i < sizeof typographic / sizeof *typographic; i++)
        if (c >= typographic[i].first && c <= typographic[i].last)
            what = typographic[i].what;
    if (token_is(t, "\"") || token_is(t, "'"))
        preprocess_error(pp, t->place, "GLSL has no text in quotes");
    else if (what)
        run_report(pp->run, FE_ERROR, pp->unit->stage, t->place, "'%s' is %s", t->name->text, what);
    else if (c)
        run_report(pp->run, FE_ERROR, pp->unit->stage, t->place, "unexpected character '%s' (U+%04X)",
                   t->name->text, (unsigned)c);
    else
        run_report(pp->run, FE_ERROR, pp->unit->stage, t->place, "unexpected character 0x%02x",
                   (unsigned char)t->name->text[0]);
}

void preprocess_stray(struct preprocessor *pp, const struct token *t) {
    unsigned c = (unsigned char)t->name->text[0];
    if (t->name->length > LONGEST_CHARACTER)
        run_limit(pp->run, pp->unit->stage, t->place, "the token is too long (limit 1023 characters)");
    else if (c == '#')
        preprocess_error(pp, t->place, "'#' must be the first thing on its line");
    else if (c > ' ' && c < 127 && c != '"' && c != '\'')
        run_report(pp->run, FE_ERROR, pp->unit->stage, t->place, "unexpected character '%c'", (int)c);
    else if (pp->stray.line != t->place.line ||
             pp->stray.file != t->place.file) /* a quote that opens and one that closes */
        stray_character(pp, t);
    pp->stray = t->place;
    if (++pp->stray_count >= 20)
        pp->stopped = true; /* not a shader */
}

void preprocess_text(struct preprocessor *pp) {
    struct run *run = pp->run;
    size_t base = pp->conditional_base;
    pp->conditional_base = pp->conditional_count;
    bool start = true, after_stray = false;
    while (!pp->stopped && !run->failed) {
        struct token t = lexer_next(run, &pp->lexer);
        if (t.kind == T_END)
            break;
        if (t.kind == T_NEWLINE) {
            start = true;
            continue;
        }
        if (start && token_is(&t, "#") && t.kind == T_PUNCTUATION) {
            directive(pp, t.place);
            continue;
        }
        start = false;
        pp->seen_token = true;
        size_t before = pp->unit->tokens.count;
        bool is_stray = t.kind == T_STRAY || token_is(&t, "#") || token_is(&t, "##");
        if (is_stray)
            preprocess_stray(pp, &t);
        else if (t.kind != T_IDENTIFIER || !t.name->macro)
            tokens_push(run, &pp->unit->tokens, t);
        else if (!macros_expand(pp, t, &pp->unit->tokens)) {
            pp->stopped = true;
            break;
        }
        if (after_stray && pp->unit->tokens.count > before)
            pp->unit->tokens.at[before].after_stray = true;
        after_stray = is_stray || (after_stray && pp->unit->tokens.count == before);
        if (pp->unit->tokens.count > run->limits.tokens) {
            run_limit(run, pp->unit->stage, t.place, "the shader is too large: more than %zu tokens",
                      run->limits.tokens);
            pp->stopped = true;
        }
    }
    if (!pp->stopped && pp->lexer.unterminated_comment)
        preprocess_error(pp, pp->lexer.comment_place, "the comment is not closed");
    while (pp->conditional_count > pp->conditional_base) {
        pp->conditional_count--;
        if (!pp->stopped)
            preprocess_error(pp, pp->conditionals[pp->conditional_count].place, "#if without #endif");
    }
    pp->conditional_base = base;
    if (pp->include_depth == 0)
        pp->unit->end = (struct place){pp->lexer.file, pp->lexer.line, pp->lexer.column};
}

/* #version decides the predefined names, so it is read ahead. */
static bool find_version(struct preprocessor *pp, const char *text, size_t length) {
    struct run *run = pp->run;
    struct unit *unit = pp->unit;
    struct lexer lexer;
    unit->version = 100;
    unit->es = true;
    lexer_begin(&lexer, text, length, unit->file);
    struct token t;
    do
        t = lexer_next(run, &lexer);
    while (t.kind == T_NEWLINE);
    if (!token_is(&t, "#"))
        return true;
    struct place hash = t.place;
    t = lexer_next(run, &lexer);
    if (!token_is(&t, "version"))
        return true;
    unit->version_place = hash;
    t = lexer_next(run, &lexer);
    unsigned long number = t.kind == T_NUMBER ? strtoul(t.name->text, NULL, 10) : 0;
    struct token profile = lexer_next(run, &lexer);
    bool has_profile = profile.kind == T_IDENTIFIER;
    struct token after = has_profile ? lexer_next(run, &lexer) : profile;
    if (number == 0 || number > 1000 || strspn(t.name->text, "0123456789") != t.name->length ||
        (after.kind != T_NEWLINE && after.kind != T_END)) {
        preprocess_error(pp, t.place, "#version needs a number, and 'es' where the number is 300 or more");
        return false;
    }
    unit->version = (int)number;
    bool es_word = has_profile && token_is(&profile, "es");
    unit->es = number == 100 || es_word;
    if (number == 100 && has_profile) {
        preprocess_error(pp, profile.place, "#version 100 takes no profile");
        return false;
    }
    static const unsigned desktop[] = {110, 120, 130, 140, 150, 330};
    bool known = number == 100 || (number == 300 && es_word);
    for (size_t i = 0; i < sizeof desktop / sizeof *desktop && !es_word; i++)
        known |= number == desktop[i];
    if (!known) {
        run_report(
            run, FE_ERROR, unit->stage, t.place,
            "#version %lu%s%s is not supported: there are 100, 300 es, and 110, 120, 130, 140, 150 and 330",
            number, has_profile ? " " : "", has_profile ? profile.name->text : "");
        return false;
    }
    bool compatibility = has_profile && token_is(&profile, "compatibility"),
         core = has_profile && token_is(&profile, "core");
    if (!unit->es && has_profile && (number < 150 || (!compatibility && !core))) {
        run_report(run, FE_ERROR, unit->stage, profile.place, "#version %lu takes no profile '%s'", number,
                   profile.name->text);
        return false;
    }
    unit->compatibility = !unit->es && (number < 140 || compatibility);
    return true;
}

/* A line for glslang before the text. */
static void put_first(struct preprocessor *pp, struct place start, const char *text) {
    struct tokens *tokens = &pp->unit->tokens;
    preprocess_keep_line(pp, start, text);
    if (pp->run->failed)
        return;
    struct token line = tokens->at[tokens->count - 1];
    memmove(tokens->at + 1, tokens->at, (tokens->count - 1) * sizeof line);
    tokens->at[0] = line;
}

/* With -fpermissive derivatives need no #extension. */
static void enable_derivatives(struct preprocessor *pp, struct place start) {
    struct tokens *tokens = &pp->unit->tokens;
    const struct token *used = NULL;
    for (size_t i = 0; i < tokens->count && !used; i++)
        if (token_is(&tokens->at[i], "dFdx") || token_is(&tokens->at[i], "dFdy") ||
            token_is(&tokens->at[i], "fwidth"))
            used = &tokens->at[i];
    if (!used)
        return;
    run_warn(pp->run, QPUCC_WARN_permissive, pp->unit->stage, used->place,
             "'%s' needs '#extension GL_OES_standard_derivatives : enable', which -fpermissive supplies",
             used->name->text);
    pp->unit->derivatives = true;
    put_first(pp, start, "#extension GL_OES_standard_derivatives : enable");
}

/* GL_ARB_texture_rectangle is on where no directive says otherwise. glslang has to hear of that where it
 * matters. */
static void enable_rectangles(struct preprocessor *pp, struct place start) {
    static const char *const types[] = {"sampler2DRect", "sampler2DRectShadow"};
    struct tokens *tokens = &pp->unit->tokens;
    bool used = false;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        const struct name *type = run_name_z(pp->run, types[k]);
        for (size_t i = 0; i < tokens->count && !used; i++)
            used = tokens->at[i].name == type;
    }
    if (!used)
        return;
    put_first(pp, start, "#extension GL_ARB_texture_rectangle : enable");
}

void preprocess(struct run *run, const struct fe_options *options, struct unit *unit) {
    struct conditional conditionals[DEEPEST_IF];
    struct preprocessor pp = {.run = run, .options = options, .unit = unit, .conditionals = conditionals};
    const struct fe_source *source = unit->source;
    pp.path = source->name ? source->name : "";
    pp.base_file = unit->file;
    struct place start = {unit->file, 1, 1};
    if (source->length > run->limits.source_bytes) {
        run_limit(run, unit->stage, start, "the source is too large: %zu bytes, the limit is %zu",
                  source->length, run->limits.source_bytes);
        return;
    }
    const char *nul = source->length ? memchr(source->text, 0, source->length) : NULL;
    if (nul) {
        run_report(run, FE_ERROR, unit->stage, start, "the source is not text: a NUL byte at offset %zu",
                   (size_t)(nul - source->text));
        return;
    }
    if (find_version(&pp, source->text, source->length)) {
        macros_predefine(&pp);
        lexer_begin(&pp.lexer, source->text, source->length, unit->file);
        preprocess_text(&pp);
        unit->compatibility |= unit->arb_compatibility;
        if (!unit->es && unit->version < 140 && !options->preprocess_only)
            enable_rectangles(&pp, start);
        if (options->permissive && unit->version == 100 && unit->es && !unit->derivatives &&
            unit->stage == QPUCC_FRAGMENT && !options->preprocess_only)
            enable_derivatives(&pp, start);
        if (!unit->tokens.count && !run->error_count)
            run_report(run, FE_ERROR, unit->stage, start, "the shader is empty");
    }
    macros_end(&pp);
    unit->stopped = pp.stopped;
}
