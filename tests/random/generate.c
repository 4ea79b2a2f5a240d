/* The generator: which programs there are.
 *
 * Nothing undefined happens in them: everything is initialised, indices are in range, loops are bounded, no
 * two effects stand in one expression. And nothing unstable: conditions, indices and roundings see only exact
 * values (enum kind), fuzzy ones stay between -1 and 1 through operations that do not magnify errors much. */
#include "generate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VARIABLES = 160, MOST_FUNCTIONS = 4, MOST_PARAMETERS = 4, MEMBERS = 4, DEPTH = 4 };

/* Something that can be read, and perhaps written. */
struct variable {
    const char *name;
    enum kind kind;
    unsigned length;      /* of an array, 0: none */
    bool writable, whole; /* whole: declared as such, so it may be an out argument */
};

struct function {
    const char *name;
    enum kind result; /* STATEMENT: void */
    enum kind kind[MOST_PARAMETERS];
    bool out[MOST_PARAMETERS], effects; /* effects: some parameter is out or inout */
    unsigned count;
};

struct gen {
    struct pool *pool;
    uint64_t seed;
    struct variable variables[MOST_VARIABLES];
    unsigned count;
    struct function functions[MOST_FUNCTIONS];
    unsigned function_count;
    enum kind member[MEMBERS];
    unsigned names, loops, trips; /* loops around us; product of their trips */
    int statements;               /* left to make */
    bool fragment, in_function, structs;
};

static uint32_t pick(struct gen *g, uint32_t n) {
    g->seed = g->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((g->seed >> 33) % n);
}

static bool one_in(struct gen *g, uint32_t n) {
    return pick(g, n) == 0;
}

static unsigned size_of(enum kind kind) {
    return kind >= MATRIX ? kind - MATRIX + 2u : (unsigned)(kind - FUZZY) % 4 + 1;
}

/* The first of the kind's family: FUZZY for all fuzzy vectors. */
static enum kind family(enum kind kind) {
    return kind >= MATRIX ? MATRIX : (enum kind)(kind - (size_of(kind) - 1));
}

static enum kind vector(enum kind base, unsigned size) {
    return (enum kind)(base + size - 1);
}

static struct node *leaf(struct gen *g, enum kind kind, const char *text) {
    return node_new(g->pool, kind, text, 0);
}

static struct node *expression(struct gen *g, enum kind kind, int depth);

/* --- leaves -----------------------------------------------------------------------------------------------
 */

static struct node *literal(struct gen *g, enum kind kind) {
    char text[100] = "", one[24];
    unsigned n = size_of(kind);
    enum kind base = family(kind);
    if (kind == STRUCT || base == MATRIX)
        return expression(g, kind, 0);
    if (n > 1)
        snprintf(text, sizeof text, "%s(", kind_name(kind));
    for (unsigned i = 0; i < n; i++) {
        if (base == FUZZY)
            snprintf(one, sizeof one, "%.3f", (double)((int)pick(g, 2001) - 1000) / 1000);
        else if (base == EXACT)
            snprintf(one, sizeof one, "%.2f", (double)((int)pick(g, 33) - 16) / 4);
        else if (base == INT)
            snprintf(one, sizeof one, "%d", (int)pick(g, 17) - 8);
        else
            snprintf(one, sizeof one, "%s", one_in(g, 2) ? "true" : "false");
        bool negative = n == 1 && *one == '-';
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s%s", i ? ", " : "",
                 negative ? "(" : "", one, negative ? ")" : "");
    }
    if (n > 1)
        strcat(text, ")");
    return leaf(g, kind, pool_text(g->pool, "%s", text));
}

/* A variable of that kind, NULL if none: the newer ones more often. */
static const struct variable *some_variable(struct gen *g, enum kind kind, bool writable) {
    const struct variable *found = NULL;
    unsigned seen = 0;
    for (unsigned i = 0; i < g->count; i++) {
        const struct variable *v = &g->variables[i];
        if (v->kind != kind || (writable && !v->writable))
            continue;
        seen++;
        if (pick(g, seen) < (seen > 3 ? 2u : 1u))
            found = v;
    }
    return found;
}

static const char *swizzle(struct gen *g, unsigned from, unsigned to, bool distinct) {
    static const char sets[3][5] = {"xyzw", "rgba", "stpq"};
    const char *set = sets[pick(g, 6) % 3];
    unsigned order[4] = {0, 1, 2, 3};
    char text[5] = "";
    for (unsigned i = 0; i < to; i++) {
        unsigned other = distinct ? i + pick(g, from - i) : pick(g, from);
        unsigned chosen = order[other];
        if (distinct) {
            order[other] = order[i];
            order[i] = chosen;
        }
        text[i] = set[chosen];
    }
    return pool_text(g->pool, "%s", text);
}

/* Something that differs from pixel to pixel, or from vertex to vertex. */
static struct node *varying(struct gen *g, enum kind kind) {
    unsigned n = size_of(kind);
    if (kind >= BOOL)
        return NULL;
    if (!g->fragment)
        return family(kind) == FUZZY
                   ? leaf(g, kind, pool_text(g->pool, "a_position.%s", swizzle(g, 2, n, false)))
               : kind == INT ? leaf(g, kind, "corner")
                             : NULL;
    bool color = family(kind) == FUZZY && one_in(g, 3);
    return leaf(g, kind,
                pool_text(g->pool, "%s.%s",
                          color                   ? "v_color"
                          : family(kind) == FUZZY ? "v_uv"
                          : family(kind) == INT   ? "pixel"
                                                  : "place",
                          swizzle(g, color ? 4 : 2, n, false)));
}

