/* Statements of programs about the language. */
#include "illegal.h"

#include <stdio.h>
#include <string.h>

static const char *condition(struct language *l) {
    return some_value(l, scalar(TRUTH), 2, false).text;
}

static void add_statements(struct language *l, struct node *list, int count) {
    for (int i = 0; i < count; i++)
        node_add(l->g.pool, list, language_statement(l));
}

/* The statements of a scope that is open already. */
static struct node *body(struct language *l, int most) {
    struct node *list = list_node(l);
    add_statements(l, list, 1 + (int)pick(&l->g, (uint32_t)most));
    note_scope(l, list);
    return list;
}

static struct node *block(struct language *l, int most) {
    unsigned around = enter_scope(l);
    struct node *list = body(l, most);
    leave_scope(l, around);
    return node_new(l->g.pool, STATEMENT, "{\n%0}", 1, list);
}

/* A branch: a block, one statement, or a declaration that nobody sees. */
static struct node *branch(struct language *l) {
    if (one_in(&l->g, 3)) {
        const char *path = some_path(l, scalar(WHOLE), true, false, NULL);
        if (path && one_in(&l->g, 2))
            return line(l, text(l, "%s = %s;", path, tame_value(l, scalar(WHOLE), 2, false)));
        return line(l, one_in(&l->g, 2) ? ";" : text(l, "acc = fold(acc, %u);", pick(&l->g, 9)));
    }
    return block(l, 2);
}

static struct node *loop(struct language *l) {
    struct gen *g = &l->g;
    unsigned trips = 1 + pick(g, 3), around = l->trips, form = pick(g, 5);
    if (l->trips * trips > 12 || l->loops > 1)
        return block(l, 2);
    struct node *list = list_node(l), *inner;
    unsigned outer_scope = l->scope, switches = l->switches;
    l->trips *= trips;
    l->loops++;
    l->switches = 0;
    if (form < 2) {
        outer_scope = enter_scope(l);
        const char *name = fresh_name(l, false), *second = "";
        introduce(l, (struct entity){.name = name, .type = scalar(WHOLE)});
        if (form == 1) {
            const char *value = tame_value(l, scalar(WHOLE), 1, false), *other = fresh_name(l, false);
            second = text(l, ", %s = %s", other, value);
            introduce(l, (struct entity){.name = other, .type = scalar(WHOLE), .writable = true});
        }
        const char *head = text(l, "for (int %s = 0%s; %s < %u; %s)", name, second, name, trips,
                                text(l,
                                     one_in(g, 2)   ? "%s++"
                                     : one_in(g, 2) ? "++%s"
                                                    : "%s += 1",
                                     name));
        inner = body(l, 3);
        leave_scope(l, outer_scope);
        node_add(g->pool, list, node_new(g->pool, STATEMENT, text(l, "%s {\n%%0}", head), 1, inner));
    } else {
        /* At a `continue` Mesa 22 reads the condition of do in the scope around that: nothing may hide it. */
        const char *name = form == 4 ? new_name(g, "n") : fresh_name(l, false);
        node_add(g->pool, list, line(l, text(l, "int %s = 0;", name)));
        introduce(l, (struct entity){.name = name, .type = scalar(WHOLE)});
        outer_scope = enter_scope(l);
        const char *step = text(l, "%s++;\n", name);
        if (form == 2) {
            const char *flag = fresh_name(l, false), *value = text(l, "%s < %u", name, trips);
            introduce(l, (struct entity){.name = flag, .type = scalar(TRUTH), .writable = true});
            /* the name of the counter may be hidden now: it counts in the condition */
            value = text(l, "%s++ < %u", name, trips);
            inner = body(l, 3);
            node_add(
                g->pool, list,
                node_new(g->pool, STATEMENT, text(l, "while (bool %s = %s) {\n%%0}", flag, value), 1, inner));
        } else if (form == 3) {
            inner = body(l, 3);
            node_add(g->pool, list,
                     node_new(g->pool, STATEMENT, text(l, "while (%s < %u) {\n%s%%0}", name, trips, step), 1,
                              inner));
        } else {
            inner = body(l, 3);
            node_add(g->pool, list,
                     node_new(g->pool, STATEMENT, text(l, "do {\n%s%%0} while (%s < %u);", step, name, trips),
                              1, inner));
        }
        leave_scope(l, outer_scope);
    }
    l->loops--;
    l->switches = switches;
    l->trips = around;
    return list;
}

static struct node *choice(struct language *l) {
    struct gen *g = &l->g;
    struct node *cases = list_node(l);
    bool bits = one_in(g, 4);
    const char *on = tame_value(l, scalar(bits ? UNSIGNED : WHOLE), 2, false);
    unsigned around = enter_scope(l), count = 1 + pick(g, 4), fallback = pick(g, 6);
    l->switches++;
    for (unsigned i = 0; i < count; i++) {
        const char *forms[] = {"case %u%s:", "case (%u%s):"};
        node_add(g->pool, cases,
                 line(l, i == fallback ? "default:" : text(l, forms[pick(g, 2)], i, bits ? "u" : "")));
        if (i + 1 < count && one_in(g, 4))
            continue;
        node_add(g->pool, cases, one_in(g, 5) ? line(l, ";") : block(l, 2));
        if (pick(g, 3))
            node_add(g->pool, cases, line(l, "break;"));
    }
    l->switches--;
    leave_scope(l, around);
    return node_new(g->pool, STATEMENT, text(l, "switch (%s) {\n%%0}", on), 1, cases);
}

