/* rules.c: limits that have to be checked before glslang reads the text, because its parser and its tree
 * traversals recurse, and rules of GLSL ES 1.00 that glslang does not enforce at version 100. Each rule cites
 * its section of the specification.
 *
 * Requires: preprocessed tokens. Keeps: them; it only reports. */
#include "frontend/essl100/essl100.h"

#include <string.h>

static void error(struct run *run, const struct unit *unit, size_t token, const char *text) {
    run_report(run, FE_ERROR, unit->stage, unit->tokens.at[token].place, "%s", text);
}

/* --- limits --------------------------------------------------------------------------------------------- */

struct level {
    unsigned chain;   /* operators of the expression so far */
    unsigned pending; /* statements that wait for their substatement: if (a) if (b) …, and else if chains */
};

static bool starts_statement(const struct token *t) {
    return token_is(t, "if") || token_is(t, "for") || token_is(t, "while") || token_is(t, "do");
}

bool essl_limits(struct run *run, const struct unit *unit) {
    const struct tokens *tokens = &unit->tokens;
    unsigned nesting = run->limits.nesting;
    if (!essl_costs(run, unit))
        return false;
    struct level *levels = run_zeroed(run, nesting + 2, sizeof *levels);
    if (!levels)
        return false;
    unsigned depth = 0;
    size_t chain = 0, pending = 0;
    bool good = true;
    for (size_t i = 0; i < tokens->count && good; i++) {
        const struct token *t = &tokens->at[i];
        char c = t->kind == T_PUNCTUATION ? t->name->text[0] : 0;
        bool single = c && t->name->length == 1;
        if (single && (c == '(' || c == '[' || c == '{')) {
            if (++depth > nesting) {
                run_limit(run, unit->stage, t->place, "brackets are nested too deeply (limit %u)", nesting);
                good = false;
                break;
            }
            if (c == '{') {
                levels[depth].pending = (unsigned)pending;
                chain = 0;
            }
            chain++;
        } else if (single && (c == ')' || c == ']' || c == '}')) {
            if (c == '}')
                pending = levels[depth].pending;
            if (depth)
                depth--;
            if (c == '}')
                chain = 0;
        } else if (single && c == ';') {
            chain = 0;
        } else if (c) {
            chain++;
        }
        if (single && (c == ';' || c == '}') &&
            !(i + 1 < tokens->count && token_is(&tokens->at[i + 1], "else"))) {
            unsigned k = depth;
            pending = k ? levels[k].pending : 0;
        }
        if (t->kind == T_IDENTIFIER && starts_statement(t))
            pending++;
        if (chain > run->limits.chain) {
            run_limit(run, unit->stage, t->place, "the expression is too long (limit %u operators)",
                      run->limits.chain);
            good = false;
        } else if (pending > nesting * 2) {
            run_limit(run, unit->stage, t->place, "statements are nested too deeply (limit %u)", nesting * 2);
            good = false;
        }
    }
    return good;
}

/* A block that is named like a function: glslang 12 looks for the other variable of that name and follows a
 * null pointer. In ES 3.00 the language's functions are in the scope of the globals. */
bool essl_block_names(struct run *run, const struct unit *unit, const struct declarations *d) {
    bool good = true;
    for (size_t i = 0; i + 1 < unit->tokens.count; i++) {
        const struct token *t = &unit->tokens.at[i];
        if (t->kind != T_IDENTIFIER || !token_is(t + 1, "{") || token_is(t, "else") || token_is(t, "do") ||
            (i && token_is(t - 1, "struct")))
            continue;
        bool own = unit->es && essl_unit_word(unit, t->name) == WORD_FUNCTION;
        if (!own && !declarations_defines(d, t->name))
            continue;
        run_report(run, FE_ERROR, unit->stage, t->place, "'%s' is the name of a function already",
                   t->name->text);
        good = false;
    }
    return good;
}