static struct node *small(struct gen *g, enum kind kind, int depth);

/* An index below `length`, constant or not; mostly one that differs from pixel to pixel. */
static struct node *index_below(struct gen *g, unsigned length, int depth) {
    if (one_in(g, 4))
        return leaf(g, INT, pool_text(g->pool, "%u", pick(g, length)));
    struct node *place = one_in(g, 3) ? NULL : varying(g, INT);
    if (place && one_in(g, 2))
        place = node_new(g->pool, INT, "(%0 + %1)", 2, place, small(g, INT, DEPTH));
    else if (!place)
        place = expression(g, INT, depth > DEPTH - 2 ? DEPTH : DEPTH - 2);
    return node_new(g->pool, INT, pool_text(g->pool, "at(%%0, %u)", length), 1, place);
}

static struct node *element(struct gen *g, enum kind kind, const char *name, unsigned length, int depth) {
    return node_new(g->pool, kind, pool_text(g->pool, "%s[%%0]", name), 1, index_below(g, length, depth));
}

static struct node *read_variable(struct gen *g, enum kind kind, int depth) {
    const struct variable *v = some_variable(g, kind, false);
    enum kind base = family(kind);
    if (kind < MATRIX && (!v || one_in(g, 3))) { /* part of a larger one */
        unsigned size = size_of(kind) + pick(g, 5 - size_of(kind));
        const struct variable *large = size > 1 ? some_variable(g, vector(base, size), false) : NULL;
        if (large && !large->length && size_of(kind) == 1 && one_in(g, 3))
            return element(g, kind, large->name, size, depth);
        if (large && !large->length)
            return leaf(g, kind,
                        pool_text(g->pool, "%s.%s", large->name, swizzle(g, size, size_of(kind), false)));
    }
    if (!v && base == FUZZY && size_of(kind) > 1) {
        const struct variable *m = some_variable(g, (enum kind)(MATRIX + size_of(kind) - 2), false);
        if (m && !m->length)
            return element(g, kind, m->name, size_of(kind), depth);
    }
    if (!v)
        return NULL;
    return v->length ? element(g, kind, v->name, v->length, depth) : leaf(g, kind, v->name);
}

static struct node *small(struct gen *g, enum kind kind, int depth) {
    struct node *differs = one_in(g, 4) ? varying(g, kind) : NULL;
    if (differs)
        return differs;
    struct node *v = one_in(g, 5) ? NULL : read_variable(g, kind, depth);
    return v ? v : literal(g, kind);
}

/* --- operations -------------------------------------------------------------------------------------------
 */

static struct node *sub(struct gen *g, enum kind kind, int depth) {
    return expression(g, kind, depth + 1);
}

static struct node *unary(struct gen *g, enum kind kind, const char *text, enum kind of, int depth) {
    return node_new(g->pool, kind, text, 1, sub(g, of, depth));
}

static struct node *binary(struct gen *g, enum kind kind, const char *text, enum kind a, enum kind b,
                           int depth) {
    struct node *x = sub(g, a, depth), *y = sub(g, b, depth);
    return node_new(g->pool, kind, text, 2, x, y);
}

static struct node *ternary(struct gen *g, enum kind kind, int depth) {
    struct node *c = sub(g, BOOL, depth), *x = sub(g, kind, depth), *y = sub(g, kind, depth);
    return node_new(g->pool, kind, "(%0 ? %1 : %2)", 3, c, x, y);
}

/* A vector from smaller ones, or cut out of a larger one. */
static struct node *construct(struct gen *g, enum kind kind, int depth) {
    unsigned n = size_of(kind);
    enum kind base = family(kind);
    const char *name = kind_name(kind);
    if (n == 1) {
        unsigned size = 2 + pick(g, 3);
        return unary(g, kind, pool_text(g->pool, "%%0.%s", swizzle(g, size, 1, false)), vector(base, size),
                     depth);
    }
    switch (pick(g, 5)) {
    case 0: return unary(g, kind, pool_text(g->pool, "%s(%%0)", name), vector(base, 1), depth);
    case 1: {
        unsigned size = 2 + pick(g, 3);
        return unary(g, kind, pool_text(g->pool, "%%0.%s", swizzle(g, size, n, false)), vector(base, size),
                     depth);
    }
    case 2:
        if (n < 4)
            return unary(g, kind, pool_text(g->pool, "%s(%%0)", name), vector(base, n + 1), depth);
        return binary(g, kind, pool_text(g->pool, "%s(%%0, %%1)", name), vector(base, 2), vector(base, 2),
                      depth);
    default: {
        unsigned first = 1 + pick(g, n - 1);
        return binary(g, kind, pool_text(g->pool, "%s(%%0, %%1)", name), vector(base, first),
                      vector(base, n - first), depth);
    }
    }
}

/* A call of a function without effects that returns this; NULL if there is none. */
static struct node *call(struct gen *g, enum kind kind, int depth) {
    for (unsigned i = 0; i < g->function_count; i++) {
        const struct function *f = &g->functions[(i + g->names) % g->function_count];
        if (f->result != kind || f->effects)
            continue;
        char text[60];
        snprintf(text, sizeof text, "%s(", f->name);
        struct node *node = node_new(g->pool, kind, NULL, 0);
        for (unsigned p = 0; p < f->count; p++) {
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%%%u", p ? ", " : "", p);
            node_add(g->pool, node, sub(g, f->kind[p], depth));
        }
        strcat(text, ")");
        node->text = pool_text(g->pool, "%s", text);
        return node;
    }
    return NULL;
}

