/* Expressions: an operation of a kind on expressions of fitting kinds, to a depth of DEPTH. */
#include "generator.h"

#include <stdio.h>
#include <string.h>

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

struct node *expression(struct gen *g, enum kind kind, int depth) {
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

struct node *kept(struct gen *g, enum kind kind, int depth) {
    struct node *value = expression(g, kind, depth);
    const char *text = kind == INT                                 ? "wrap(%0)"
                       : kind < KINDS && kind > INT && kind < BOOL ? "(%0 - %0 / 16 * 16)"
                       : kind >= EXACT && kind < INT               ? "mod(%0, 8.0)"
                                                                   : NULL;
    if (!text || !value->count)
        return value;
    return node_new(g->pool, kind, text, 1, value);
}