/* `const` where nothing can have a value: on a block, on the members of one or of a structure, and on what a
 * function returns. glslang says so and goes on, and its folding then follows the constant that such a thing
 * does not have. */
bool essl_const_places(struct run *run, const struct unit *unit) {
    const struct tokens *tokens = &unit->tokens;
    size_t depth = 0, body = 0, word = SIZE_MAX; /* the body's depth; the statement's `const` */
    bool good = true, value = false; /* has the statement come to an initialiser or an array's size? */
    for (size_t i = 0; i < tokens->count; i++) {
        const struct token *t = &tokens->at[i];
        const char *wrong = NULL;
        size_t at = i;
        if (token_is(t, "layout") && i + 1 < tokens->count && token_is(t + 1, "(")) {
            i = essl_matching(tokens, i + 1);
            continue;
        }
        if (token_is(t, "const")) {
            word = i;
            if (body && depth >= body)
                wrong = "'const' is for variables and parameters, not for members of a structure or a block";
        } else if (token_is(t, "{") && word != SIZE_MAX && !value && word + 1 < i &&
                   tokens->at[i - 1].kind == T_IDENTIFIER && !token_is(t - 1, "struct") &&
                   !token_is(t - 2, "struct")) {
            wrong = "'const' is for variables and parameters, not for a block";
            at = word;
        } else if (token_is(t, "=") || token_is(t, "[")) {
            value = true;
        } else if (token_is(t, "(") && !depth && word != SIZE_MAX && !value && i &&
                   tokens->at[i - 1].kind == T_IDENTIFIER) {
            wrong = "'const' is for variables and parameters, not for what a function returns";
            at = word;
        }
        if (wrong) {
            error(run, unit, at, wrong);
            good = false;
        }
        if (token_is(t, "{")) {
            bool named = i && tokens->at[i - 1].kind == T_IDENTIFIER && !token_is(t - 1, "else") &&
                         !token_is(t - 1, "do");
            depth++;
            if (!body && named)
                body = depth;
        } else if (token_is(t, "}") && depth) {
            body = body == depth ? 0 : body;
            depth--;
        }
        if (token_is(t, ";") || token_is(t, "{") || token_is(t, "}") || token_is(t, "(")) {
            word = SIZE_MAX;
            value = false;
        }
    }
    return good;
}

void essl_rules_text(struct run *run, const struct unit *unit) {
    for (size_t i = 0; i < unit->tokens.count; i++) {
        const struct token *t = &unit->tokens.at[i];
        if (t->kind == T_IDENTIFIER && strstr(t->name->text, "__"))
            run_warn(run, QPUCC_WARN_reserved_name, unit->stage, t->place,
                     "'%s': names with two underscores in a row are reserved", t->name->text);
    }
}

/* Is that a call of a function of the user's that is void, with whatever arguments? */
static bool calls_void(const struct unit *unit, const struct declarations *d, size_t i) {
    bool found = false;
    if (i + 1 >= unit->tokens.count || d->meanings[i].kind != MEANS_FUNCTION ||
        !token_is(&unit->tokens.at[i + 1], "("))
        return false;
    for (size_t k = 0; k < d->function_count; k++) {
        const struct function *f = &d->functions[k];
        if (f->name != unit->tokens.at[i].name)
            continue;
        found = true;
        if (!f->token || !token_is(&unit->tokens.at[f->token - 1], "void"))
            return false;
    }
    return found;
}

/* Section 5.9: arithmetic unary operators work on numbers, vectors and matrices. glslang lets +s pass. */
static void check_unary_plus(struct run *run, const struct unit *unit, const struct declarations *d) {
    for (size_t i = 1; i + 1 < unit->tokens.count; i++) {
        const struct token *before = &unit->tokens.at[i - 1];
        if (!token_is(&unit->tokens.at[i], "+"))
            continue;
        bool binary = before->kind == T_NUMBER || token_is(before, ")") || token_is(before, "]") ||
                      (before->kind == T_IDENTIFIER && !token_is(before, "return"));
        struct shape operand = binary ? (struct shape){0} : essl_operand_shape(unit, d, i + 1);
        if (operand.structure || operand.array)
            error(run, unit, i,
                  operand.array ? "unary '+' does not work on an array"
                                : "unary '+' does not work on a struct");
        else if (!binary && calls_void(unit, d, i + 1))
            error(run, unit, i, "unary '+' works on numbers, but this is void");
    }
}

