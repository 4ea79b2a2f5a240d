/* constants.c: what glslang does not fold where a constant is asked for, or folds wrongly.
 *
 * Requires: tokens with their meanings. Keeps: both.
 *
 * The check text has expressions of the same type there, which glslang folds: only their types are looked
 * at, unless the constant is an array's size or a case, which no program makes of these functions. The text
 * for code drops the statement's `const`, and that of constants that are made of its own, which desktop GLSL
 * allows at every scope, and ES by an extension. */
#include "frontend/essl100/essl100.h"
#include "ir/heap.h"

#include <string.h>

static const struct unfolded {
    const char *name;
    const char *before, *between, *after; /* around the arguments; between: instead of the comma */
    const char *type; /* before: a type of the argument's size; 'm': of the transposed one */
} functions[] = {
    {"matrixCompMult", "((", ")+(", "))", NULL},
    {"determinant", "((", NULL, ")[0][0])", NULL},
    {"inverse", "(2.0*(", NULL, "))", NULL},
    {"transpose", "(2.0*(", NULL, "))", "m"},
    {"sinh", "exp(", NULL, ")", NULL},
    {"cosh", "exp(", NULL, ")", NULL},
    {"tanh", "exp(", NULL, ")", NULL},
    {"asinh", "exp(", NULL, ")", NULL},
    {"acosh", "exp(", NULL, ")", NULL},
    {"atanh", "exp(", NULL, ")", NULL},
    {"packSnorm2x16", "uint(vec2(", NULL, ").x)", NULL},
    {"packUnorm2x16", "uint(vec2(", NULL, ").x)", NULL},
    {"packHalf2x16", "uint(vec2(", NULL, ").x)", NULL},
    {"unpackSnorm2x16", "vec2(uint(", NULL, "))", NULL},
    {"unpackUnorm2x16", "vec2(uint(", NULL, "))", NULL},
    {"unpackHalf2x16", "vec2(uint(", NULL, "))", NULL},
    {"floatBitsToInt", "(", NULL, ")", "i"},
    {"floatBitsToUint", "(", NULL, ")", "u"},
    {"intBitsToFloat", "(", NULL, ")", "f"},
    {"uintBitsToFloat", "(", NULL, ")", "f"},
};

static const struct unfolded *find(const struct unit *unit, const struct declarations *d, size_t i) {
    const struct token *t = &unit->tokens.at[i];
    if (t->kind != T_IDENTIFIER || d->meanings[i].kind != MEANS_NOTHING)
        return NULL;
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        if (*functions[k].name == *t->name->text && token_is(t, functions[k].name))
            return &functions[k];
    return NULL;
}

/* The initialiser of a constant, or of a global variable of a later version. */
static bool in_constant(const struct unit *unit, const struct declarations *d, size_t i) {
    bool initialiser = false;
    while (i-- > 0) {
        const struct token *t = &unit->tokens.at[i];
        if (token_is(t, "const"))
            return true;
        initialiser |= token_is(t, "=");
        if (initialiser && d->meanings[i].kind == MEANS_GLOBAL && i &&
            d->variables[d->meanings[i].variable].token == i)
            return true;
        if (token_is(t, ";") || token_is(t, "{") || token_is(t, "}"))
            return false;
    }
    return false;
}

/* --- the check ------------------------------------------------------------------------------------------ */

bool essl_unfolded(struct run *run, const struct unit *unit, const struct declarations *d, size_t i,
                   struct unfolded_call *call) {
    if (i + 1 >= unit->tokens.count || !token_is(&unit->tokens.at[i + 1], "("))
        return false;
    const struct unfolded *f = find(unit, d, i);
    if (!f || !in_constant(unit, d, i))
        return false;
    size_t close = essl_matching(&unit->tokens, i + 1), depth = 0, commas = 0;
    *call = (struct unfolded_call){i + 1, 0, close, f->before, f->between, f->after};
    for (size_t k = i + 1; k < close; k++) {
        const struct token *t = &unit->tokens.at[k];
        depth += token_is(t, "(") || token_is(t, "[");
        depth -= token_is(t, ")") || token_is(t, "]");
        if (depth == 1 && token_is(t, ",")) {
            call->comma = k;
            commas++;
        }
    }
    if (f->type) {
        struct shape s = essl_shape(unit, d, i + 2, close);
        if (*f->type == 'm' && s.columns > 1 && s.rows > 1 && s.columns != s.rows)
            call->before = run_format(run, "(mat%ux%u(", s.rows, s.columns);
        else if (*f->type != 'm' && s.rows > 1)
            call->before = run_format(run, "%svec%u(", *f->type == 'f' ? "" : f->type, s.rows);
        else if (*f->type != 'm')
            call->before = *f->type == 'f' ? "float(" : *f->type == 'i' ? "int(" : "uint(";
    }
    return commas == (f->between != NULL) && close < unit->tokens.count;
}

