/* Expressions without operations: literals, variables and their parts, what differs from pixel to pixel. */
#include "generator.h"

#include <stdio.h>
#include <string.h>

struct node *leaf(struct gen *g, enum kind kind, const char *text) {
    return node_new(g->pool, kind, text, 0);
}

struct node *literal(struct gen *g, enum kind kind) {
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

const char *swizzle(struct gen *g, unsigned from, unsigned to, bool distinct) {
    static const char sets[3][5] = {"xyzw", "rgba", "stpq"};
    const char *set = sets[pick(g, 6) % 3];
    unsigned order[4] = {0, 1, 2, 3};
    char text[5] = "";
    for (unsigned i = 0; i < to && i < 4; i++) {
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

struct node *index_below(struct gen *g, unsigned length, int depth) {
    if (one_in(g, 4))
        return leaf(g, INT, pool_text(g->pool, "%u", pick(g, length)));
    struct node *place = one_in(g, 3) ? NULL : varying(g, INT);
    if (place && one_in(g, 2))
        place = node_new(g->pool, INT, "(%0 + %1)", 2, place, small(g, INT, DEPTH));
    else if (!place)
        place = expression(g, INT, depth > DEPTH - 2 ? DEPTH : DEPTH - 2);
    return node_new(g->pool, INT, pool_text(g->pool, "at(%%0, %u)", length), 1, place);
}

struct node *element(struct gen *g, enum kind kind, const char *name, unsigned length, int depth) {
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

struct node *small(struct gen *g, enum kind kind, int depth) {
    struct node *differs = one_in(g, 4) ? varying(g, kind) : NULL;
    if (differs)
        return differs;
    struct node *v = one_in(g, 5) ? NULL : read_variable(g, kind, depth);
    return v ? v : literal(g, kind);
}