static bool is_assignment(const struct token *t) {
    const char *s = t->name->text;
    size_t n = t->name->length;
    if (t->kind != T_PUNCTUATION || n < 2)
        return false;
    return !strcmp(s, "++") || !strcmp(s, "--") || (s[n - 1] == '=' && !strchr("=!<>", s[0]));
}

/* Section 4.3 asks for constant initialisers at global scope. Programs rely on more (WebGL made it a rule):
 * other globals, uniforms and built-in functions are let through; what changes per vertex or fragment, or has
 * effects, is not. */
static void check_global_initialisers(struct run *run, const struct unit *unit,
                                      const struct declarations *d) {
    for (size_t k = 0; k < d->variable_count; k++) {
        const struct variable *v = &d->variables[k];
        bool value = false;
        unsigned depth = 0;
        for (size_t i = v->token + 1; i < v->end && i < unit->tokens.count; i++) {
            const struct token *t = &unit->tokens.at[i];
            value |= token_is(t, "=");
            depth += token_is(t, "(");
            depth -= token_is(t, ")") && depth;
            if (!value)
                continue;
            const struct meaning *m = &d->meanings[i];
            const struct variable *other = m->kind == MEANS_GLOBAL ? &d->variables[m->variable] : NULL;
            if (t->kind != T_IDENTIFIER && !is_assignment(t) && !token_is(t, "="))
                continue;
            if (other && (other->storage == STORE_ATTRIBUTE || other->storage == STORE_VARYING))
                run_report(run, FE_ERROR, unit->stage, t->place,
                           "'%s' has no value yet where a global is initialised", t->name->text);
            else if (m->kind == MEANS_NOTHING && !strncmp(t->name->text, "texture", 7) &&
                     essl_word(t->name) == WORD_FUNCTION)
                error(run, unit, i, "a global cannot be initialised from a texture");
            else if (!strncmp(t->name->text, "gl_", 3) && strncmp(t->name->text, "gl_Max", 6) &&
                     strcmp(t->name->text, "gl_DepthRange"))
                run_report(run, FE_ERROR, unit->stage, t->place,
                           "'%s' has no value yet where a global is initialised", t->name->text);
            else if (is_assignment(t) || (depth && token_is(t, "=")))
                error(run, unit, i, "the initialiser of a global cannot assign");
        }
    }
}

/* One of in, out and inout, and no structure's definition (section 9, the grammar, and 6.1). */
static void check_parameters(struct run *run, const struct unit *unit) {
    unsigned depth = 0, words = 0;
    for (size_t i = 0; i < unit->tokens.count; i++) {
        const struct token *t = &unit->tokens.at[i];
        depth += token_is(t, "(");
        depth -= token_is(t, ")") && depth;
        bool word = depth && (token_is(t, "in") || token_is(t, "out") || token_is(t, "inout"));
        if (!word && (!depth || token_is(t, "(") || token_is(t, ",")))
            words = 0;
        words += word;
        if (word && words == 2)
            error(run, unit, i, "a parameter is in, out or inout");
        bool listed = depth && i + 1 < unit->tokens.count && token_is(t, "void") &&
                      (token_is(t + 1, ",") || (token_is(t - 1, ",") && token_is(t + 1, ")")));
        if (listed)
            error(run, unit, i, "'void' says that there are no parameters, and stands alone");
        bool in_loop = depth == 1 && i > 1 && token_is(t - 2, "for");
        if (depth && token_is(t, "struct") && !in_loop)
            error(run, unit, i, "a struct cannot be defined inside a parameter list");
    }
}

