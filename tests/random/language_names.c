/* Names, scopes and types of programs about the language. Few names for many things, so that most of what is
 * declared hides something else. */
#include "language.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The user's, the language's functions, and words of other versions. */
static const char *const names[] = {"a",   "b",   "S",   "T",   "f",   "g",      "x",   "rg",   "zw",
                                    "sin", "max", "dot", "not", "mix", "length", "any", "round"};
enum { USERS = 9 };
static const char *const old_names[] = {"uint",   "texture",   "smooth", "layout",
                                        "sample", "transpose", "uvec2",  "buffer"};

const char *text(struct language *l, const char *format, ...) {
    char at[4000];
    va_list list;
    va_start(list, format);
    vsnprintf(at, sizeof at, format, list);
    va_end(list);
    return pool_text(l->g.pool, "%s", at);
}

struct type scalar(enum base base) {
    return (struct type){.base = base, .rows = 1};
}

struct type vector_of(enum base base, unsigned rows) {
    return (struct type){.base = base, .rows = rows};
}

bool same_type(struct type a, struct type b) {
    return a.base == b.base && a.rows == b.rows && a.columns == b.columns && a.record == b.record &&
           a.length == b.length;
}

bool is_plain(struct type t) {
    return !t.length && !t.columns && t.base != RECORD && t.base != VOID;
}

bool is_value(const struct language *l, struct type t) {
    return l->modern || (!t.length && !(t.record && t.record->arrays));
}

const char *type_name(struct language *l, struct type t) {
    static const char *const scalars[] = {"void", "float", "int", "uint", "bool"};
    static const char *const vectors[] = {"", "vec", "ivec", "uvec", "bvec"};
    if (t.base == RECORD)
        return t.record->name;
    if (t.columns && t.columns == t.rows)
        return l->modern && one_in(&l->g, 4) ? text(l, "mat%ux%u", t.rows, t.rows) : text(l, "mat%u", t.rows);
    if (t.columns)
        return text(l, "mat%ux%u", t.columns, t.rows);
    return t.rows > 1 ? text(l, "%s%u", vectors[t.base], t.rows) : scalars[t.base];
}

struct type some_type(struct language *l, bool records) {
    struct gen *g = &l->g;
    unsigned kind = pick(g, 14);
    if (records && kind < 4) {
        unsigned first = pick(g, l->count + 1);
        for (unsigned k = 0; k < l->count; k++) {
            const struct entity *e = &l->entities[(first + k) % l->count];
            if (e->meaning == A_TYPE && lookup(l, e->name) == e)
                return (struct type){.base = RECORD, .rows = 1, .record = e->record};
        }
    }
    if (kind < 6 && one_in(g, 2)) {
        unsigned n = 2 + pick(g, 3);
        return (struct type){.base = FLOAT, .rows = n, .columns = l->modern ? 2 + pick(g, 3) : n};
    }
    enum base base = (enum base)(FLOAT + pick(g, 4));
    if (base == UNSIGNED && (!l->modern || (lookup(l, "uint"))))
        base = WHOLE;
    return vector_of(base, one_in(g, 2) ? 1 : 2 + pick(g, 3));
}

const struct entity *lookup(const struct language *l, const char *name) {
    for (unsigned i = l->count; i-- > 0;)
        if (!strcmp(l->entities[i].name, name))
            return &l->entities[i];
    return NULL;
}

static bool is_ours(const struct language *l, const char *name) {
    for (unsigned i = l->scope; i < l->count; i++)
        if (!strcmp(l->entities[i].name, name))
            return true;
    return false;
}

const char *fresh_name(struct language *l, bool type) {
    const unsigned count = sizeof names / sizeof *names, old = sizeof old_names / sizeof *old_names;
    for (int attempt = 0; attempt < 10; attempt++) {
        unsigned k = pick(&l->g, l->modern ? count : count + old);
        const char *name = k < count ? names[k] : old_names[k - count];
        /* ES 3.00 has its functions in the scope of the globals. */
        bool language = l->scope == 0 && l->modern && k >= USERS;
        if (!language && (l->mixed || type == (k % 3 == 2)) && !is_ours(l, name))
            return name;
    }
    return new_name(&l->g, "v");
}

struct entity *introduce(struct language *l, struct entity entity) {
    if (l->count == MOST_ENTITIES)
        l->count--;
    l->entities[l->count] = entity;
    return &l->entities[l->count++];
}

unsigned enter_scope(struct language *l) {
    unsigned around = l->scope;
    l->scope = l->count;
    return around;
}

void leave_scope(struct language *l, unsigned around) {
    l->count = l->scope;
    l->scope = around;
}

/* --- paths ---------------------------------------------------------------------------------------------- */

struct search {
    struct type wanted;
    bool writable, constant;
    unsigned seen;
    const char *found;
};

static const char *some_swizzle(struct language *l, unsigned from, unsigned to, bool distinct) {
    static const char *const sets[] = {"xyzw", "rgba", "stpq"};
    const char *set = sets[pick(&l->g, 3)];
    char out[5] = "";
    unsigned used = 0;
    for (unsigned i = 0; i < to; i++) {
        unsigned k = pick(&l->g, from);
        while (distinct && (used >> k & 1))
            k = (k + 1) % from;
        used |= 1u << k;
        out[i] = set[k];
    }
    return text(l, "%s", out);
}

static const char *some_index(struct language *l, const struct search *s, unsigned length) {
    unsigned k = pick(&l->g, length);
    if (!s->constant && one_in(&l->g, 4))
        return text(l, "at(%s, %u)", one_in(&l->g, 2) ? "u_n" : "acc", length);
    return l->modern && one_in(&l->g, 6) && !lookup(l, "uint") ? text(l, "%uu", k) : text(l, "%u", k);
}

static void search(struct language *l, struct search *s, const char *path, struct type t, int depth) {
    if (same_type(t, s->wanted) && pick(&l->g, ++s->seen) < 1)
        s->found = path;
    if (depth == 0)
        return;
    struct type part = t;
    if (t.length) {
        part.length = 0;
        search(l, s, text(l, "%s[%s]", path, some_index(l, s, t.length)), part, depth - 1);
    } else if (t.base == RECORD) {
        for (unsigned i = 0; i < t.record->count; i++)
            search(l, s, text(l, "%s.%s", path, t.record->member[i]), t.record->type[i], depth - 1);
    } else if (t.columns) {
        part.columns = 0;
        search(l, s, text(l, "%s[%s]", path, some_index(l, s, t.columns)), part, depth - 1);
    } else if (t.rows > 1 && s->wanted.base == t.base && !s->wanted.columns && !s->wanted.length) {
        unsigned n = s->wanted.rows;
        if (n == 1 && one_in(&l->g, 2))
            search(l, s, text(l, "%s[%s]", path, some_index(l, s, t.rows)), s->wanted, 0);
        else if (n <= t.rows || !s->writable)
            search(l, s, text(l, "%s.%s", path, some_swizzle(l, t.rows, n, s->writable)), s->wanted, 0);
    }
}

const char *some_path(struct language *l, struct type wanted, bool writable, bool constant,
                      const char *except) {
    struct search s = {wanted, writable, constant, 0, NULL};
    for (unsigned i = 0; i < l->count; i++) {
        const struct entity *e = &l->entities[i];
        bool global = i < l->globals;
        if (e->meaning != A_VARIABLE || e->unset || lookup(l, e->name) != e || (writable && !e->writable) ||
            (writable && global && !l->main) || (constant && !e->constant) ||
            (except && !strcmp(except, e->name)))
            continue;
        search(l, &s, e->name, e->type, 3);
    }
    return s.found;
}
