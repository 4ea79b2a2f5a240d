/* Expressions of programs about the language: every operator and constructor on every type, with names that
 * may be hidden. All values are whole numbers that every machine computes alike. */
#include "language.h"

#include <stdio.h>
#include <string.h>

enum { TAME = 16, MOST = 1 << 20, MOST_UNSIGNED = 1 << 30 };

static const struct value nothing = {NULL, 0};

static struct value make(const char *t, long bound) {
    return (struct value){t, bound};
}

/* Is the function of the language to be had by its name here? */
static bool has(const struct language *l, const char *function) {
    const struct entity *e = lookup(l, function);
    return !e || (e->meaning == A_FUNCTION && !l->modern);
}

static const char *tamed(struct language *l, struct value v) {
    return v.text && v.bound > TAME ? text(l, "tame(%s)", v.text) : v.text;
}

const char *tame_value(struct language *l, struct type t, int depth, bool constant) {
    for (int attempt = 0; attempt < 4; attempt++) {
        struct value v = some_value(l, t, depth, constant);
        if (!v.text || v.bound <= TAME || t.base == TRUTH || t.base == RECORD)
            return v.text;
        if (!constant && t.base != VOID)
            return tamed(l, v);
    }
    return some_value(l, t, -1, constant).text;
}

/* An operand whose products with another stay exact. */
static struct value operand(struct language *l, struct type t, int depth, bool constant) {
    struct value v = some_value(l, t, depth, constant);
    if (v.text && v.bound > 512 && t.base != TRUTH)
        v = constant ? some_value(l, t, -1, constant) : make(tamed(l, v), TAME);
    return v;
}

static const char *literal_of(struct language *l, enum base base) {
    struct gen *g = &l->g;
    unsigned n = pick(g, 8);
    switch (base) {
    case FLOAT: {
        static const char *const forms[] = {"%u.0", "%u.", "%ue0", "0%u.0", "%u.0E+0", "%u.00"};
        return l->modern && one_in(g, 6) ? text(l, "%u.0f", n) : text(l, forms[pick(g, 6)], n);
    }
    case UNSIGNED: return text(l, one_in(g, 3) ? "0x%xu" : "%uu", n);
    case TRUTH: return one_in(g, 2) ? "true" : "false";
    default: return text(l, one_in(g, 6) ? "0x%x" : one_in(g, 6) ? "0%o" : "%u", n);
    }
}

static bool has_type(const struct language *l, struct type t) {
    if (t.base == RECORD) {
        const struct entity *e = lookup(l, t.record->name);
        return e && e->meaning == A_TYPE && e->record == t.record;
    }
    static const char *const later[] = {"", "uint", "uvec2", "uvec3", "uvec4"};
    return t.base != UNSIGNED || !lookup(l, later[t.rows]);
}

/* Arguments for `count` components, in pieces of any base. */
static const char *components(struct language *l, unsigned count, int depth, bool constant) {
    const char *all = "";
    for (unsigned left = count; left;) {
        unsigned n = 1 + pick(&l->g, left);
        struct type t = vector_of((enum base)(FLOAT + pick(&l->g, 4)), n);
        if (t.base == UNSIGNED && (!l->modern || !has_type(l, t)))
            t.base = WHOLE;
        const char *value = tame_value(l, t, depth - 1, constant);
        if (left == n && n < 4 && one_in(&l->g, 5)) { /* more than needed, in the last one */
            t.rows = n + 1;
            if (has_type(l, t))
                value = tame_value(l, t, depth - 1, constant);
        }
        if (!value || strlen(all) + strlen(value) > 3000)
            return NULL;
        all = text(l, "%s%s%s", all, *all ? ", " : "", value);
        left -= n;
    }
    return all;
}