static struct node *fuzzy(struct gen *g, enum kind kind, int depth) {
    static const char *const one[] = {"(-%0)",
                                      "abs(%0)",
                                      "sin(%0 * 2.0)",
                                      "cos(%0 * 2.0)",
                                      "clamp(%0, -0.5, 0.75)",
                                      "sqrt(abs(%0) * 0.8 + 0.125)",
                                      "inversesqrt(abs(%0) + 1.0)",
                                      "exp2(-abs(%0))",
                                      "log2(abs(%0) + 1.0)",
                                      "exp(-abs(%0))",
                                      "log(abs(%0) + 1.0)",
                                      "smoothstep(-1.0, 1.5, %0)",
                                      "asin(%0 * 0.75)",
                                      "(acos(%0 * 0.75) * 0.3)",
                                      "atan(%0)",
                                      "tan(%0 * 0.5)",
                                      "(exp2(%0) * 0.5)",
                                      "(radians(%0 * 50.0))",
                                      "(degrees(%0) * 0.01)"};
    static const char *const two[] = {"((%0 + %1) * 0.5)",
                                      "((%0 - %1) * 0.5)",
                                      "(%0 * %1)",
                                      "min(%0, %1)",
                                      "max(%0, %1)",
                                      "(%0 / (abs(%1) + 1.0))",
                                      "pow(abs(%0) * 0.75 + 0.25, abs(%1) + 0.5)",
                                      "(atan(%0, abs(%1) + 0.5) * 0.6)",
                                      "(%0 / (%1 * 0.5 + 1.5) * 0.9)"};
    static const char *const shares[] = {"", "1.0", "0.5", "0.3", "0.25"};
    unsigned n = size_of(kind);
    struct node *made;
    switch (pick(g, 16)) {
    case 0:
    case 1: return unary(g, kind, one[pick(g, sizeof one / sizeof *one)], kind, depth);
    case 2:
    case 3:
    case 4:
    case 5: return binary(g, kind, two[pick(g, sizeof two / sizeof *two)], kind, kind, depth);
    case 6: return ternary(g, kind, depth);
    case 7: return construct(g, kind, depth);
    case 8: {
        struct node *x = sub(g, kind, depth), *y = sub(g, kind, depth),
                    *share = sub(g, one_in(g, 2) ? kind : FUZZY, depth);
        return node_new(g->pool, kind, "mix(%0, %1, %2 * 0.5 + 0.5)", 3, x, y, share);
    }
    case 9: { /* from another kind */
        static const enum kind kinds[] = {INT, EXACT, BOOL};
        enum kind from = kinds[pick(g, 3)];
        const char *text = from == BOOL  ? "%s(%%0)"
                           : from == INT ? "clamp(%s(%%0) * 0.0625, -1.0, 1.0)"
                                         : "clamp(%s(%%0) * 0.125, -1.0, 1.0)";
        return unary(g, kind, pool_text(g->pool, text, kind_name(kind)), vector(from, n), depth);
    }
    case 10: made = call(g, kind, depth); return made ? made : ternary(g, kind, depth);
    case 11:
        if (n > 1) {
            enum kind matrix = (enum kind)(MATRIX + n - 2);
            bool left = one_in(g, 2);
            return binary(g, kind, pool_text(g->pool, "(%%0 * %%1 * %s)", shares[n]), left ? matrix : kind,
                          left ? kind : matrix, depth);
        }
        n = 2 + pick(g, 3);
        return binary(g, kind, pool_text(g->pool, "(dot(%%0, %%1) * %s)", shares[n]), vector(FUZZY, n),
                      vector(FUZZY, n), depth);
    case 12:
        if (n == 1) {
            enum kind of = vector(FUZZY, 2 + pick(g, 3));
            return one_in(g, 2) ? unary(g, kind, "(length(%0) * 0.5)", of, depth)
                                : binary(g, kind, "(distance(%0, %1) * 0.25)", of, of, depth);
        }
        if (n == 3 && one_in(g, 2))
            return binary(g, kind, "(cross(%0, %1) * 0.5)", kind, kind, depth);
        return one_in(g, 2)
                   ? unary(g, kind, "normalize(%0 + 2.0)", kind, depth)
                   : binary(g, kind, pool_text(g->pool, "(reflect(%%0, normalize(%%1 + 2.0)) * 0.5)"), kind,
                            kind, depth);
    case 13:
        if (n == 4 && g->fragment && one_in(g, 2))
            return unary(g, kind, "texture2D(u_picture, %0 * 0.5 + 0.5)", vector(FUZZY, 2), depth);
        return binary(g, kind, one_in(g, 2) ? "(%0 * %1)" : "((%1 + %0) * 0.5)", kind, FUZZY, depth);
    default: return small(g, kind, depth);
    }
}

static struct node *exact(struct gen *g, enum kind kind, int depth) {
    static const char *const one[] = {"(-%0)",        "abs(%0)",    "floor(%0)",
                                      "ceil(%0)",     "fract(%0)",  "sign(%0)",
                                      "mod(%0, 4.0)", "(%0 * 0.5)", "clamp(%0, -2.0, 3.0)"};
    static const char *const two[] = {"(%0 + %1)",   "(%0 - %1)",    "min(%0, %1)",
                                      "max(%0, %1)", "step(%0, %1)", "(floor(%0) * sign(%1))"};
    switch (pick(g, 10)) {
    case 0:
    case 1: return unary(g, kind, one[pick(g, sizeof one / sizeof *one)], kind, depth);
    case 2:
    case 3: return binary(g, kind, two[pick(g, sizeof two / sizeof *two)], kind, kind, depth);
    case 4: return ternary(g, kind, depth);
    case 5: return construct(g, kind, depth);
    case 6:
        return unary(g, kind, pool_text(g->pool, "%s(%%0)", kind_name(kind)),
                     vector(one_in(g, 3) ? BOOL : INT, size_of(kind)), depth);
    default: return small(g, kind, depth);
    }
}

