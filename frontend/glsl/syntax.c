/* syntax.c: what is wrong where glslang's grammar is left, judged by the tokens around: something missing
 * is said where it is missing, and a word of another language by its name.
 *
 * Requires: tokens with their meanings; a token at which glslang found a syntax error, the count for the
 * text's end. Keeps: both. */
#include "frontend/glsl/reasons.h"

#include <string.h>

static bool is(const struct unit *unit, size_t i, const char *spelling) {
    return i < unit->tokens.count && token_is(&unit->tokens.at[i], spelling);
}

static bool is_edge(const struct unit *unit, size_t i) {
    return is(unit, i, ";") || is(unit, i, "{") || is(unit, i, "}");
}

size_t reasons_begin(const struct unit *unit, size_t token) {
    size_t i = token < unit->tokens.count ? token : unit->tokens.count;
    while (i > 0 && !is_edge(unit, i - 1) && unit->tokens.at[i - 1].kind != T_DIRECTIVE)
        i--;
    return i;
}

size_t reasons_end(const struct unit *unit, size_t token) {
    while (token < unit->tokens.count && !is_edge(unit, token) && unit->tokens.at[token].kind != T_DIRECTIVE)
        token++;
    return token;
}

/* --- curly brackets ------------------------------------------------------------------------------------- */

/* The column at which the line of a token begins. */
static uint32_t indentation(const struct unit *unit, size_t token) {
    const struct token *at = unit->tokens.at;
    uint32_t line = at[token].place.line, column = at[token].place.column;
    while (token > 0 && at[token - 1].place.line == line && at[token - 1].place.file == at[token].place.file)
        column = at[--token].place.column;
    return column;
}

/* The '{' that misses its '}' in the text up to a token. By the indentation, where that tells: a '}' that
 * stands further left than the line of the '{' that it would close belongs to one around. Else the
 * innermost open one. SIZE_MAX: there is none. */
static size_t open_brace(const struct unit *unit, size_t end) {
    enum { MOST = 400 };
    size_t stack[MOST], depth = 0, suspect = SIZE_MAX;
    const struct token *at = unit->tokens.at;
    for (size_t i = 0; i < end && i < unit->tokens.count; i++) {
        if (is(unit, i, "{")) {
            if (depth < MOST)
                stack[depth] = i;
            depth++;
        } else if (is(unit, i, "}") && depth) {
            depth--;
            if (depth >= MOST || suspect != SIZE_MAX)
                continue;
            bool lines = at[stack[depth]].place.line != at[i].place.line;
            if (lines && indentation(unit, i) == at[i].place.column &&
                at[i].place.column < indentation(unit, stack[depth]))
                suspect = stack[depth];
        }
    }
    if (!depth)
        return SIZE_MAX;
    return suspect != SIZE_MAX ? suspect : depth <= MOST ? stack[depth - 1] : SIZE_MAX;
}

static size_t depth_at(const struct unit *unit, size_t token) {
    size_t depth = 0;
    for (size_t i = 0; i < token && i < unit->tokens.count; i++) {
        depth += is(unit, i, "{");
        depth -= is(unit, i, "}") && depth;
    }
    return depth;
}

/* --- words ---------------------------------------------------------------------------------------------- */

/* A name that a declaration begins with, and that is no type: `flot x`. */
static bool is_type_position(const struct unit *unit, size_t i, size_t begin) {
    static const char *const before[] = {"const",   "uniform", "attribute", "varying", "in", "out", "inout",
                                         "mediump", "highp",   "lowp",      "(",       ",",  "flat"};
    bool start = i == begin;
    for (size_t k = 0; i > begin && k < sizeof before / sizeof *before; k++)
        start |= is(unit, i - 1, before[k]);
    return start && i + 1 < unit->tokens.count && unit->tokens.at[i].kind == T_IDENTIFIER &&
           unit->tokens.at[i + 1].kind == T_IDENTIFIER;
}

static bool unknown_word(const struct unit *unit, const struct declarations *d, size_t i) {
    return d->meanings[i].kind == MEANS_NOTHING && essl_unit_word(unit, unit->tokens.at[i].name) == WORD_USER;
}

/* Ends it an operand or a declaration, so that a ';' may follow? */
static bool ends_operand(const struct unit *unit, size_t i) {
    const struct token *t = &unit->tokens.at[i];
    static const char *const words[] = {"return", "else",    "do",      "in",        "out",   "inout",
                                        "const",  "uniform", "varying", "attribute", "highp", "mediump",
                                        "lowp",   "struct",  "case",    "if",        "for",   "while"};
    for (size_t k = 0; t->kind == T_IDENTIFIER && k < sizeof words / sizeof *words; k++)
        if (token_is(t, words[k]))
            return false;
    return t->kind == T_IDENTIFIER || t->kind == T_NUMBER || token_is(t, ")") || token_is(t, "]") ||
           token_is(t, "++") || token_is(t, "--");
}