static struct value construct(struct language *l, struct type t, int depth, bool constant) {
    struct gen *g = &l->g;
    if (!has_type(l, t) || (t.length && !l->modern))
        return nothing;
    const char *arguments = "";
    if (t.length) {
        struct type part = t;
        part.length = 0;
        for (unsigned i = 0; i < t.length; i++) {
            const char *value = tame_value(l, part, depth - 1, constant);
            if (!value)
                return nothing;
            arguments = text(l, "%s%s%s", arguments, i ? ", " : "", value);
        }
        return make(one_in(g, 2) ? text(l, "%s[](%s)", type_name(l, part), arguments)
                                 : text(l, "%s[%u](%s)", type_name(l, part), t.length, arguments),
                    TAME);
    }
    if (t.base == RECORD) {
        for (unsigned i = 0; i < t.record->count; i++) {
            const char *value = tame_value(l, t.record->type[i], depth - 1, constant);
            if (!value)
                return nothing;
            arguments = text(l, "%s%s%s", arguments, i ? ", " : "", value);
        }
        return make(text(l, "%s(%s)", t.record->name, arguments), TAME);
    }
    if (t.columns) {
        unsigned form = depth > 0 ? pick(g, 3) : 0;
        if (form != 1 && t.columns > t.rows) /* Mesa 22 folds those of a scalar wrongly */
            form = 2;
        if (form == 1 &&
            l->modern) { /* of another matrix; ES 1.00 has that, too, but not of mixed arguments */
            struct type other = {.base = FLOAT, .rows = 2 + pick(g, 3), .columns = 2 + pick(g, 3)};
            if (t.columns > t.rows) { /* as Mesa with those of a scalar */
                other.columns = other.columns < t.columns ? 4 : other.columns;
                other.rows = other.rows < t.rows ? t.rows : other.rows;
            }
            arguments = tame_value(l, other, depth - 1, constant);
        } else if (form == 2) { /* of columns */
            for (unsigned i = 0; i < t.columns; i++)
                arguments = text(l, "%s%s%s", arguments, i ? ", " : "",
                                 tame_value(l, vector_of(FLOAT, t.rows), depth - 1, constant));
        } else {
            arguments = depth > 0 ? tame_value(l, scalar(FLOAT), depth - 1, constant) : literal_of(l, FLOAT);
        }
    } else if (depth <= 0) {
        arguments = literal_of(l, t.base);
        if (t.rows == 1)
            return make(arguments, 8);
    } else if (t.rows == 1) { /* the first component of anything */
        struct type from = vector_of(one_in(g, 2) ? FLOAT : WHOLE, one_in(g, 2) ? 1 : 2 + pick(g, 3));
        arguments = tame_value(l, from, depth - 1, constant);
        if (t.base == UNSIGNED) /* of a negative number: another one in every language */
            arguments = text(l, "abs(%s)", arguments);
        if (t.base == UNSIGNED && !has(l, "abs"))
            return nothing;
    } else if (one_in(g, 4)) {
        arguments = tame_value(l, scalar(one_in(g, 2) ? WHOLE : TRUTH), depth - 1, constant);
        if (t.base == UNSIGNED)
            arguments = literal_of(l, WHOLE);
    } else if (t.base == UNSIGNED) {
        arguments = "";
        for (unsigned i = 0; i < t.rows; i++)
            arguments =
                text(l, "%s%s%s", arguments, i ? ", " : "", tame_value(l, scalar(UNSIGNED), 0, constant));
    } else {
        arguments = components(l, t.rows, depth, constant);
    }
    return arguments && *arguments ? make(text(l, "%s(%s)", type_name(l, t), arguments), TAME) : nothing;
}

static struct value call(struct language *l, struct type t, int depth) {
    unsigned first = pick(&l->g, l->count + 1);
    for (unsigned k = 0; k < l->count; k++) {
        const struct entity *e = &l->entities[(first + k) % l->count];
        const struct entity *found = e->meaning == A_FUNCTION ? lookup(l, e->name) : NULL;
        if (!found || found->meaning != A_FUNCTION || e->function->effects ||
            !same_type(e->function->result, t))
            continue;
        const char *arguments = "";
        for (unsigned i = 0; i < e->function->count && arguments; i++) {
            const char *value = tame_value(l, e->function->type[i], depth - 1, false);
            arguments = value ? text(l, "%s%s%s", arguments, i ? ", " : "", value) : NULL;
        }
        if (arguments)
            return make(text(l, "%s(%s)", e->name, arguments), TAME);
    }
    return nothing;
}