static struct node *integer(struct gen *g, enum kind kind, int depth) {
    struct node *made;
    switch (pick(g, 12)) {
    case 0:
    case 1: return binary(g, kind, "(%0 + %1)", kind, kind, depth);
    case 2: return binary(g, kind, "(%0 - %1)", kind, kind, depth);
    case 3: { /* products of small ones only */
        struct node *x = small(g, kind, depth), *y = small(g, one_in(g, 3) ? INT : kind, depth);
        return node_new(g->pool, kind, "(%0 * %1)", 2, x, y);
    }
    case 4: return unary(g, kind, pool_text(g->pool, "(%%0 / %u)", 2 + pick(g, 6)), kind, depth);
    case 5: return ternary(g, kind, depth);
    case 6: return construct(g, kind, depth);
    case 7:
        return unary(g, kind, pool_text(g->pool, "%s(%%0)", kind_name(kind)),
                     vector(one_in(g, 2) ? BOOL : EXACT, size_of(kind)), depth);
    case 8: made = call(g, kind, depth); return made ? made : unary(g, kind, "(-%0)", kind, depth);
    default: return small(g, kind, depth);
    }
}

static struct node *boolean(struct gen *g, enum kind kind, int depth) {
    static const char *const order[] = {"(%0 < %1)",  "(%0 <= %1)", "(%0 > %1)",
                                        "(%0 >= %1)", "(%0 == %1)", "(%0 != %1)"};
    static const char *const orders[] = {"lessThan(%0, %1)",    "lessThanEqual(%0, %1)",
                                         "greaterThan(%0, %1)", "greaterThanEqual(%0, %1)",
                                         "equal(%0, %1)",       "notEqual(%0, %1)"};
    static const char *const logic[] = {"(%0 && %1)", "(%0 || %1)", "(%0 ^^ %1)"};
    unsigned n = size_of(kind);
    enum kind of = one_in(g, 3) ? EXACT : INT;
    if (n > 1)
        switch (pick(g, 6)) {
        case 0: return unary(g, kind, "not(%0)", kind, depth);
        case 1: return construct(g, kind, depth);
        case 2: return unary(g, kind, pool_text(g->pool, "%s(%%0)", kind_name(kind)), vector(of, n), depth);
        case 3: return small(g, kind, depth);
        default: return binary(g, kind, orders[pick(g, 6)], vector(of, n), vector(of, n), depth);
        }
    switch (pick(g, 12)) {
    case 0: return unary(g, kind, "(!%0)", kind, depth);
    case 1:
    case 2: return binary(g, kind, logic[pick(g, 3)], kind, kind, depth);
    case 3: return unary(g, kind, one_in(g, 2) ? "any(%0)" : "all(%0)", vector(BOOL, 2 + pick(g, 3)), depth);
    case 4: {
        enum kind whole = vector(one_in(g, 3) ? BOOL : of, 2 + pick(g, 3));
        return binary(g, kind, order[4 + pick(g, 2)], whole, whole, depth);
    }
    case 5: return unary(g, kind, "bool(%0)", of, depth);
    case 6: return small(g, kind, depth);
    case 7: return ternary(g, kind, depth);
    default: return binary(g, kind, order[pick(g, 6)], of, of, depth);
    }
}

static struct node *matrix(struct gen *g, enum kind kind, int depth) {
    static const char *const products[] = {"(%0 * %1 * 0.5)", "(%0 * %1 * 0.3)", "(%0 * %1 * 0.25)"};
    unsigned n = size_of(kind);
    const struct variable *v = some_variable(g, kind, false);
    if (v && !v->length && (depth >= DEPTH || one_in(g, 3)))
        return leaf(g, kind, v->name);
    if (depth >= DEPTH)
        return node_new(g->pool, kind, pool_text(g->pool, "%s(%%0)", kind_name(kind)), 1, literal(g, FUZZY));
    switch (pick(g, 8)) {
    case 0: return binary(g, kind, "matrixCompMult(%0, %1)", kind, kind, depth);
    case 1: return binary(g, kind, "((%0 + %1) * 0.5)", kind, kind, depth);
    case 2: return binary(g, kind, products[n - 2], kind, kind, depth);
    case 3: return unary(g, kind, "(-%0)", kind, depth);
    case 4: return ternary(g, kind, depth);
    case 5: return binary(g, kind, "(%0 * %1)", kind, FUZZY, depth);
    case 6: return unary(g, kind, pool_text(g->pool, "%s(%%0)", kind_name(kind)), FUZZY, depth);
    default: {
        struct node *node = node_new(g->pool, kind,
                                     n == 2   ? "mat2(%0, %1)"
                                     : n == 3 ? "mat3(%0, %1, %2)"
                                              : "mat4(%0, %1, %2, %3)",
                                     0);
        for (unsigned i = 0; i < n; i++)
            node_add(g->pool, node, sub(g, vector(FUZZY, n), depth));
        return node;
    }
    }
}

static struct node *structure(struct gen *g, int depth) {
    const struct variable *v = some_variable(g, STRUCT, false);
    if (v && (depth >= DEPTH || one_in(g, 2)))
        return v->length ? element(g, STRUCT, v->name, v->length, depth) : leaf(g, STRUCT, v->name);
    struct node *made = depth < DEPTH ? call(g, STRUCT, depth) : NULL;
    if (made && one_in(g, 2))
        return made;
    if (depth < DEPTH && v && one_in(g, 3))
        return ternary(g, STRUCT, depth);
    made = node_new(g->pool, STRUCT, "S(%0, %1, %2, %3)", 0);
    for (unsigned i = 0; i < MEMBERS; i++)
        node_add(g->pool, made, sub(g, g->member[i], depth));
    return made;
}