/* Round and square brackets that are open before a token of the statement: the last one, or SIZE_MAX. */
static size_t open_bracket(const struct unit *unit, size_t begin, size_t token) {
    size_t stack[64], depth = 0;
    for (size_t i = begin; i < token; i++) {
        if ((is(unit, i, "(") || is(unit, i, "[")) && depth < 64)
            stack[depth++] = i;
        else if ((is(unit, i, ")") || is(unit, i, "]")) && depth)
            depth--;
    }
    return depth ? stack[depth - 1] : SIZE_MAX;
}

/* --- the fault ------------------------------------------------------------------------------------------ */

static struct syntax_fault fault(size_t token, const char *text) {
    return (struct syntax_fault){.finding = {.token = token, .text = text}};
}

static struct syntax_fault missing(struct run *run, const struct unit *unit, size_t before, const char *what,
                                   const char *note) {
    return (struct syntax_fault){
        .finding = {.token = before,
                    .text = run_format(run, "syntax error, missing '%s' after '%s'%s", what,
                                       unit->tokens.at[before].name->text, note),
                    .after = true},
        .insert = what,
        .at = before + 1,
    };
}

static struct syntax_fault missing_brace(size_t brace, size_t at) {
    struct syntax_fault f = fault(brace, "syntax error, this '{' has no '}'");
    f.insert = "}";
    f.at = at;
    return f;
}

/* The first word before the token that the language lacks and others have. */
static struct syntax_fault foreign_word(struct run *run, const struct unit *unit,
                                        const struct declarations *d, size_t begin, size_t token) {
    for (size_t i = begin; i <= token && i < unit->tokens.count; i++) {
        const struct token *t = &unit->tokens.at[i];
        const char *hint = t->kind == T_IDENTIFIER && d->meanings[i].kind != MEANS_MEMBER &&
                                   (d->meanings[i].kind == MEANS_NOTHING || i == begin)
                               ? near_hint(unit, t->name->text)
                               : NULL;
        if (hint)
            return fault(
                i, run_format(run, "'%s': not in %s; %s", t->name->text, near_language(run, unit), hint));
    }
    return (struct syntax_fault){0};
}

static struct syntax_fault unknown_type(struct run *run, const struct unit *unit,
                                        const struct declarations *d, size_t begin, size_t token) {
    for (size_t i = begin; i <= token && i < unit->tokens.count; i++)
        if (is_type_position(unit, i, begin) && unknown_word(unit, d, i))
            return fault(i, run_format(run, "'%s': no such type%s", unit->tokens.at[i].name->text,
                                       near_name(run, unit, d, i, NEAR_TYPE)));
    return (struct syntax_fault){0};
}

/* `float a[2] = {1.0, 2.0}` and the like. */
const char *syntax_values(struct run *run, const struct unit *unit, size_t token) {
    if (!is(unit, token, "{") || !token || !is(unit, token - 1, "="))
        return NULL;
    return run_format(run, "%s has no lists of values in { }; %s", near_language(run, unit),
                      unit->version < (unit->es ? 300 : 120)
                          ? "assign the elements one by one"
                          : "write the type before them, as in float[2](...)");
}

/* `void f() {` in another function: a brace is missing before it if those of the whole text do not match. */
static struct syntax_fault inner_function(const struct unit *unit, size_t begin, size_t token) {
    size_t body = token;
    while (body < unit->tokens.count && !is_edge(unit, body))
        body++;
    size_t brace = open_brace(unit, unit->tokens.count) == SIZE_MAX ? SIZE_MAX : open_brace(unit, begin);
    if (brace != SIZE_MAX)
        return missing_brace(brace, begin);
    struct syntax_fault f = fault(begin + 1, "syntax error, a function inside a function; move it out");
    f.skip_begin = begin;
    f.skip_end = is(unit, body, "{") ? essl_matching(&unit->tokens, body) + 1 : body + 1;
    return f;
}

static bool is_type(const struct unit *unit, size_t i) {
    struct glsl_type type;
    return i < unit->tokens.count && glsl_type_of_word(unit->tokens.at[i].name->text, &type);
}

static bool same_place(struct place a, struct place b) {
    return a.file == b.file && a.line == b.line && a.column == b.column;
}

/* What other languages have, or a macro brings; no text: something else. */
static struct syntax_fault foreign_form(struct run *run, const struct unit *unit, size_t begin,
                                        size_t token) {
    const struct token *at = unit->tokens.at;
    struct syntax_fault none = {.insert = NULL};
    for (size_t i = token; i + 1 >= token && i > 0; i--) {
        if (!is(unit, i, ";") || !same_place(at[i].place, at[i - 1].place))
            continue;
        struct syntax_fault f =
            fault(i, "syntax error, the macro that stands here ends with a ';'; its #define needs none");
        f.remove = true;
        return f;
    }
    if (token > 1 && is(unit, token, ")") && is_type(unit, token - 1) && is(unit, token - 2, "("))
        return fault(token - 2, run_format(run, "syntax error, GLSL converts in another form; write %s(...)",
                                           at[token - 1].name->text));
    if (token && is(unit, token, "*") && is_type(unit, token - 1))
        return fault(token, "syntax error, GLSL has no pointers");
    if (token < unit->tokens.count && at[token].kind == T_NUMBER && !is_type(unit, token) &&
        strpbrk(at[token].name->text, "ghijklmnopqrstvwyzGHIJKLMNOPQRSTVWYZ_"))
        return fault(token, run_format(run, "syntax error, '%s' is no number; an operator is missing in it",
                                       at[token].name->text));
    if (!depth_at(unit, token) && begin + 1 < unit->tokens.count && at[begin].kind == T_IDENTIFIER &&
        is(unit, begin + 1, "(") && token <= begin + 1)
        return fault(begin,
                     run_format(run,
                                "syntax error, a function begins with the type of its value; write 'void "
                                "%s'",
                                at[begin].name->text));
    return none;
}

