/* Declarations of programs about the language: structures, constants, variables, and what fills and shows
 * them. */
#include "language.h"

#include <stdio.h>
#include <string.h>

struct node *line(struct language *l, const char *statement) {
    return leaf(&l->g, STATEMENT, statement);
}

struct node *list_node(struct language *l) {
    return node_new(l->g.pool, LIST, NULL, 0);
}

static const char *precision_of(struct language *l, struct type t) {
    static const char *const words[] = {"highp ", "mediump ", ""};
    return t.base == TRUTH || t.base == RECORD || t.base == VOID ? "" : words[pick(&l->g, 3)];
}

/* --- what everything adds to ---------------------------------------------------------------------------- */

/* A number in what the path leads to. */
static const char *number_in(struct language *l, const char *path, struct type t) {
    while (t.length || t.base == RECORD || t.columns || t.rows > 1) {
        if (t.length) {
            path = text(l, "%s[%u]", path, pick(&l->g, t.length));
            t.length = 0;
        } else if (t.base == RECORD) {
            unsigned i = pick(&l->g, t.record->count);
            path = text(l, "%s.%s", path, t.record->member[i]);
            t = t.record->type[i];
        } else if (t.columns) {
            path = text(l, "%s[%u]", path, pick(&l->g, t.columns));
            t.columns = 0;
        } else {
            unsigned k = pick(&l->g, t.rows);
            path = one_in(&l->g, 2) ? text(l, "%s[%u]", path, k) : text(l, "%s.%c", path, "xyzw"[k]);
            t.rows = 1;
        }
    }
    return path;
}

void add_note(struct language *l, struct node *list, const char *path, struct type t) {
    node_add(l->g.pool, list, line(l, text(l, "acc = fold(acc, int(%s));", number_in(l, path, t))));
}

/* At the end of a scope: what it declared is not without consequences. */
void note_scope(struct language *l, struct node *list) {
    for (unsigned i = l->scope; i < l->count; i++) {
        const struct entity *e = &l->entities[i];
        if (e->meaning == A_VARIABLE && lookup(l, e->name) == e && strcmp(e->name, "acc") && pick(&l->g, 4))
            add_note(l, list, e->name, e->type);
    }
}

/* --- declarations --------------------------------------------------------------------------------------- */

/* Assignments to all of it. */
static void fill(struct language *l, struct node *list, const char *path, struct type t) {
    struct type part = t;
    part.length = 0;
    if (t.length && !l->modern) {
        for (unsigned i = 0; i < t.length; i++)
            fill(l, list, text(l, "%s[%u]", path, i), part);
        return;
    }
    const char *value =
        is_value(l, t) && (t.base != RECORD || one_in(&l->g, 2)) ? tame_value(l, t, 2, false) : NULL;
    if (value) {
        node_add(l->g.pool, list, line(l, text(l, "%s = %s;", path, value)));
    } else if (t.length) {
        for (unsigned i = 0; i < t.length; i++)
            fill(l, list, text(l, "%s[%u]", path, i), part);
    } else {
        for (unsigned i = 0; i < t.record->count; i++)
            fill(l, list, text(l, "%s.%s", path, t.record->member[i]), t.record->type[i]);
    }
}

void fill_unset(struct language *l, struct node *list, unsigned first) {
    for (unsigned i = first; i < l->count; i++)
        if (l->entities[i].unset) {
            fill(l, list, l->entities[i].name, l->entities[i].type);
            l->entities[i].unset = false;
        }
}

/* Its body, from the brace on; the type is known when it is complete. */
static const char *record_body(struct language *l, struct record *r, const char *name) {
    const char *body = "";
    *r = (struct record){.name = name, .count = 1 + pick(&l->g, MOST_MEMBERS)};
    for (unsigned i = 0; i < r->count; i++) {
        static const char *const members[] = {"a", "S", "x", "rg", "T", "sin", "f", "zw", "y"};
        bool again = i && one_in(&l->g, 3);
        struct type t = again ? r->type[i - 1] : some_type(l, true);
        t.length = one_in(&l->g, 6) ? 2 : 0;
        r->member[i] = members[pick(&l->g, 9)];
        for (unsigned k = 0; k < i; k++)
            if (!strcmp(r->member[k], r->member[i]))
                r->member[i] = new_name(&l->g, "m");
        r->type[i] = t;
        r->arrays |= t.length || (t.record && t.record->arrays);
        const char *brackets = t.length ? text(l, "[%u]", t.length) : "";
        body = again ? text(l, "%s, %s%s", body, r->member[i], brackets)
                     : text(l, "%s%s%s%s %s%s", body, i ? ";\n" : "", precision_of(l, t), type_name(l, t),
                            r->member[i], brackets);
    }
    return text(l, "{\n%s;\n}", body);
}