static struct value truth(struct language *l, unsigned rows, int depth, bool constant) {
    struct gen *g = &l->g;
    struct type t = vector_of(TRUTH, rows);
    static const char *const relations[] = {"<", ">", "<=", ">="};
    static const char *const functions[] = {"lessThan",         "greaterThan", "lessThanEqual",
                                            "greaterThanEqual", "equal",       "notEqual"};
    static const char *const joins[] = {"&&", "||", "^^", "==", "!="};
    if (rows == 1) {
        switch (pick(g, 5)) {
        case 0: return make(text(l, "!%s", some_value(l, t, -1, constant).text), 1);
        case 1: {
            struct type of = scalar(one_in(g, 2) ? FLOAT : WHOLE);
            return make(text(l, "(%s %s %s)", some_value(l, of, depth - 1, constant).text,
                             relations[pick(g, 4)], some_value(l, of, depth - 1, constant).text),
                        1);
        }
        case 2: {
            struct type of = some_type(l, true);
            const char *a = is_value(l, of) ? some_value(l, of, depth - 1, constant).text : NULL;
            const char *b = a ? some_value(l, of, depth - 1, constant).text : NULL;
            return b ? make(text(l, "(%s %s %s)", a, one_in(g, 2) ? "==" : "!=", b), 1) : nothing;
        }
        case 3: {
            const char *name = one_in(g, 2) ? "any" : "all";
            if (!has(l, name))
                return nothing;
            return make(text(l, "%s(%s)", name,
                             some_value(l, vector_of(TRUTH, 2 + pick(g, 3)), depth - 1, constant).text),
                        1);
        }
        default:
            return make(text(l, "(%s %s %s)", some_value(l, t, depth - 1, constant).text, joins[pick(g, 5)],
                             some_value(l, t, depth - 1, constant).text),
                        1);
        }
    }
    const char *name = one_in(g, 3) ? "not" : functions[pick(g, 6)];
    if (!has(l, name))
        return nothing;
    if (!strcmp(name, "not"))
        return make(text(l, "not(%s)", some_value(l, t, depth - 1, constant).text), 1);
    struct type of = vector_of(one_in(g, 2) ? FLOAT : WHOLE, rows);
    return make(text(l, "%s(%s, %s)", name, some_value(l, of, depth - 1, constant).text,
                     some_value(l, of, depth - 1, constant).text),
                1);
}

static struct value binary(struct language *l, struct type t, int depth, bool constant) {
    struct gen *g = &l->g;
    struct type left = t, right = t, one = scalar(t.base);
    if (t.rows > 1 || t.columns) {
        unsigned k = pick(g, 4);
        if (k == 0)
            left = one;
        else if (k == 1)
            right = one;
    }
    if (t.base == UNSIGNED || (t.base == WHOLE && l->modern && one_in(g, 2))) {
        static const char *const bits[] = {"&", "|", "^", "%%", "<<", ">>"};
        unsigned op = pick(g, 6);
        struct value a = operand(l, left, depth - 1, constant);
        if (op == 3 && t.base == WHOLE)
            op = 0;
        if (op == 3 && same_type(left, t))
            return make(text(l, "(%s %% %uu)", a.text, 1 + pick(g, 9)), TAME);
        if (op > 3 && same_type(left, t))
            return make(text(l, "(%s %s %u)", a.text, bits[op], pick(g, 3)),
                        t.base == UNSIGNED ? MOST_UNSIGNED : a.bound * 4);
        if (op > 2)
            op = 1;
        struct value b = operand(l, right, depth - 1, constant);
        return make(text(l, "(%s %s %s)", a.text, bits[op], b.text),
                    t.base == UNSIGNED ? MOST_UNSIGNED : 2 * (a.bound > b.bound ? a.bound : b.bound));
    }
    struct value a = operand(l, left, depth - 1, constant), b = operand(l, right, depth - 1, constant);
    long most = t.base == UNSIGNED ? MOST_UNSIGNED : 0;
    switch (pick(g, 5)) {
    case 0: return make(text(l, "(%s + %s)", a.text, b.text), most ? most : a.bound + b.bound);
    case 1: return make(text(l, "(%s - %s)", a.text, b.text), most ? most : a.bound + b.bound);
    case 2:
        if (t.base == WHOLE && same_type(left, t))
            return make(text(l, "(%s / %u)", a.text, 1 + pick(g, 5)), a.bound);
        /* fall through */
    default:
        if (t.columns && same_type(left, right) && t.rows == t.columns)
            return make(text(l, "(%s * %s)", a.text, b.text), a.bound * b.bound * t.rows);
        if (t.columns && same_type(left, right))
            return make(text(l, "(%s + %s)", a.text, b.text), a.bound + b.bound);
        return make(text(l, "(%s * %s)", a.text, b.text), most ? most : a.bound * b.bound);
    }
}