struct syntax_fault syntax_fault(struct run *run, const struct unit *unit, const struct declarations *d,
                                 size_t token) {
    size_t count = unit->tokens.count, begin = reasons_begin(unit, token);
    const struct token *at = unit->tokens.at;
    size_t brace = token >= count ? open_brace(unit, count) : SIZE_MAX;
    if (brace != SIZE_MAX)
        return missing_brace(brace, count);
    struct syntax_fault f = foreign_word(run, unit, d, begin, token);
    if (!f.finding.text)
        f = unknown_type(run, unit, d, begin, token);
    if (!f.finding.text)
        f = foreign_form(run, unit, begin, token);
    if (f.finding.text)
        return f;
    size_t bracket = open_bracket(unit, begin, token);
    bool loop = bracket != SIZE_MAX && bracket && is(unit, bracket - 1, "for");
    if (token && token <= count && bracket != SIZE_MAX && !loop &&
        (token == count || is(unit, token, ";") || is(unit, token, "{") || is(unit, token, "}")) &&
        ends_operand(unit, token - 1)) {
        f = missing(run, unit, token - 1, is(unit, bracket, "(") ? ")" : "]", "");
        return f;
    }
    if (token >= count)
        return fault(count ? count - 1 : 0, "syntax error, the text ends in the middle of a statement");
    const char *values = syntax_values(run, unit, token);
    if (values)
        return fault(token, values);
    if (is(unit, token, "}") && !depth_at(unit, token))
        return fault(token, "syntax error, a '}' without a '{' before it");
    if (is(unit, token, ")") && bracket == SIZE_MAX)
        return fault(token, "syntax error, a ')' without a '(' before it");
    if (is(unit, token, "]") && bracket == SIZE_MAX)
        return fault(token, "syntax error, a ']' without a '[' before it");
    if (is(unit, token, "else"))
        return fault(token,
                     "syntax error, 'else' without an 'if' before it; more than one statement needs { }");
    size_t depth = depth_at(unit, token);
    /* `void f() {` inside another function */
    bool function = depth && is(unit, token, "{") && token && is(unit, token - 1, ")") && begin + 2 < token &&
                    at[begin].kind == T_IDENTIFIER && at[begin + 1].kind == T_IDENTIFIER &&
                    is(unit, begin + 2, "(");
    function |=
        depth && begin + 1 < count && is(unit, token, "(") && token == begin + 2 && is(unit, begin, "void");
    if (function)
        return inner_function(unit, begin, token);
    bool directive = token && at[token - 1].kind == T_DIRECTIVE;
    bool begins = at[token].kind == T_IDENTIFIER || at[token].kind == T_NUMBER || is(unit, token, "}") ||
                  is(unit, token, "{") || is(unit, token, "++") || is(unit, token, "--");
    bool new_line = token && at[token].place.line != at[token - 1].place.line;
    if (token > begin && !directive && bracket == SIZE_MAX && ends_operand(unit, token - 1) && begins &&
        (new_line || is(unit, token, "}") || at[token - 1].kind != T_IDENTIFIER) && !is(unit, begin, "if"))
        return missing(run, unit, token - 1, ";", "");
    if (token == begin && token && is(unit, token - 1, "}") && at[token].kind == T_IDENTIFIER && !depth &&
        token > 1 && is(unit, token - 2, ";")) /* of a structure */
        return missing(run, unit, token - 1, ";", "");
    if (!depth && token >= begin && begin < count && at[begin].kind == T_IDENTIFIER &&
        (is(unit, begin, "if") || is(unit, begin, "for") || is(unit, begin, "while") ||
         is(unit, begin, "return") || d->meanings[begin].kind == MEANS_GLOBAL ||
         !strncmp(at[begin].name->text, "gl_", 3)))
        return fault(begin, "syntax error, a statement outside of a function");
    if (token && bracket != SIZE_MAX && ends_operand(unit, token - 1) &&
        (at[token].kind == T_IDENTIFIER || at[token].kind == T_NUMBER))
        return fault(
            token, run_format(run, "syntax error, unexpected '%s'; a ',' or an operator is missing before it",
                              at[token].name->text));
    return fault(token, run_format(run, "syntax error, unexpected '%s'", at[token].name->text));
}