/* `struct S {...} a, b;` */
void declare_record(struct language *l, struct node *list) {
    const char *name = fresh_name(l, true);
    const struct entity *hidden = lookup(l, name);
    /* Mesa 22 keeps reading the name as a type after the end of its scope. */
    l->loose |= l->scope && hidden && hidden->meaning == A_FUNCTION;
    struct record *r = pool_take(l->g.pool, sizeof *r);
    const char *body = record_body(l, r, name);
    introduce(l, (struct entity){.name = name, .meaning = A_TYPE, .record = r});
    if (l->scope == 0 || one_in(&l->g, 2)) {
        node_add(l->g.pool, list, line(l, text(l, "struct %s %s;", name, body)));
        return;
    }
    const char *variable = fresh_name(l, false);
    struct type t = {.base = RECORD, .rows = 1, .record = r};
    node_add(l->g.pool, list, line(l, text(l, "struct %s %s %s;", name, body, variable)));
    introduce(l, (struct entity){.name = variable, .type = t, .writable = true, .unset = true});
    fill_unset(l, list, l->count - 1);
}

void declare_constants(struct language *l, struct node *list) {
    struct type t = some_type(l, l->modern || one_in(&l->g, 2));
    if (one_in(&l->g, 3)) {
        t = scalar(WHOLE);
        unsigned value = 2 + pick(&l->g, 2);
        const char *name = fresh_name(l, false),
                   *forms[] = {"%u", "(%u)", "1 + %u - 1", "+%u", "%u / 1", "int(%u)"};
        node_add(l->g.pool, list,
                 line(l, text(l, "const int %s = %s;", name, text(l, forms[pick(&l->g, 6)], value))));
        introduce(l, (struct entity){.name = name, .type = t, .constant = true, .value = (int)value});
        return;
    }
    if (l->modern && one_in(&l->g, 5)) /* what glslang does not fold is found among them */
        t = (struct type){.base = FLOAT, .rows = 2 + pick(&l->g, 3), .columns = 2 + pick(&l->g, 3)};
    if (l->modern && one_in(&l->g, 4))
        t.length = 2;
    const char *value = is_value(l, t) ? tame_value(l, t, t.columns ? 4 : 2, true) : NULL;
    if (!value)
        return;
    const char *name = fresh_name(l, false);
    node_add(l->g.pool, list,
             line(l, text(l, "const %s%s %s%s = %s;", precision_of(l, t), type_name(l, t), name,
                          t.length ? "[2]" : "", value)));
    introduce(l, (struct entity){.name = name, .type = t, .constant = true});
}

/* One to three declarators; what has no initialiser is filled behind them. */
void declare_variables(struct language *l, struct node *list) {
    struct gen *g = &l->g;
    struct type t = some_type(l, true);
    const char *declaration = text(l, "%s%s", precision_of(l, t), type_name(l, t));
    unsigned count = 1 + pick(g, 3), before = l->count;
    bool global = l->scope == 0;
    for (unsigned i = 0; i < count; i++) {
        struct type one = t;
        const char *brackets = "", *value = NULL;
        if (one_in(g, 4)) {
            unsigned size;
            brackets = text(l, "[%s]", some_size(l, &size));
            one.length = size;
        }
        if (pick(g, 4) && is_value(l, one))
            value = tame_value(l, one, global ? 2 : 3, global);
        if (global && !value) {
            if (!i)
                return;
            break;
        }
        const char *name = fresh_name(l, false);
        if (value && one.length && one_in(g, 3))
            brackets = "[]";
        declaration = text(l, "%s%s %s%s%s%s", declaration, i ? "," : "", name, brackets, value ? " = " : "",
                           value ? value : "");
        introduce(l, (struct entity){.name = name, .type = one, .writable = true, .unset = !value});
        if (t.base == RECORD && lookup(l, t.record->name)->meaning != A_TYPE && one_in(g, 2))
            break;
    }
    node_add(g->pool, list, line(l, text(l, "%s;", declaration)));
    fill_unset(l, list, before);
}
