/* typing_call.c: calls and constructors whose arguments do not fit, and functions that are not there.
 *
 * Requires and keeps what typing.h says. */
#include "frontend/glsl/typing.h"

#include <string.h>

static const struct glsl_type unknown = {0};

/* Behind the opening bracket; gives their number. */
static size_t read_arguments(struct typist *t, struct glsl_type *arguments) {
    size_t count = 0;
    if (accept(t, ")"))
        return 0;
    if (is(t, "void") && t->i + 1 < t->end && token_is(&t->at[t->i + 1], ")")) {
        t->i += 2;
        return 0;
    }
    do {
        size_t before = t->i;
        struct glsl_type a = typist_assignment(t);
        if (count < MOST_ARGUMENTS)
            arguments[count] = a;
        count++;
        if (t->i == before)
            break;
    } while (accept(t, ","));
    accept(t, ")");
    return count < MOST_ARGUMENTS ? count : MOST_ARGUMENTS;
}

static void construct(struct typist *t, size_t token, struct glsl_type type,
                      const struct glsl_type *arguments, size_t count) {
    unsigned wanted = type.columns * type.rows, given = 0;
    const char *name = glsl_type_text(t->run, type);
    if (type.base < GLSL_FLOAT || type.base > GLSL_BOOL)
        return;
    if (!count) {
        typist_find(t, token, NULL, run_format(t->run, "'%s': a constructor needs a value", name));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct glsl_type a = arguments[i];
        if (a.base == GLSL_UNKNOWN)
            return;
        if (a.base < GLSL_FLOAT || a.base > GLSL_BOOL || a.array) {
            typist_find(t, token, NULL,
                        run_format(t->run, "'%s': cannot be made of %s", name, glsl_type_text(t->run, a)));
            return;
        }
        if (given >= wanted) {
            typist_find(t, token, NULL,
                        run_format(t->run, "'%s': too many values: it takes %u component%s, and %s has more",
                                   name, wanted, wanted == 1 ? "" : "s",
                                   glsl_types_text(t->run, arguments, count)));
            return;
        }
        given += a.columns * a.rows;
    }
    bool one = count == 1 && (glsl_is_scalar(arguments[0]) || (arguments[0].columns > 1 && type.columns > 1));
    if (given < wanted && !one)
        typist_find(t, token, NULL,
                    run_format(t->run, "'%s': too few values: it takes %u components, and %s has %u", name,
                               wanted, glsl_types_text(t->run, arguments, count), given));
}

/* Of a function of the user's: the type of parameter `n`, and how many there are. */
static size_t parameters_of(const struct typist *t, const struct function *f, struct glsl_type *types) {
    static const char *const qualifiers[] = {"const", "in", "out", "inout", "lowp", "mediump", "highp"};
    size_t count = 0, i = f->open + 1;
    while (i < f->close && count < MOST_ARGUMENTS) {
        for (size_t k = 0; k < sizeof qualifiers / sizeof *qualifiers; k++)
            if (token_is(&t->at[i], qualifiers[k]))
                i++, k = (size_t)-1;
        if (i >= f->close || (token_is(&t->at[i], "void") && i + 1 == f->close))
            break;
        struct meaning m = t->d->meanings[i];
        m.structure = m.kind == MEANS_TYPE;
        types[count] = glsl_type_of_name(t->at[i].name, &m);
        for (; i < f->close && !token_is(&t->at[i], ","); i++)
            types[count].array |= token_is(&t->at[i], "[");
        i++;
        count++;
    }
    return count;
}

struct glsl_type typist_result_of(const struct typist *t, const struct function *f) {
    size_t type = f->token - 1;
    if (!f->token || t->at[type].kind != T_IDENTIFIER)
        return unknown;
    struct meaning m = t->d->meanings[type];
    m.structure = m.kind == MEANS_TYPE;
    return glsl_type_of_name(t->at[type].name, &m);
}