/* The variable at the root of a path. */
static const char *root_of(struct language *l, const char *path) {
    return text(l, "%.*s", (int)strcspn(path, ".["), path);
}

static struct node *assignment(struct language *l) {
    struct gen *g = &l->g;
    for (int k = 0; k < 6; k++) {
        struct type t = some_type(l, true);
        const char *path = is_value(l, t) ? some_path(l, t, true, false, NULL) : NULL;
        if (!path)
            continue;
        const char *root = root_of(l, path), *other = some_path(l, t, true, false, root);
        if (strstr(path, "(acc"))
            continue;
        bool counts = t.base != TRUTH && t.base != RECORD;
        switch (pick(g, 6)) {
        case 0:
            if (!counts || !other)
                break;
            return line(l, text(l, "%s = ++%s;\n%s = tame(%s);\n%s = tame(%s);", path, other, other, other,
                                path, path));
        case 1:
            if (!counts || !other)
                break;
            return line(l, text(l, "%s = %s++;\n%s = tame(%s);", path, other, other, other));
        case 2:
            if (!other)
                break;
            return line(l, text(l, "%s = %s = %s;", path, other, tame_value(l, t, 2, false)));
        case 3:
            if (!counts)
                break;
            return line(l, text(l, "%s %s %s;\n%s = tame(%s);", path, one_in(g, 2) ? "+=" : "-=",
                                tame_value(l, one_in(g, 3) ? scalar(t.base) : t, 2, false), path, path));
        case 4:
            if (!counts || t.columns)
                break;
            return line(l, text(l, "%s *= %s, %s = tame(%s);", path, tame_value(l, t, 2, false), path, path));
        default: break;
        }
        const char *value = tame_value(l, t, 3, false);
        if (value)
            return line(l, text(l, one_in(g, 8) ? "(%s) = %s;" : "%s = %s;", path, value));
    }
    return line(l, text(l, "acc = fold(acc, %s);", tame_value(l, scalar(WHOLE), 3, false)));
}

/* A call with what it writes in different variables. */
static struct node *procedure(struct language *l) {
    unsigned first = pick(&l->g, l->count + 1);
    for (unsigned k = 0; k < l->count; k++) {
        const struct entity *e = &l->entities[(first + k) % l->count];
        const struct entity *found = e->meaning == A_FUNCTION ? lookup(l, e->name) : NULL;
        if (!found || found->meaning != A_FUNCTION)
            continue;
        const struct signature *f = e->function;
        const char *arguments = "", *roots[MOST_PARAMETERS] = {NULL};
        for (unsigned i = 0; i < f->count && arguments; i++) {
            const char *value = f->out[i] ? some_path(l, f->type[i], true, false, i ? roots[i - 1] : NULL)
                                          : tame_value(l, f->type[i], 2, false);
            if (value && f->out[i]) {
                roots[i] = root_of(l, value);
                for (unsigned n = 0; n < i; n++)
                    if (roots[n] && !strcmp(roots[n], roots[i]))
                        value = NULL;
            }
            arguments = value ? text(l, "%s%s%s", arguments, i ? ", " : "", value) : NULL;
        }
        if (arguments)
            return line(l, text(l, "%s(%s);", e->name, arguments));
    }
    return assignment(l);
}

struct node *language_statement(struct language *l) {
    struct gen *g = &l->g;
    struct node *list = list_node(l);
    illegal_add(l, list, PLACE_STATEMENT);
    if (list->count)
        return list;
    if (l->statements-- <= 0)
        return assignment(l);
    switch (pick(g, 18)) {
    case 0: declare_record(l, list); return list;
    case 1: declare_constants(l, list); return list;
    case 2:
    case 3:
    case 4:
    case 5: declare_variables(l, list); return list;
    case 6: return block(l, 3);
    case 7: {
        const char *c = condition(l);
        unsigned around = enter_scope(l);
        struct node *then = branch(l), *otherwise = one_in(g, 2) ? branch(l) : NULL;
        leave_scope(l, around);
        if (!otherwise)
            return node_new(g->pool, STATEMENT, text(l, "if (%s)\n%%0", c), 1, then);
        return node_new(g->pool, STATEMENT, text(l, "if (%s)\n%%0else\n%%1", c), 2, then, otherwise);
    }
    case 8:
    case 9: return loop(l);
    case 10: return l->modern ? choice(l) : loop(l);
    case 11:
    case 12: return procedure(l);
    case 13:
        if (l->loops) { /* Mesa 22 leaves only the inner one of two switches at a `continue` */
            const char *way = one_in(g, 2) || l->switches > 1 ? "break" : "continue";
            return line(l, text(l, "if (%s) %s;", condition(l), way));
        }
        return line(l, one_in(g, 2) ? ";" : "precision highp float;");
    case 14:
        if (l->main || l->result.base == VOID || !l->result.base)
            return assignment(l);
        {
            const char *c = condition(l), *value = tame_value(l, l->result, 2, false);
            return value ? line(l, text(l, "if (%s) return %s;", c, value)) : assignment(l);
        }
    default: return assignment(l);
    }
}
