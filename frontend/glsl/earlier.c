/* earlier.c: the other place or the name that glslang leaves out of a message about a declaration or an
 * index.
 *
 * Works on tokens and their meanings alone; nothing is kept. Where it finds nothing glslang's words stay. */
#include "frontend/glsl/reasons.h"

#include <string.h>

/* Does the name at a token stand where its declaration has it? */
static bool declares(const struct unit *unit, size_t i) {
    const struct token *t = unit->tokens.at;
    size_t begin = reasons_begin(unit, i);
    if (!i || t[i - 1].kind != T_IDENTIFIER)
        return i && token_is(&t[i - 1], ",") && begin + 1 < i && t[begin].kind == T_IDENTIFIER &&
               t[begin + 1].kind == T_IDENTIFIER;
    return !token_is(&t[i - 1], "return") && !token_is(&t[i - 1], "else");
}

/* The '(' before the parameters of the function whose body begins there; 0: another block begins. */
static size_t parameters(const struct declarations *d, size_t brace) {
    for (size_t f = 0; f < d->function_count; f++)
        if (d->functions[f].body_open == brace && d->functions[f].body_close != brace)
            return d->functions[f].open;
    return 0;
}

/* The first token before `at` that declares the same name in the same scope, to which a function's
 * parameters belong; `at`: there is none. */
static size_t earlier(const struct unit *unit, const struct declarations *d, size_t at) {
    const struct token *t = unit->tokens.at;
    size_t found = at, until = 0;
    unsigned inner = 0; /* blocks and brackets that have ended before `at` */
    for (size_t i = at; i-- > until;) {
        if (token_is(&t[i], "}") || token_is(&t[i], ")"))
            inner++;
        else if (inner && (token_is(&t[i], "{") || token_is(&t[i], "(")))
            inner--;
        else if (token_is(&t[i], "{") || token_is(&t[i], "(")) {
            until = token_is(&t[i], "{") ? parameters(d, i) : i;
            if (!until || until == i)
                break;
            i--; /* the bracket that ends the parameters is no inner one */
        } else if (!inner && t[i].name == t[at].name && declares(unit, i))
            found = i;
    }
    return found;
}

/* The only other function of that name that has a body; `at`: there is none, or there are several. */
static size_t other_body(const struct unit *unit, const struct declarations *d, size_t at) {
    size_t found = at;
    for (size_t f = 0; f < d->function_count && d->functions[f].token < at; f++) {
        const struct function *other = &d->functions[f];
        if (other->name != unit->tokens.at[at].name || other->body_open == other->body_close)
            continue;
        if (found != at)
            return at;
        found = other->token;
    }
    return found;
}

const char *earlier_place(struct run *run, const struct unit *unit, const struct declarations *d, size_t at,
                          bool function) {
    const struct token *t = unit->tokens.at;
    size_t first = at >= unit->tokens.count ? at : function ? other_body(unit, d, at) : earlier(unit, d, at);
    if (first == at)
        return "";
    struct place place = t[first].place;
    if (place.file != t[at].place.file)
        return run_format(run, "; the first is at %s:%u", run->files[place.file], place.line);
    return run_format(run, "; the first is at line %u", place.line);
}

const char *earlier_array(struct run *run, const struct unit *unit, size_t token) {
    const struct token *t = unit->tokens.at;
    size_t bracket = token, begin = reasons_begin(unit, token);
    while (bracket > begin && !token_is(&t[bracket], "["))
        bracket--; /* glslang is somewhere in the size */
    if (!bracket || bracket + 2 >= unit->tokens.count || t[bracket - 1].kind != T_IDENTIFIER ||
        !token_is(&t[bracket], "["))
        return NULL;
    const char *name = t[bracket - 1].name->text;
    if (t[bracket + 1].kind == T_IDENTIFIER && token_is(&t[bracket + 2], "]"))
        return run_format(run, "'%s': the size of an array is a constant whole number, which '%s' is not",
                          name, t[bracket + 1].name->text);
    return run_format(run, "'%s': the size of an array is a constant whole number", name);
}

const char *earlier_index(struct run *run, const struct unit *unit, size_t bracket, const char *text) {
    static const char *const parts[][2] = {
        {"array", "element"}, {"vector", "component"}, {"matrix", "column"}};
    const struct token *t = unit->tokens.at;
    const char *index = strstr(text, " index out of range '");
    if (!index || !bracket || bracket >= unit->tokens.count || !token_is(&t[bracket], "[") ||
        t[bracket - 1].kind != T_IDENTIFIER)
        return NULL;
    index = strchr(index, '\'') + 1;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strncmp(text, parts[i][0], strlen(parts[i][0])))
            return run_format(run, "'%s': there is no %s %.*s", t[bracket - 1].name->text, parts[i][1],
                              (int)strcspn(index, "'"), index);
    return NULL;
}