/* A ';' of its own at global scope is in no version's grammar up to 4.50; drivers accept it. */
static void check_empty(struct run *run, const struct unit *unit, const struct declarations *d) {
    for (size_t i = 0; i < unit->tokens.count; i++)
        if (d->meanings[i].kind == MEANS_EMPTY && token_is(&unit->tokens.at[i], ";"))
            run_warn(run, QPUCC_WARN_empty_declaration, unit->stage, unit->tokens.at[i].place,
                     "a ';' without a declaration");
}

/* glslang checks variables and members of blocks, and structures only outside of functions. */
static void check_reserved(struct run *run, const struct unit *unit, const struct declarations *d) {
    for (size_t i = 0; i < unit->tokens.count; i++) {
        enum meaning_kind kind = d->meanings[i].kind;
        bool declared = kind == MEANS_MEMBER && i && !token_is(&unit->tokens.at[i - 1], ".");
        bool checked = kind == MEANS_TYPE || kind == MEANS_FUNCTION || declared ||
                       (unit->es && (kind == MEANS_BLOCK || kind == MEANS_LOCAL));
        if (checked && !strncmp(unit->tokens.at[i].name->text, "gl_", 3))
            error(run, unit, i, "names that begin with \"gl_\" are reserved");
    }
}

static bool says_interpolation(const struct unit *unit, const struct declarations *d, size_t i) {
    static const char *const words[] = {"flat", "smooth", "centroid", "noperspective"};
    for (size_t k = 0; d->meanings[i].kind == MEANS_NOTHING && k < sizeof words / sizeof *words; k++)
        if (token_is(&unit->tokens.at[i], words[k]))
            return true;
    return false;
}

/* GLSL ES 3.00 section 4.3.9: interpolation is for what goes in and out. */
static void check_interpolation(struct run *run, const struct unit *unit, const struct declarations *d) {
    for (size_t k = 0; k < d->variable_count; k++) {
        const struct variable *v = &d->variables[k];
        bool interface =
            v->storage == STORE_ATTRIBUTE || v->storage == STORE_VARYING || v->storage == STORE_OUTPUT;
        for (size_t i = v->begin; !interface && i < v->token && unit->tokens.at[i].name != v->type; i++)
            if (says_interpolation(unit, d, i))
                run_report(run, FE_ERROR, unit->stage, unit->tokens.at[i].place,
                           "'%s' is for inputs and outputs", unit->tokens.at[i].name->text);
    }
}

/* int or uint, for an expression of which that is seen without knowing more: a number, a name, a conversion.
 * */
static const char *integer_type(const struct unit *unit, const struct declarations *d, size_t begin,
                                size_t end) {
    const struct token *at = unit->tokens.at;
    while (begin < end && token_is(&at[begin], "-"))
        begin++;
    if (begin >= end)
        return NULL;
    const struct token *t = &at[begin];
    if (token_is(t, "int") || token_is(t, "uint"))
        return t->name->text;
    if (begin + 1 != end)
        return NULL;
    if (t->kind == T_NUMBER)
        return strpbrk(t->name->text, "uU") ? "uint" : "int";
    const struct meaning *m = &d->meanings[begin];
    const struct name *type = m->kind == MEANS_GLOBAL  ? d->variables[m->variable].type
                              : m->kind == MEANS_LOCAL ? m->type
                                                       : NULL;
    return type && (!strcmp(type->text, "int") || !strcmp(type->text, "uint")) ? type->text : NULL;
}