/* --- the text for code ---------------------------------------------------------------------------------- */

static bool is_marked(struct name *const *list, size_t count, const struct name *name) {
    for (size_t i = 0; i < count; i++)
        if (list[i] == name)
            return true;
    return false;
}

/* Of the token after the declaration that `const` begins; false: it is a parameter's. */
static bool end_of_constant(const struct unit *unit, size_t i, size_t *end) {
    while (i < unit->tokens.count && !token_is(&unit->tokens.at[i], ";") &&
           !token_is(&unit->tokens.at[i], "{"))
        i++;
    *end = i;
    return i < unit->tokens.count && token_is(&unit->tokens.at[i], ";");
}

bool *essl_unfolded_constants(struct run *run, const struct unit *unit, const struct declarations *d) {
    struct name **names = NULL;
    size_t count = 0, capacity = 0;
    bool *dropped = NULL;
    for (size_t i = 0; i < unit->tokens.count && !dropped && !run->failed; i++)
        if (find(unit, d, i))
            dropped = run_zeroed(run, unit->tokens.count, sizeof *dropped);
    for (size_t i = 0, end = 0; dropped && i < unit->tokens.count; i++) {
        if (!token_is(&unit->tokens.at[i], "const") || !end_of_constant(unit, i, &end))
            continue;
        for (size_t k = i; k < end && !dropped[i]; k++)
            dropped[i] = find(unit, d, k) || is_marked(names, count, unit->tokens.at[k].name);
        for (size_t k = i; dropped[i] && k < end; k++) {
            void *array = names;
            enum meaning_kind kind = d->meanings[k].kind;
            if ((kind != MEANS_LOCAL && kind != MEANS_GLOBAL) ||
                !run_grow(run, &array, &capacity, count, sizeof *names))
                continue;
            names = array;
            names[count++] = (struct name *)unit->tokens.at[k].name;
        }
    }
    ir_heap_free(names);
    return dropped;
}

/* --- constants, token by token -------------------------------------------------------------------------- */

static bool is_one_of(const struct token *t, const char *const *words) {
    for (; *words; words++)
        if (token_is(t, *words))
            return true;
    return false;
}

static bool is_constant_token(const struct unit *unit, const struct declarations *d, size_t i) {
    const struct meaning *m = &d->meanings[i];
    const struct name *name = unit->tokens.at[i].name;
    if (unit->tokens.at[i].kind != T_IDENTIFIER)
        return true;
    if (m->kind == MEANS_GLOBAL)
        return d->variables[m->variable].storage == STORE_CONST;
    if (m->kind == MEANS_NOTHING)
        return !name_begins(name, "gl_") || name_begins(name, "gl_Max");
    return m->kind == MEANS_LOCAL ? m->constant : m->kind != MEANS_FUNCTION;
}

/* --- sequences ------------------------------------------------------------------------------------------ */

/* In ES 1.00 a sequence of constants, (2, 3), is a constant itself (section 5.10), and GLSL 1.10 does not
 * exclude it (section 4.3.3). glslang has it so in no version, and gets the last operand alone. The others
 * have no effect; glsl.c has their errors looked for. */

/* Where the last operand of a constant sequence begins, which a bracket or a question mark opens; 0: nowhere.
 */
static size_t last_operand(const struct unit *unit, const struct declarations *d, size_t open) {
    static const char *const opening[] = {"(", "[", "?", NULL}, *const closing[] = {")", "]", ":", NULL};
    const struct token *at = unit->tokens.at;
    bool call = open && token_is(&at[open], "(") && at[open - 1].kind == T_IDENTIFIER;
    size_t depth = 0, last = 0;
    for (size_t i = open + 1; !call && i < unit->tokens.count && is_constant_token(unit, d, i); i++) {
        if (is_one_of(&at[i], opening))
            depth++;
        else if (is_one_of(&at[i], closing) && depth-- == 0)
            return last;
        else if (!depth && token_is(&at[i], ","))
            last = i + 1;
        else if (token_is(&at[i], ";") || token_is(&at[i], "{") || token_is(&at[i], "}"))
            return 0;
    }
    return 0;
}

