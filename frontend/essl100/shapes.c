/* shapes.c: of how many columns and rows a constant expression is, before glslang has seen it.
 *
 * Requires: tokens with their meanings; brackets nest a bounded number of levels. The text may be wrong: then
 * any shape will do, because glslang refuses the text for its fault. Keeps: both.
 *
 * A descent through the grammar of expressions (GLSL ES 3.00 section 9). It reads tokens and builds nothing.
 */
#include "frontend/essl100/essl100.h"

#include <string.h>

static const struct shape none = {0}, scalar = {.columns = 1, .rows = 1};

struct cursor {
    const struct unit *unit;
    const struct declarations *d;
    size_t i, end;
};

static struct shape sequence(struct cursor *c);

static bool is(const struct cursor *c, const char *spelling) {
    return c->i < c->end && token_is(&c->unit->tokens.at[c->i], spelling);
}

static bool accept(struct cursor *c, const char *spelling) {
    bool yes = is(c, spelling);
    c->i += yes;
    return yes;
}

static struct shape vector(unsigned rows) {
    return (struct shape){.columns = 1, .rows = rows};
}

/* --- types ---------------------------------------------------------------------------------------------- */

static bool shape_of_word(const char *type, struct shape *s) {
    static const char *const scalars[] = {"float", "int", "uint", "bool"};
    size_t n = strlen(type);
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (!strcmp(type, scalars[i])) {
            *s = scalar;
            return true;
        }
    unsigned last = n && type[n - 1] >= '2' && type[n - 1] <= '4' ? (unsigned)(type[n - 1] - '0') : 0;
    if (!strncmp(type, "mat", 3) && (n == 4 || (n == 6 && type[4] == 'x')) && last)
        *s = (struct shape){.columns = (unsigned)(type[3] - '0'), .rows = last};
    else if (last && n <= 5 && !strncmp(type + (n == 5), "vec", 3))
        *s = vector(last);
    else
        return false;
    return true;
}

static struct shape shape_of_type(const struct name *type, const struct meaning *m) {
    struct shape s = {.structure = true, .members = m->members};
    if (!m->members && (!type || !shape_of_word(type->text, &s)))
        return m->structure ? s : none;
    return s;
}

static struct shape member(const struct cursor *c, size_t open, const struct name *name) {
    const struct token *at = c->unit->tokens.at;
    size_t i = open, close = i ? essl_matching(&c->unit->tokens, i) : 0, type = 0;
    bool array = false; /* the brackets stand at the type */
    for (bool begins = true; i && i < close; i++) {
        const struct token *t = &at[i];
        if (token_is(t, "{") || token_is(t, ";")) {
            begins = true;
        } else if (t->kind == T_IDENTIFIER && c->d->meanings[i].kind == MEANS_MEMBER) {
            struct shape s = shape_of_type(at[type].name, &c->d->meanings[type]);
            s.array = array || token_is(&at[i + 1], "[");
            if (t->name == name)
                return s;
            begins = false;
        } else if (t->kind == T_IDENTIFIER && begins) {
            type = i; /* the last word before the names */
            array = token_is(&at[i + 1], "[");
        }
    }
    return none;
}

/* --- operands ------------------------------------------------------------------------------------------- */

enum { MOST_ARGUMENTS = 4 };

/* Of a function of the language; `arguments` of those that there are not have no rows. */
static struct shape result(const struct token *function, const struct shape *arguments) {
    static const struct {
        const char *name;
        unsigned rows; /* of the vector that it gives */
    } fixed[] = {{"determinant", 1},   {"dot", 1},   {"length", 1},          {"distance", 1},
                 {"any", 1},           {"all", 1},   {"packSnorm2x16", 1},   {"packUnorm2x16", 1},
                 {"packHalf2x16", 1},  {"cross", 3}, {"unpackSnorm2x16", 2}, {"unpackUnorm2x16", 2},
                 {"unpackHalf2x16", 2}};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (token_is(function, fixed[i].name))
            return vector(fixed[i].rows);
    const struct shape a = arguments[0];
    if (token_is(function, "transpose"))
        return (struct shape){.columns = a.rows, .rows = a.columns};
    if (token_is(function, "outerProduct"))
        return (struct shape){.columns = arguments[1].rows, .rows = a.rows};
    if (token_is(function, "step"))
        return arguments[1];
    return token_is(function, "smoothstep") ? arguments[2] : a;
}

/* After the opening bracket. */
static void read_arguments(struct cursor *c, struct shape *arguments) {
    for (size_t n = 0; c->i < c->end && !is(c, ")"); n++) {
        size_t before = c->i;
        struct cursor one = *c;
        size_t depth = 0;
        for (; c->i < c->end; c->i++) { /* up to the comma */
            bool opens = is(c, "(") || is(c, "["), closes = is(c, ")") || is(c, "]");
            if (!depth && (closes || is(c, ",")))
                break;
            depth += opens;
            depth -= closes;
        }
        one.end = c->i;
        if (n < MOST_ARGUMENTS)
            arguments[n] = sequence(&one);
        if (!accept(c, ",") || c->i == before)
            break;
    }
    accept(c, ")");
}

static void skip_brackets(struct cursor *c) {
    c->i = essl_matching(&c->unit->tokens, c->i) + 1;
    c->i = c->i < c->end ? c->i : c->end;
}

