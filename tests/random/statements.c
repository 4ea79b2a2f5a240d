/* Statements: declarations, assignments, branches, loops, calls; and functions. */
#include "generator.h"

#include <stdio.h>
#include <string.h>

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

struct node *statement(struct gen *g) {
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

struct node *function(struct gen *g) {
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