/* Labels have the type of what is switched on (ES 3.00 section 6.2). */
static void check_labels(struct run *run, const struct unit *unit, const struct declarations *d, size_t open,
                         size_t close, const char *type) {
    for (size_t i = open, depth = 0; i < close; i++) {
        const struct token *t = &unit->tokens.at[i];
        depth += token_is(t, "{");
        depth -= token_is(t, "}") && depth;
        if (depth != 1 || !token_is(t, "case"))
            continue;
        size_t end = i + 1;
        while (end < close && !token_is(&unit->tokens.at[end], ":"))
            end++;
        const char *label = integer_type(unit, d, i + 1, end);
        if (label && strcmp(label, type))
            run_report(run, FE_ERROR, unit->stage, unit->tokens.at[i + 1].place,
                       "a label of type %s in a switch over %s", label, type);
    }
}

static void check_switches(struct run *run, const struct unit *unit, const struct declarations *d) {
    for (size_t i = 0; i + 1 < unit->tokens.count; i++) {
        if (!token_is(&unit->tokens.at[i], "switch") || !token_is(&unit->tokens.at[i + 1], "("))
            continue;
        size_t close = essl_matching(&unit->tokens, i + 1);
        const char *type = integer_type(unit, d, i + 2, close);
        if (type && close + 1 < unit->tokens.count)
            check_labels(run, unit, d, close + 1, essl_matching(&unit->tokens, close + 1), type);
    }
}

static void check_locations(struct run *run, const struct unit *unit, const struct declarations *d) {
    enum {
        LOCATIONS = 16
    }; /* the minimum that ES 3.00 requires; the linker reports when more than 8 are used at once */
    for (size_t k = 0; k < d->variable_count; k++) {
        const struct variable *v = &d->variables[k];
        if (v->storage == STORE_ATTRIBUTE && v->location >= LOCATIONS)
            run_report(run, FE_ERROR, unit->stage, unit->tokens.at[v->token].place,
                       "location %d of '%s' is beyond the %d that there are", v->location, v->name->text,
                       LOCATIONS);
    }
}

/* The type of the parameter at a token, which moves behind the parameter; NULL: there is none. `length`: the
 * token before an array's length; 0: it is no array. */
static const struct name *parameter_type(const struct unit *unit, size_t close, size_t *i, size_t *length) {
    static const char *const qualifiers[] = {"const", "in", "out", "inout", "lowp", "mediump", "highp"};
    const struct token *at = unit->tokens.at;
    for (size_t k = 0; *i < close && k < sizeof qualifiers / sizeof *qualifiers;)
        if (token_is(&at[*i], qualifiers[k])) {
            ++*i;
            k = 0;
        } else {
            k++;
        }
    const struct name *type = *i < close && !token_is(&at[*i], "void") ? at[*i].name : NULL;
    for (*length = 0; *i < close && !token_is(&at[*i], ","); ++*i)
        if (token_is(&at[*i], "[")) {
            *length = *i;
            *i = essl_matching(&unit->tokens, *i);
        }
    *i += *i < close;
    return type;
}

/* Lengths that are written differently, [2] and [TWO], count as different: overloads may differ in nothing
 * else, and a legal program is not to be refused. Of such declarations precisions are not compared. */
static bool same_length(const struct unit *unit, size_t a, size_t b) {
    const struct token *at = unit->tokens.at;
    if (!a || !b)
        return a == b;
    size_t end = essl_matching(&unit->tokens, a), count = end - a;
    bool same = essl_matching(&unit->tokens, b) == b + count;
    for (size_t k = 1; k < count && same; k++)
        same = at[a + k].name == at[b + k].name;
    return same;
}

static bool same_parameters(const struct unit *unit, const struct function *a, const struct function *b) {
    const struct name *type;
    size_t i = a->open + 1, k = b->open + 1;
    do {
        size_t length, other;
        type = parameter_type(unit, a->close, &i, &length);
        if (parameter_type(unit, b->close, &k, &other) != type || !same_length(unit, length, other))
            return false;
    } while (type);
    return true;
}