bool *essl_sequence_operands(struct run *run, const struct unit *unit, const struct declarations *d) {
    bool *operands = NULL;
    for (size_t i = 0; i < unit->tokens.count && unit->version <= 110 && !run->failed; i++) {
        const struct token *t = &unit->tokens.at[i];
        bool opens = token_is(t, "(") || token_is(t, "[") || token_is(t, "?");
        size_t last = opens ? last_operand(unit, d, i) : 0;
        if (!last)
            continue;
        operands = operands ? operands : run_zeroed(run, unit->tokens.count, sizeof *operands);
        for (size_t k = i + 1; operands && k < last; k++)
            operands[k] = true;
    }
    return operands;
}

/* --- comparisons ---------------------------------------------------------------------------------------- */

/* glslang folds a comparison of vectors, matrices or structures to a truth value of as many words as they
 * have, which then differs from every other truth value. `!` folds to one word, so that a == b is written
 * !(a != b) where both are constant. */
static bool is_comparison(const struct token *t) {
    return token_is(t, "==") || token_is(t, "!=");
}

/* Ends an operand of == on either side, outside of brackets. A word does only as the language's: `case` is a
 * name in ES 1.00. */
static bool ends_operand(const struct unit *unit, const struct declarations *d, size_t i) {
    const struct token *t = &unit->tokens.at[i];
    if (t->kind == T_IDENTIFIER && d->meanings[i].kind != MEANS_NOTHING)
        return false;
    static const char *const words[] = {",", ";", "?", ":",      "&&",   "||",   "^^", "&", "|",
                                        "^", "{", "}", "return", "case", "else", "do", NULL};
    size_t n = t->name->length;
    bool assigns = t->kind == T_PUNCTUATION && t->name->text[n - 1] == '=' && !is_comparison(t) &&
                   !token_is(t, "<=") && !token_is(t, ">=");
    return assigns || is_one_of(t, words);
}

/* Does the token close a statement's condition? What follows is another statement. */
static bool ends_condition(const struct unit *unit, const struct declarations *d, size_t close) {
    static const char *const words[] = {"if", "while", "for", "switch", NULL};
    const struct token *at = unit->tokens.at;
    if (!token_is(&at[close], ")"))
        return false;
    size_t depth = 0, open = close;
    for (; open > 0; open--) {
        depth += token_is(&at[open], ")");
        depth -= token_is(&at[open], "(");
        if (!depth)
            break;
    }
    return open && d->meanings[open - 1].kind == MEANS_NOTHING && is_one_of(&at[open - 1], words);
}

static bool constant_operands(const struct unit *unit, const struct declarations *d, size_t i, size_t *left,
                              size_t *right) {
    static const char *const opening[] = {"(", "[", NULL}, *const closing[] = {")", "]", NULL};
    const struct token *at = unit->tokens.at;
    size_t depth = 0, k = i;
    for (; k > 0 && is_constant_token(unit, d, k - 1); k--) {
        if (!depth && ends_condition(unit, d, k - 1))
            break;
        if (is_one_of(&at[k - 1], closing))
            depth++;
        else if (is_one_of(&at[k - 1], opening) && depth-- == 0)
            break;
        else if (!depth && ends_operand(unit, d, k - 1))
            break;
    }
    *left = k;
    if (k == 0 || !is_constant_token(unit, d, k - 1))
        return false;
    for (k = i + 1, depth = 0; k < unit->tokens.count && is_constant_token(unit, d, k); k++) {
        if (is_one_of(&at[k], opening))
            depth++;
        else if (is_one_of(&at[k], closing) && depth-- == 0)
            break;
        else if (!depth && (ends_operand(unit, d, k) || is_comparison(&at[k])))
            break;
    }
    *right = k - 1;
    return k < unit->tokens.count && is_constant_token(unit, d, k);
}

struct negation *essl_constant_comparisons(struct run *run, const struct unit *unit,
                                           const struct declarations *d) {
    struct negation *list = NULL;
    for (size_t i = 1, left, right; i < unit->tokens.count; i++) {
        if (!is_comparison(&unit->tokens.at[i]) || !constant_operands(unit, d, i, &left, &right))
            continue;
        list = list ? list : run_zeroed(run, unit->tokens.count, sizeof *list);
        if (!list)
            return NULL;
        list[left].opens++;
        list[i].turns = true;
        list[right].closes++;
    }
    return list;
}