static struct node *expression(struct gen *g, enum kind kind, int depth) {
    if (kind == STRUCT)
        return structure(g, depth);
    if (kind >= MATRIX)
        return matrix(g, kind, depth);
    if (depth >= DEPTH)
        return small(g, kind, depth);
    switch (family(kind)) {
    case FUZZY: return fuzzy(g, kind, depth);
    case EXACT: return exact(g, kind, depth);
    case INT: return integer(g, kind, depth);
    default: return boolean(g, kind, depth);
    }
}

/* What is kept in a variable is small again: loops may pass here often. */
static struct node *kept(struct gen *g, enum kind kind, int depth) {
    struct node *value = expression(g, kind, depth);
    const char *text = kind == INT                                 ? "wrap(%0)"
                       : kind < KINDS && kind > INT && kind < BOOL ? "(%0 - %0 / 16 * 16)"
                       : kind >= EXACT && kind < INT               ? "mod(%0, 8.0)"
                                                                   : NULL;
    if (!text || !value->count)
        return value;
    return node_new(g->pool, kind, text, 1, value);
}

/* --- statements -------------------------------------------------------------------------------------------
 */

static enum kind some_kind(struct gen *g) {
    switch (pick(g, 12)) {
    case 0:
    case 1:
    case 2:
    case 3: return vector(FUZZY, 1 + pick(g, 4));
    case 4: return vector(EXACT, 1 + pick(g, 4));
    case 5:
    case 6: return INT;
    case 7: return vector(INT, 2 + pick(g, 3));
    case 8: return vector(BOOL, 1 + pick(g, 4));
    case 9: return (enum kind)(MATRIX + pick(g, 3));
    case 10: return g->structs ? STRUCT : FUZZY;
    default: return one_in(g, 2) ? FUZZY : vector(FUZZY, 4);
    }
}

static const char *new_name(struct gen *g, const char *prefix) {
    return pool_text(g->pool, "%s%u", prefix, g->names++);
}

static void declare(struct gen *g, const char *name, enum kind kind, unsigned length, bool writable) {
    if (g->count + 1 + MEMBERS >= MOST_VARIABLES)
        return;
    g->variables[g->count++] = (struct variable){name, kind, length, writable, true};
    for (unsigned i = 0; kind == STRUCT && !length && i < MEMBERS; i++)
        g->variables[g->count++] =
            (struct variable){pool_text(g->pool, "%s.m%u", name, i), g->member[i], 0, writable, true};
}

static struct node *block(struct gen *g, int size);

static struct node *declaration(struct gen *g) {
    enum kind kind = some_kind(g);
    const char *name = new_name(g, "v");
    if (one_in(g, 4)) { /* an array, filled at once */
        unsigned length = 2 + pick(g, kind == STRUCT || kind >= MATRIX ? 2 : 4);
        struct node *node = node_new(g->pool, STATEMENT, NULL, 0);
        char text[400];
        snprintf(text, sizeof text, "%s %s[%u];", kind_name(kind), name, length);
        for (unsigned i = 0; i < length; i++) {
            snprintf(text + strlen(text), sizeof text - strlen(text), "\n%s[%u] = %%%u;", name, i, i);
            node_add(g->pool, node, kept(g, kind, DEPTH - 2));
        }
        node->text = pool_text(g->pool, "%s", text);
        declare(g, name, kind, length, true);
        return node;
    }
    struct node *node = node_new(
        g->pool, STATEMENT, pool_text(g->pool, "%s %s = %%0;", kind_name(kind), name), 1, kept(g, kind, 0));
    declare(g, name, kind, 0, true);
    return node;
}

static struct node *assignment(struct gen *g) {
    enum kind kind = some_kind(g);
    const struct variable *v = some_variable(g, kind, true);
    if (!v)
        return declaration(g);
    if (v->length) {
        if (one_in(g, 3))
            return node_new(g->pool, STATEMENT,
                            pool_text(g->pool, "%s[%u] = %%0;", v->name, pick(g, v->length)), 1,
                            kept(g, kind, 1));
        struct node *index = index_below(g, v->length, 2), *value = kept(g, kind, 1);
        if (kind < MATRIX && size_of(kind) > 1 && one_in(g, 3)) {
            enum kind part = vector(family(kind), 1);
            return node_new(
                g->pool, STATEMENT,
                pool_text(g->pool, "%s[%%0].%s = %%1;", v->name, swizzle(g, size_of(kind), 1, true)), 2,
                index, kept(g, part, 1));
        }
        return node_new(g->pool, STATEMENT, pool_text(g->pool, "%s[%%0] = %%1;", v->name), 2, index, value);
    }
    unsigned n = kind == STRUCT ? 0 : size_of(kind);
    if (n > 1 && kind < MATRIX && one_in(g, 3)) {
        unsigned part = 1 + pick(g, n);
        return node_new(g->pool, STATEMENT,
                        pool_text(g->pool, "%s.%s = %%0;", v->name, swizzle(g, n, part, true)), 1,
                        kept(g, vector(family(kind), part), 0));
    }
    if (n > 1 && one_in(g, 4)) { /* a component or column by index */
        enum kind part = kind >= MATRIX ? vector(FUZZY, n) : family(kind);
        struct node *index = index_below(g, n, 2);
        if (kind >= MATRIX && one_in(g, 3))
            return node_new(g->pool, STATEMENT, pool_text(g->pool, "%s[%%0][%u] = %%1;", v->name, pick(g, n)),
                            2, index, kept(g, FUZZY, 1));
        return node_new(g->pool, STATEMENT, pool_text(g->pool, "%s[%%0] = %%1;", v->name), 2, index,
                        kept(g, part, 1));
    }
    if (family(kind) == FUZZY && one_in(g, 3))
        return node_new(
            g->pool, STATEMENT,
            pool_text(g->pool, one_in(g, 2) ? "%s *= %%0;" : "%s += (%%0 - %s) * 0.5;", v->name, v->name), 1,
            expression(g, one_in(g, 3) ? FUZZY : kind, 1));
    if (kind == INT && one_in(g, 4))
        return leaf(g, STATEMENT, pool_text(g->pool, one_in(g, 2) ? "%s++;" : "--%s;", v->name));
    return node_new(g->pool, STATEMENT, pool_text(g->pool, "%s = %%0;", v->name), 1, kept(g, kind, 0));
}