static struct shape named(struct cursor *c) {
    const struct token *t = &c->unit->tokens.at[c->i];
    const struct meaning *m = &c->d->meanings[c->i++];
    struct shape s = none;
    if (m->kind == MEANS_GLOBAL) {
        const struct variable *v = &c->d->variables[m->variable];
        s = shape_of_type(v->type, m);
        s.array = v->array_type || v->array_close != v->array_open;
        return s;
    }
    if (m->kind == MEANS_LOCAL) {
        s = shape_of_type(m->type, m);
        s.array = m->array;
        return s;
    }
    if (m->kind == MEANS_FUNCTION) { /* no constant */
        if (is(c, "("))
            skip_brackets(c);
        return none;
    }
    if (m->kind == MEANS_TYPE)
        s = shape_of_type(NULL, m);
    bool constructs = m->kind == MEANS_TYPE || (m->kind == MEANS_NOTHING && shape_of_word(t->name->text, &s));
    if (constructs && is(c, "[")) {
        s.array = true;
        skip_brackets(c);
    }
    if (constructs && is(c, "("))
        skip_brackets(c);
    if (constructs || !is(c, "("))
        return constructs ? s : scalar; /* true, false, gl_Max... */
    struct shape arguments[MOST_ARGUMENTS] = {{0}};
    c->i++;
    read_arguments(c, arguments);
    return result(t, arguments);
}

static struct shape element(struct shape s) {
    if (s.array)
        s.array = false;
    else if (s.columns > 1)
        s = vector(s.rows);
    else if (s.rows > 1)
        s = scalar;
    return s;
}

static struct shape operand(struct cursor *c) {
    struct shape s = scalar;
    while (accept(c, "+") || accept(c, "-") || accept(c, "!") || accept(c, "~"))
        continue;
    if (accept(c, "(")) {
        s = sequence(c);
        accept(c, ")");
    } else if (c->i < c->end && c->unit->tokens.at[c->i].kind == T_IDENTIFIER) {
        s = named(c);
    } else {
        c->i++;
    }
    while (is(c, "[") || is(c, ".")) {
        if (is(c, "[")) {
            skip_brackets(c);
            s = element(s);
            continue;
        }
        c->i++;
        const struct name *name = c->i < c->end ? c->unit->tokens.at[c->i++].name : NULL;
        bool length = is(c, "(");
        if (length)
            skip_brackets(c);
        s = length || !name ? scalar
            : s.structure   ? member(c, s.members, name)
                            : vector((unsigned)name->length);
    }
    return s;
}

/* --- operators ------------------------------------------------------------------------------------------ */

static struct shape product(struct shape a, struct shape b) {
    if (a.columns > 1 && b.columns > 1)
        return (struct shape){.columns = b.columns, .rows = a.rows};
    if (a.columns > 1 && b.rows > 1)
        return vector(a.rows);
    if (a.rows > 1 && b.columns > 1)
        return vector(b.columns);
    return a.rows > 1 || b.rows < 2 ? a : b;
}

/* Products bind closer than sums, and both closer than what gives a scalar, or has operands of one shape. */
static struct shape factors(struct cursor *c) {
    struct shape s = operand(c);
    while (is(c, "*") || is(c, "/") || is(c, "%")) {
        bool matrix = is(c, "*");
        c->i++;
        struct shape b = operand(c);
        s = matrix ? product(s, b) : s.rows > 1 ? s : b;
    }
    return s;
}

static struct shape terms(struct cursor *c) {
    struct shape s = factors(c);
    while (is(c, "+") || is(c, "-")) {
        c->i++;
        struct shape b = factors(c);
        s = s.rows > 1 ? s : b;
    }
    return s;
}

static struct shape operators(struct cursor *c) {
    static const char *const bits[] = {"&", "|", "^", "<<", ">>"};
    static const char *const truths[] = {"<", ">", "<=", ">=", "==", "!=", "&&", "||", "^^"};
    struct shape s = terms(c);
    for (bool more = true; more && c->i < c->end;) {
        more = false;
        for (size_t k = 0; !more && k < sizeof bits / sizeof *bits; k++)
            if (accept(c, bits[k])) {
                struct shape b = terms(c);
                s = s.rows > 1 ? s : b;
                more = true;
            }
        for (size_t k = 0; !more && k < sizeof truths / sizeof *truths; k++)
            if (accept(c, truths[k])) {
                terms(c);
                s = scalar;
                more = true;
            }
    }
    return s;
}

static struct shape choice(struct cursor *c) {
    struct shape s = operators(c);
    bool chosen = false;
    while (accept(c, "?")) { /* a ? b : c ? d : e */
        struct shape b = sequence(c);
        s = chosen ? s : b;
        chosen = true;
        if (accept(c, ":"))
            operators(c);
    }
    return s;
}

static struct shape sequence(struct cursor *c) {
    struct shape s = choice(c);
    while (accept(c, ","))
        s = choice(c);
    return s;
}

struct shape essl_shape(const struct unit *unit, const struct declarations *d, size_t begin, size_t end) {
    struct cursor c = {unit, d, begin, end};
    return sequence(&c);
}

struct shape essl_operand_shape(const struct unit *unit, const struct declarations *d, size_t begin) {
    struct cursor c = {unit, d, begin, unit->tokens.count};
    return operand(&c);
}