/* A product with a matrix in it. */
static struct value product(struct language *l, struct type t, int depth, bool constant) {
    unsigned n = l->modern ? 2 + pick(&l->g, 3) : t.rows;
    struct type left, right;
    if (t.columns) {
        left = (struct type){.base = FLOAT, .rows = t.rows, .columns = n};
        right = (struct type){.base = FLOAT, .rows = n, .columns = t.columns};
    } else if (one_in(&l->g, 2)) {
        left = (struct type){.base = FLOAT, .rows = t.rows, .columns = n};
        right = vector_of(FLOAT, n);
    } else {
        left = vector_of(FLOAT, n);
        right = (struct type){.base = FLOAT, .rows = n, .columns = t.rows};
    }
    struct value a = operand(l, left, depth - 1, constant), b = operand(l, right, depth - 1, constant);
    return make(text(l, "(%s * %s)", a.text, b.text), a.bound * b.bound * n);
}

static struct value builtin(struct language *l, struct type t, int depth, bool constant) {
    struct gen *g = &l->g;
    struct value a = operand(l, t, depth - 1, constant);
    if (t.columns) {
        if (l->modern && one_in(g, 2) && has(l, "transpose")) {
            struct type turned = {.base = FLOAT, .rows = t.columns, .columns = t.rows};
            a = operand(l, turned, depth - 1, constant);
            return make(text(l, "transpose(%s)", a.text), a.bound);
        }
        struct value b = operand(l, t, depth - 1, constant);
        return has(l, "matrixCompMult")
                   ? make(text(l, "matrixCompMult(%s, %s)", a.text, b.text), a.bound * b.bound)
                   : nothing;
    }
    if (t.base == UNSIGNED || (t.base == WHOLE && !l->modern))
        return nothing;
    static const char *const one[] = {"abs", "sign", "floor", "ceil"};
    static const char *const two[] = {"min", "max", "step"};
    const char *name = one_in(g, 2) ? one[pick(g, t.base == FLOAT ? 4 : 2)] : NULL;
    if (name)
        return has(l, name) ? make(text(l, "%s(%s)", name, a.text), a.bound) : nothing;
    struct value b = operand(l, t.rows > 1 && one_in(g, 3) ? scalar(t.base) : t, depth - 1, constant);
    long most = a.bound > b.bound ? a.bound : b.bound;
    switch (pick(g, 4)) {
    case 0:
    case 1:
        name = two[pick(g, t.base == FLOAT ? 3 : 2)];
        if (!strcmp(name, "step"))
            return has(l, name) ? make(text(l, "step(%s, %s)", b.text, a.text), 1) : nothing;
        return has(l, name) ? make(text(l, "%s(%s, %s)", name, a.text, b.text), most) : nothing;
    case 2:
        return has(l, "clamp")
                   ? make(text(l, t.base == FLOAT ? "clamp(%s, -9.0, 7.0)" : "clamp(%s, -9, 7)", a.text), 9)
                   : nothing;
    default:
        if (t.base == FLOAT && t.rows == 1) {
            struct type v = vector_of(FLOAT, 2 + pick(g, 3));
            a = operand(l, v, depth - 1, constant), b = operand(l, v, depth - 1, constant);
            return has(l, "dot") ? make(text(l, "dot(%s, %s)", a.text, b.text), a.bound * b.bound * v.rows)
                                 : nothing;
        }
        if (t.base == FLOAT && t.rows == 3) {
            b = operand(l, t, depth - 1, constant);
            return has(l, "cross") ? make(text(l, "cross(%s, %s)", a.text, b.text), a.bound * b.bound * 2)
                                   : nothing;
        }
        return nothing;
    }
}