/* A function with effects, on variables that differ from each other. */
static struct node *procedure(struct gen *g) {
    if (!g->function_count)
        return assignment(g);
    const struct function *f = &g->functions[pick(g, g->function_count)];
    const char *used[MOST_PARAMETERS] = {NULL};
    char text[160];
    struct node *node = node_new(g->pool, STATEMENT, NULL, 0);
    snprintf(text, sizeof text, "%s(", f->name);
    for (unsigned p = 0; p < f->count; p++) {
        if (p)
            strcat(text, ", ");
        if (!f->out[p]) {
            snprintf(text + strlen(text), sizeof text - strlen(text), "%%%u", node->count);
            node_add(g->pool, node, expression(g, f->kind[p], 2));
            continue;
        }
        const struct variable *v = NULL;
        for (int attempt = 0; attempt < 8 && !v; attempt++) {
            v = some_variable(g, f->kind[p], true);
            for (unsigned k = 0; v && k < p; k++) /* "s" and "s.m0" overlap */
                if (used[k] && !strncmp(used[k], v->name, strcspn(v->name, ".")))
                    v = NULL;
        }
        if (!v || strlen(text) + strlen(v->name) + 40 > sizeof text)
            return assignment(g);
        used[p] = v->name;
        snprintf(text + strlen(text), sizeof text - strlen(text), v->length ? "%s[%u]" : "%s", v->name,
                 v->length ? pick(g, v->length) : 0);
    }
    strcat(text, ");");
    node->text = pool_text(g->pool, "%s", text);
    return node;
}

static struct node *loop(struct gen *g) {
    static const char *const heads[] = {"for (int %s = 0; %s < %u; %s++) {",
                                        "for (int %s = %u; %s > 0; --%s) {",
                                        "for (int %s = 0; %s < u_n; %s++) {"};
    const char *name = new_name(g, "i");
    unsigned trips = 1 + pick(g, 5), kind = pick(g, 5), count = g->count;
    const char *head;
    if (g->trips * trips > 40 || g->loops > 2)
        return assignment(g);
    unsigned around = g->trips;
    g->trips *= kind == 2 ? 4 : trips;
    g->loops++;
    declare(g, name, INT, 0, false);
    struct node *body = block(g, 3);
    g->loops--;
    g->trips = around;
    g->count = count;
    switch (kind) {
    case 0: head = pool_text(g->pool, heads[0], name, name, trips, name); break;
    case 1: head = pool_text(g->pool, heads[1], name, trips, name, name); break;
    case 2: head = pool_text(g->pool, heads[2], name, name, name); break;
    case 3:
        return node_new(
            g->pool, STATEMENT,
            pool_text(g->pool, "int %s = 0;\nwhile (%s < %u && %%0) {\n%s++;\n%%1}", name, name, trips, name),
            2, expression(g, BOOL, 2), body);
    default:
        return node_new(g->pool, STATEMENT,
                        pool_text(g->pool, "int %s = 0;\ndo {\n%s++;\n%%1} while (%s < %u && %%0);", name,
                                  name, name, trips),
                        2, expression(g, BOOL, 2), body);
    }
    return node_new(g->pool, STATEMENT, pool_text(g->pool, "%s\n%%0}", head), 1, body);
}

static struct node *statement(struct gen *g) {
    g->statements--;
    switch (pick(g, 16)) {
    case 0:
    case 1:
    case 2:
    case 3: return declaration(g);
    case 4: {
        struct node *c = expression(g, BOOL, 1), *then = block(g, 3);
        return node_new(g->pool, STATEMENT, "if (%0) {\n%1}", 2, c, then);
    }
    case 5:
    case 6: {
        struct node *c = expression(g, BOOL, 1), *then = block(g, 3), *otherwise = block(g, 3);
        return node_new(g->pool, STATEMENT, "if (%0) {\n%1} else {\n%2}", 3, c, then, otherwise);
    }
    case 7:
    case 8: return loop(g);
    case 9: return procedure(g);
    case 10:
        if (g->loops)
            return node_new(g->pool, STATEMENT, one_in(g, 2) ? "if (%0) break;" : "if (%0) continue;", 1,
                            expression(g, BOOL, 2));
        return assignment(g);
    case 11:
        if (g->fragment && !g->in_function && one_in(g, 6))
            return node_new(g->pool, STATEMENT, "if (%0) discard;", 1, expression(g, BOOL, 1));
        return assignment(g);
    default: return assignment(g);
    }
}