static struct glsl_type call_users(struct typist *t, size_t token, const struct glsl_type *arguments,
                                   size_t count) {
    const struct name *name = t->at[token].name;
    const char *candidates = NULL;
    for (size_t k = 0; k < t->d->function_count; k++) {
        const struct function *f = &t->d->functions[k];
        struct glsl_type types[MOST_ARGUMENTS];
        if (f->name != name || f->token > token)
            continue;
        size_t n = parameters_of(t, f, types);
        bool good = n == count;
        for (size_t i = 0; good && i < n; i++)
            good = types[i].base == GLSL_UNKNOWN || arguments[i].base == GLSL_UNKNOWN ||
                   glsl_same_type(arguments[i], types[i]) || glsl_converts(t->unit, arguments[i], types[i]);
        if (good)
            return typist_result_of(t, f);
        const char *one =
            run_format(t->run, "%s %s%s (line %u)", glsl_type_text(t->run, typist_result_of(t, f)),
                       name->text, glsl_types_text(t->run, types, n), t->at[f->token].place.line);
        if (!candidates || strlen(candidates) < 200)
            candidates = candidates ? run_format(t->run, "%s and %s", candidates, one) : one;
    }
    if (signatures_know(t->unit, name->text) && t->unit->es) {
        bool found;
        struct glsl_type r = signatures_result(t->unit, name->text, arguments, count, &found);
        if (found)
            return r;
    }
    if (candidates)
        typist_find(t, token, NULL,
                    run_format(t->run, "'%s': no function of this name takes %s; there is %s", name->text,
                               glsl_types_text(t->run, arguments, count), candidates));
    return unknown;
}

struct glsl_type typist_call(struct typist *t, size_t token) {
    const struct name *name = t->at[token].name;
    const struct meaning *m = &t->d->meanings[token];
    struct glsl_type arguments[MOST_ARGUMENTS] = {{0}}, type;
    size_t before = t->out->count;
    t->i++;
    size_t count = read_arguments(t, arguments);
    if (m->kind == MEANS_FUNCTION)
        return call_users(t, token, arguments, count);
    if (m->kind == MEANS_TYPE) {
        struct meaning s = *m;
        s.structure = true;
        return glsl_type_of_name(name, &s);
    }
    if (m->kind != MEANS_NOTHING) {
        typist_find(t, token, NULL, run_format(t->run, "'%s': a variable cannot be called", name->text));
        return unknown;
    }
    const char *hint = near_hint(t->unit, name->text);
    if (!hint && glsl_type_of_word(name->text, &type)) {
        if (t->out->count == before)
            construct(t, token, type, arguments, count);
        return type;
    }
    const struct function *later = NULL;
    for (size_t k = 0; k < t->d->function_count && !later; k++)
        if (t->d->functions[k].name == name && t->d->functions[k].token > token)
            later = &t->d->functions[k];
    enum word_kind kind = essl_unit_word(t->unit, name);
    bool found;
    type = signatures_result(t->unit, name->text, arguments, count, &found);
    bool derivative = name_is(name, "dFdx") || name_is(name, "dFdy") || name_is(name, "fwidth");
    if (derivative && t->unit->version == 100 && !t->unit->derivatives)
        typist_find(
            t, token, name,
            run_format(t->run,
                       "'%s': derivatives need the line '#extension GL_OES_standard_derivatives : enable' at "
                       "the top",
                       name->text));
    else if (signatures_know(t->unit, name->text) && !found)
        typist_find(t, token, NULL,
                    run_format(t->run, "'%s': no matching function takes %s; there is %s", name->text,
                               glsl_types_text(t->run, arguments, count),
                               signatures_nearest(t->run, t->unit, name->text, arguments, count)));
    else if (hint)
        typist_find(t, token, name,
                    run_format(t->run, "'%s': not in %s; %s", name->text, typist_language(t), hint));
    else if (!signatures_know(t->unit, name->text) && (kind == WORD_USER || kind == WORD_SWIZZLE))
        typist_find(
            t, token, name,
            later ? run_format(
                        t->run,
                        "'%s': declared further down, in line %u; a function is declared before it is called",
                        name->text, t->at[later->token].place.line)
                  : run_format(t->run, "'%s': undeclared function%s", name->text,
                               near_name(t->run, t->unit, t->d, token, NEAR_CALL)));
    return t->out->count == before ? type : unknown;
}