static struct value attempt(struct language *l, struct type t, int depth, bool constant) {
    struct gen *g = &l->g;
    const char *path;
    switch (pick(g, 12)) {
    case 0:
    case 1: path = some_path(l, t, false, constant, NULL); return path ? make(path, TAME) : nothing;
    case 2: return construct(l, t, depth, constant);
    case 3: {
        struct value c = some_value(l, scalar(TRUTH), depth - 1, constant);
        struct value a = some_value(l, t, depth - 1, constant), b = some_value(l, t, depth - 1, constant);
        if (!a.text || !b.text || (!l->modern && !is_value(l, t)) || t.length)
            return nothing;
        return make(text(l, "(%s ? %s : %s)", c.text, a.text, b.text), a.bound > b.bound ? a.bound : b.bound);
    }
    case 4: {
        struct value a = some_value(l, some_type(l, false), depth - 1, constant);
        struct value b = some_value(l, t, depth - 1, constant);
        return b.text && !constant && !t.length && is_value(l, t)
                   ? make(text(l, "(%s, %s)", a.text, b.text), b.bound)
                   : nothing;
    }
    case 5:
    case 6: return constant ? nothing : call(l, t, depth);
    case 7: { /* a part of a larger value */
        if (!is_plain(t))
            return nothing;
        struct type whole = vector_of(t.base, 2 + pick(g, 3));
        static const char *const parts[][3] = {
            {"x", "g", "t"}, {"yx", "gg", "st"}, {"xyx", "grr", "tts"}, {"xyxy", "grrg", "tsst"}};
        struct value v = some_value(l, whole, depth - 1, constant);
        if (!v.text || !has_type(l, whole))
            return nothing;
        return make(text(l, v.text[0] == '-' || v.text[0] == '!' || v.text[0] == '~' ? "(%s).%s" : "%s.%s",
                         v.text, parts[t.rows - 1][pick(g, 3)]),
                    v.bound);
    }
    default: break;
    }
    if (t.base == RECORD || t.length)
        return nothing;
    if (t.base == TRUTH)
        return truth(l, t.rows, depth, constant);
    switch (pick(g, 6)) {
    case 0: {
        struct value a = operand(l, t, depth - 1, constant);
        bool flip = (t.base == UNSIGNED || t.base == WHOLE) && l->modern && one_in(g, 2);
        return make(text(l,
                         flip           ? "(~%s)"
                         : one_in(g, 4) ? "(+%s)"
                                        : "(-%s)",
                         a.text),
                    t.base == UNSIGNED ? MOST_UNSIGNED : a.bound + 1);
    }
    case 1:
        if (t.base == FLOAT && t.rows > 1)
            return product(l, t, depth, constant);
        /* fall through */
    case 2: return builtin(l, t, depth, constant);
    default: return binary(l, t, depth, constant);
    }
}

struct value some_value(struct language *l, struct type t, int depth, bool constant) {
    struct value v = nothing;
    for (int k = 0; depth > 0 && k < 3 && !v.text; k++)
        v = attempt(l, t, depth, constant);
    if (v.text && strlen(v.text) > 900)
        v = nothing;
    if (v.text && t.base != TRUTH && t.base != UNSIGNED && v.bound > MOST)
        v = constant ? nothing : make(tamed(l, v), TAME);
    const char *path = v.text || depth < 0 ? NULL : some_path(l, t, false, constant, NULL);
    if (path)
        v = make(path, TAME);
    if (!v.text)
        v = construct(l, t, 0, constant);
    if (!v.text) {
        path = some_path(l, t, false, constant, NULL);
        v = path ? make(path, TAME) : nothing;
    }
    return v;
}

const char *some_size(struct language *l, unsigned *size) {
    for (unsigned i = l->count; i-- > 0;) {
        const struct entity *e = &l->entities[i];
        if (e->value > 0 && lookup(l, e->name) == e && one_in(&l->g, 2)) {
            unsigned more = pick(&l->g, 2);
            *size = (unsigned)e->value + more;
            return more ? text(l, "%s + 1", e->name) : e->name;
        }
    }
    *size = 2 + pick(&l->g, 2);
    return one_in(&l->g, 4) ? text(l, "(%u - 1)", *size + 1) : text(l, "%u", *size);
}