static struct node *block(struct gen *g, int size) {
    struct node *list = node_new(g->pool, LIST, NULL, 0);
    unsigned count = g->count;
    for (int n = 1 + (int)pick(g, (uint32_t)size); n > 0 && g->statements > 0; n--)
        node_add(g->pool, list, statement(g));
    g->count = count;
    return list;
}

/* --- programs ---------------------------------------------------------------------------------------------
 */

static struct node *function(struct gen *g) {
    struct function f = {.name = new_name(g, "f"), .count = 1 + pick(g, MOST_PARAMETERS)};
    static const char *const ways[] = {"", "const in ", "inout ", "out "};
    struct node *node = node_new(g->pool, STATEMENT, NULL, 0), *body;
    unsigned count = g->count;
    char text[700] = "", begin[200] = "";
    f.result = one_in(g, 5) ? STATEMENT : some_kind(g);
    snprintf(text, sizeof text, "%s %s(", f.result == STATEMENT ? "void" : kind_name(f.result), f.name);
    for (unsigned p = 0; p < f.count; p++) {
        const char *name = new_name(g, "p");
        unsigned way = pick(g, 3) ? pick(g, 2) : 2 + pick(g, 2);
        f.kind[p] = some_kind(g);
        if (way == 3 && f.kind[p] == STRUCT)
            way = 2;
        f.out[p] = way > 1;
        f.effects |= f.out[p];
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s %s", p ? ", " : "", ways[way],
                 kind_name(f.kind[p]), name);
        if (way == 3)
            snprintf(begin + strlen(begin), sizeof begin - strlen(begin), "%s = %s;\n", name,
                     kind_literal(f.kind[p]));
        declare(g, name, f.kind[p], 0, way != 1);
    }
    g->in_function = true;
    g->trips = 8;
    int left = g->statements;
    g->statements = 5;
    body = node_new(g->pool, LIST, NULL, 0);
    for (int n = (int)pick(g, 4); n > 0; n--)
        node_add(g->pool, body, statement(g));
    node_add(g->pool, node, body);
    if (f.result != STATEMENT) {
        if (one_in(g, 3)) {
            struct node *c = expression(g, BOOL, 2), *early = kept(g, f.result, 2);
            node_add(g->pool, body, node_new(g->pool, STATEMENT, "if (%0) return %1;", 2, c, early));
            node_add(g->pool, body, statement(g));
        }
        node_add(g->pool, node, kept(g, f.result, 1));
    }
    g->statements = left;
    g->in_function = false;
    g->trips = 1;
    node->text =
        pool_text(g->pool, "%s) {\n%s%%0%s}", text, begin, f.result == STATEMENT ? "" : "return %1;\n");
    g->count = count;
    g->functions[g->function_count++] = f;
    return node;
}

/* A vec4 in -1..1 that depends on the variable; NULL if there is no way. */
static struct node *shown(struct gen *g, const struct variable *v) {
    if (v->kind == STRUCT)
        return NULL; /* its members are variables too */
    const char *name = v->length ? pool_text(g->pool, "%s[at(%s, %u)]", v->name,
                                             g->fragment ? "pixel.x" : "corner", v->length)
                                 : v->name;
    unsigned n = size_of(v->kind);
    static const char *const wide[] = {"%s * vec4(1.0, -1.0, 0.5, 1.0)", "%s.xyxy", "%s.xyzx", "%s"};
    const char *value = v->kind >= MATRIX
                            ? n == 2   ? pool_text(g->pool, "vec4(%s[0], %s[1])", name, name)
                              : n == 3 ? pool_text(g->pool, "vec4(%s[%u], %s[2].x)", name, pick(g, 2), name)
                                       : pool_text(g->pool, "%s[%u]", name, pick(g, 4))
                            : NULL;
    if (!value) {
        const char *plain =
            family(v->kind) == FUZZY ? name
            : family(v->kind) == BOOL
                ? pool_text(g->pool, "%s(%s)", kind_name(vector(FUZZY, n)), name)
                : pool_text(g->pool, "clamp(%s(%s) * 0.0625, -1.0, 1.0)", kind_name(vector(FUZZY, n)), name);
        value = pool_text(g->pool, wide[n - 1], plain);
    }
    return leaf(g, vector(FUZZY, 4), value);
}

static const char helpers[] = "int wrap(int x) {\nreturn x - x / 16 * 16;\n}\n"
                              "int at(int x, int n) {\nint r = x - x / n * n;\nreturn r < 0 ? r + n : r;\n}";

static struct node *shader(struct gen *g, const char *globals, const char *first, const char *result,
                           int size) {
    struct node *root = node_new(g->pool, LIST, NULL, 0), *body = node_new(g->pool, LIST, NULL, 0);
    node_add(g->pool, root, leaf(g, STATEMENT, globals));
    if (g->structs)
        node_add(
            g->pool, root,
            leaf(g, STATEMENT,
                 pool_text(g->pool, "struct S {\n%s m0;\n%s m1;\n%s m2;\n%s m3;\n};", kind_name(g->member[0]),
                           kind_name(g->member[1]), kind_name(g->member[2]), kind_name(g->member[3]))));
    node_add(g->pool, root, leaf(g, STATEMENT, helpers));
    unsigned globals_end = g->count;
    g->trips = 1;
    for (unsigned n = pick(g, MOST_FUNCTIONS); n > 0; n--)
        node_add(g->pool, root, function(g));
    g->statements = size;
    while (g->statements > 0)
        node_add(g->pool, body, statement(g));
    node_add(g->pool, body, leaf(g, STATEMENT, "vec4 sum = vec4(0.0);"));
    unsigned terms = g->fragment, most = 10;
    if (g->fragment)
        node_add(g->pool, body, leaf(g, STATEMENT, "sum += v_color;"));
    for (unsigned i = g->count; i-- > globals_end && terms < most;) {
        struct node *value = shown(g, &g->variables[i]);
        if (!value)
            continue;
        node_add(g->pool, body, node_new(g->pool, STATEMENT, "sum += %0;", 1, value));
        terms++;
    }
    node_add(g->pool, root,
             node_new(g->pool, STATEMENT,
                      pool_text(g->pool, "void main() {\n%s\n%%0%s\n}", first,
                                pool_text(g->pool, result, 1.0 / (terms ? terms : 1))),
                      1, body));
    return root;
}