/* Declarations of one function agree in their qualifiers (section 6.1); glslang compares the parameters'. */
static void check_prototypes(struct run *run, const struct unit *unit, const struct declarations *d) {
    size_t *before = NULL; /* of that name, + 1 */
    if (unit->es)
        before = run_zeroed(run, d->function_count + 1, sizeof *before);
    for (size_t k = 0; before && k < d->function_count; k++) {
        const struct function *f = &d->functions[k];
        before[k] = f->name->mark;
        ((struct name *)f->name)->mark = (uint32_t)k + 1;
        for (size_t other = before[k]; other; other = before[other - 1]) {
            const struct function *first = &d->functions[other - 1];
            if (first->precision == f->precision || !same_parameters(unit, first, f))
                continue;
            run_report(run, FE_ERROR, unit->stage, unit->tokens.at[f->token].place,
                       "'%s' was declared with another precision of what it returns", f->name->text);
            break;
        }
    }
    for (size_t k = 0; before && k < d->function_count; k++)
        ((struct name *)d->functions[k].name)->mark = 0;
}

/* Section 4.1.7: samplers are uniforms and parameters; what holds one is neither returned nor
 * written. */
static void check_sampler_structures(struct run *run, const struct unit *unit, const struct declarations *d) {
    for (size_t s = 0; s < d->structure_count; s++)
        if (d->structures[s].holds_sampler && d->structures[s].name)
            ((struct name *)d->structures[s].name)->mark = 1;
    for (size_t k = 0; k < d->function_count; k++) {
        const struct function *f = &d->functions[k];
        for (size_t i = f->token - (f->token > 0); i < f->close; i++) {
            const struct token *t = &unit->tokens.at[i];
            bool returned = i + 1 == f->token;
            bool written = i > f->open && (token_is(t - 1, "out") || token_is(t - 1, "inout"));
            if ((returned || written) && t->name->mark && d->meanings[i].kind == MEANS_TYPE)
                error(run, unit, i,
                      returned ? "a structure that holds a sampler is not returned"
                               : "a structure that holds a sampler is passed in, not out");
        }
    }
    for (size_t s = 0; s < d->structure_count; s++)
        if (d->structures[s].name)
            ((struct name *)d->structures[s].name)->mark = 0;
}

/* ES 1.00, section 5.9, and 1.10, section 4.1.9: nothing chooses between whole arrays; 1.20 has ?: of them.
 */
static void check_array_choices(struct run *run, const struct unit *unit, const struct declarations *d) {
    for (size_t i = 0; i + 2 < unit->tokens.count && unit->version <= 110; i++) {
        const struct meaning *m = &d->meanings[i + 1];
        bool array = m->kind == MEANS_LOCAL
                         ? m->array
                         : m->kind == MEANS_GLOBAL &&
                               d->variables[m->variable].array_close > d->variables[m->variable].array_open;
        if (array && token_is(&unit->tokens.at[i], "?") && token_is(&unit->tokens.at[i + 2], ":"))
            error(run, unit, i, "'?:' does not work on arrays here");
    }
}

/* ES 1.00, section 6.1.1: a function's type is known before. */
static void check_returned_definitions(struct run *run, const struct unit *unit,
                                       const struct declarations *d) {
    for (size_t k = 0; k < d->function_count && unit->version == 100; k++)
        if (d->functions[k].token && token_is(&unit->tokens.at[d->functions[k].token - 1], "}"))
            error(run, unit, d->functions[k].token,
                  "a struct cannot be defined where a function says what it returns");
}

/* layout(...) and interpolation are for what lies between stages and outside of them; glslang lets a function
 * have both. */