static void add_uniform(struct program *program, struct gen *g, const char *name, unsigned count,
                        bool whole) {
    char *text = program->uniforms[program->uniform_count++];
    const size_t size = sizeof program->uniforms[0];
    snprintf(text, size, "%s=", name);
    for (unsigned i = 0; i < count; i++) {
        if (whole)
            snprintf(text + strlen(text), size - strlen(text), "%s%d", i ? "," : "", (int)pick(g, 9) - 3);
        else
            snprintf(text + strlen(text), size - strlen(text), "%s%.2f", i ? "," : "",
                     (double)((int)pick(g, 201) - 100) / 100);
    }
}

static const char *uniform_text(struct gen *g, const char *p) {
    return pool_text(
        g->pool,
        "uniform %s int u_n;\nuniform %s int u_i;\nuniform %s ivec3 u_iv;\nuniform %s float u_f;\n"
        "uniform %s vec4 u_v;\nuniform %s vec3 u_a[3];\nuniform %s mat3 u_m;\nuniform bool u_b;\n",
        p, p, p, p, p, p, p);
}

static void declare_uniforms(struct gen *g) {
    g->count = g->function_count = 0;
    declare(g, "u_n", INT, 0, false);
    declare(g, "u_i", INT, 0, false);
    declare(g, "u_iv", vector(INT, 3), 0, false);
    declare(g, "u_f", FUZZY, 0, false);
    declare(g, "u_v", vector(FUZZY, 4), 0, false);
    declare(g, "u_a", vector(FUZZY, 3), 3, false);
    declare(g, "u_m", (enum kind)(MATRIX + 1), 0, false);
    declare(g, "u_b", BOOL, 0, false);
}

bool program_generate(struct program *program, uint64_t seed, unsigned size) {
    struct gen g = {.seed = (seed + 1) * 0x9e3779b97f4a7c15u};
    static const enum kind members[] = {FUZZY, FUZZY + 1, FUZZY + 2, FUZZY + 3, INT,
                                        BOOL,  EXACT,     INT + 1,   MATRIX,    FUZZY + 2};
    memset(program, 0, sizeof *program);
    program->pool = g.pool = pool_new();
    if (!g.pool)
        return false;
    for (int i = 0; i < 4; i++)
        pick(&g, 2);
    program->mediump = one_in(&g, 5);
    g.structs = !one_in(&g, 3);
    for (unsigned i = 0; i < MEMBERS; i++)
        g.member[i] = members[pick(&g, sizeof members / sizeof *members)];
    snprintf(program->uniforms[program->uniform_count++], sizeof program->uniforms[0], "u_n=%u", pick(&g, 5));
    add_uniform(program, &g, "u_i", 1, true);
    add_uniform(program, &g, "u_iv", 3, true);
    add_uniform(program, &g, "u_f", 1, false);
    add_uniform(program, &g, "u_v", 4, false);
    add_uniform(program, &g, "u_a", 9, false);
    add_uniform(program, &g, "u_m", 9, false);
    snprintf(program->uniforms[program->uniform_count++], sizeof program->uniforms[0], "u_b=%u", pick(&g, 2));
    int statements = size ? (int)size : 4 + (int)pick(&g, 12);

    const char *precision = program->mediump ? "mediump" : "highp";
    const char *uniforms = uniform_text(&g, precision);
    declare_uniforms(&g);
    declare(&g, "a_position.xy", FUZZY + 1, 0, false);
    declare(&g, "corner", INT, 0, false);
    program->vertex =
        shader(&g,
               pool_text(g.pool,
                         "precision highp float;\nprecision highp int;\n%sattribute vec4 a_position;\n"
                         "varying %s vec2 v_uv;\nvarying %s vec4 v_color;\nint corner;",
                         uniforms, precision, precision),
               "corner = int(a_position.x) * 2 + int(a_position.y);\n"
               "gl_Position = a_position;\nv_uv = a_position.xy;",
               "v_color = sum * %.4f;", one_in(&g, 2) ? 1 : statements / 3);

    g.fragment = true;
    declare_uniforms(&g);
    declare(&g, "v_uv", FUZZY + 1, 0, false);
    declare(&g, "v_color", FUZZY + 3, 0, false);
    declare(&g, "pixel", INT + 1, 0, false);
    declare(&g, "place", EXACT + 1, 0, false);
    program->fragment =
        shader(&g,
               pool_text(g.pool,
                         "precision %s float;\nprecision %s int;\n%suniform sampler2D u_picture;\n"
                         "varying vec2 v_uv;\nvarying vec4 v_color;\nivec2 pixel;\nvec2 place;",
                         precision, precision, uniforms),
               "pixel = ivec2(gl_FragCoord.xy);\nplace = floor(gl_FragCoord.xy) * 0.25;",
               "gl_FragColor = sum * %.4f * 0.5 + 0.5;", statements);
    return true;
}

void program_free(struct program *program) {
    pool_free(program->pool);
}