static void check_layouts(struct run *run, const struct unit *unit, const struct declarations *d) {
    for (size_t k = 0; k < d->function_count; k++) {
        size_t i = d->functions[k].token;
        while (i > 0 && !token_is(&unit->tokens.at[i - 1], ";") && !token_is(&unit->tokens.at[i - 1], "}"))
            i--;
        if (token_is(&unit->tokens.at[i], "layout") && d->meanings[i + 1].kind == MEANS_LAYOUT)
            error(run, unit, i, "a function has no layout");
        for (; i < d->functions[k].token; i++)
            if (says_interpolation(unit, d, i))
                run_report(run, FE_ERROR, unit->stage, unit->tokens.at[i].place,
                           "'%s' is for inputs and outputs, not for what a function returns",
                           unit->tokens.at[i].name->text);
        for (i = d->functions[k].open; i < d->functions[k].close; i++)
            if (token_is(&unit->tokens.at[i], "layout") && token_is(&unit->tokens.at[i + 1], "("))
                error(run, unit, i, "a parameter has no layout");
    }
}

/* glslang takes some calls of functions whose extension is off. */
static void check_foreign_calls(struct run *run, const struct unit *unit, const struct declarations *d) {
    for (size_t i = 0; i + 1 < unit->tokens.count; i++) {
        const struct token *t = &unit->tokens.at[i];
        if (t->kind == T_IDENTIFIER && token_is(t + 1, "(") && d->meanings[i].kind == MEANS_NOTHING &&
            essl_is_foreign_function(unit, t->name))
            run_report(run, FE_ERROR, unit->stage, t->place, "'%s': undeclared function", t->name->text);
    }
}

void all_rules(struct run *run, const struct unit *unit, const struct declarations *d) {
    check_empty(run, unit, d);
    check_parameters(run, unit);
    check_reserved(run, unit, d);
    check_unary_plus(run, unit, d);
    check_prototypes(run, unit, d);
    check_sampler_structures(run, unit, d);
    check_array_choices(run, unit, d);
    check_returned_definitions(run, unit, d);
    if (d->redeclared) /* ES 1.00 section 4.2.2; glslang knows it for later versions */
        run_report(run, FE_ERROR, unit->stage, unit->tokens.at[d->redeclared].place,
                   "'%s' is a parameter of this function already", unit->tokens.at[d->redeclared].name->text);
    check_interpolation(run, unit, d);
    check_layouts(run, unit, d);
    if (unit->version < 130)
        return;
    check_foreign_calls(run, unit, d);
    check_switches(run, unit, d);
    check_locations(run, unit, d);
}

void essl_rules(struct run *run, const struct unit *unit, const struct declarations *d) {
    check_global_initialisers(run, unit, d);
    /* Section 4.6.4: only gl_FragCoord and gl_PointCoord among the fragment shader's special inputs. */
    for (size_t i = 0; i < d->invariant_count; i++) {
        if (unit->stage == QPUCC_FRAGMENT && token_is(&unit->tokens.at[d->invariants[i]], "gl_FrontFacing"))
            error(run, unit, d->invariants[i], "gl_FrontFacing cannot be invariant");
    }
}

/* layout(index = 1): the colour that is only a factor of blending. */
static bool is_second(const struct unit *unit, const struct variable *v) {
    const struct token *at = unit->tokens.at;
    for (size_t i = v->begin; i + 2 < v->token; i++)
        if (token_is(&at[i], "index") && token_is(&at[i + 1], "=") && token_is(&at[i + 2], "1"))
            return true;
    return false;
}

/* GLSL ES 3.00 and desktop GLSL: what this hardware cannot do. */
void essl300_rules(struct run *run, const struct unit *unit, const struct declarations *d) {
    unsigned outputs[2] = {0, 0};
    for (size_t i = 0; i < d->variable_count; i++) {
        const struct variable *v = &d->variables[i];
        if (v->storage != STORE_OUTPUT)
            continue;
        const char *type = v->type->text;
        if (++outputs[is_second(unit, v)] == 2)
            error(run, unit, v->token,
                  "several colour outputs are not supported: the tile buffer holds one colour");
        if (type[0] == 'i' || type[0] == 'u')
            error(run, unit, v->token,
                  "integer colour outputs are not supported: the tile buffer holds normalised colours");
    }
}
