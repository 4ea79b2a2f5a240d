/* typing.c: the types of a statement's expressions, and what does not fit together in it.
 *
 * Requires: tokens with their meanings; brackets nest a bounded number of levels. glslang has refused the *
 * statement. Keeps: both. Where a type is not known, nothing is said about what is made of it, so that one
 * fault is said once.
 *
 * A descent through the grammar of expressions (GLSL ES 3.00 section 9). It reads tokens and builds
 * nothing. */
#include "frontend/glsl/reasons.h"

#include <stdlib.h>
#include <string.h>

static const struct glsl_type unknown = {0};

struct typist {
    struct run *run;
    const struct unit *unit;
    const struct declarations *d;
    const struct token *at;
    size_t i, end;
    unsigned depth;
    struct findings *out;
};

enum { DEEPEST = 60 }; /* what is nested deeper is not looked at */

/* --- types
 * ------------------------------------------------------------------------------------------------ */

static struct glsl_type simple(enum glsl_base base, unsigned columns, unsigned rows) {
    return (struct glsl_type){.base = base, .columns = columns, .rows = rows};
}

bool glsl_type_of_word(const char *word, struct glsl_type *type) {
    static const struct {
        const char *name;
        enum glsl_base base;
    } scalars[] = {{"float", GLSL_FLOAT},
                   {"int", GLSL_INT},
                   {"uint", GLSL_UINT},
                   {"bool", GLSL_BOOL},
                   {"void", GLSL_VOID}};
    static const struct {
        const char *prefix;
        enum glsl_base base;
    } vectors[] = {{"vec", GLSL_FLOAT}, {"ivec", GLSL_INT}, {"uvec", GLSL_UINT}, {"bvec", GLSL_BOOL}};
    size_t n = strlen(word);
    unsigned last = n && word[n - 1] >= '2' && word[n - 1] <= '4' ? (unsigned)(word[n - 1] - '0') : 0;
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (!strcmp(word, scalars[i].name)) {
            *type = simple(scalars[i].base, 1, 1);
            return true;
        }
    for (size_t i = 0; last && i < sizeof vectors / sizeof *vectors; i++)
        if (n == strlen(vectors[i].prefix) + 1 && !strncmp(word, vectors[i].prefix, n - 1)) {
            *type = simple(vectors[i].base, 1, last);
            return true;
        }
    if (last && !strncmp(word, "mat", 3) && (n == 4 || (n == 6 && word[4] == 'x'))) {
        *type = simple(GLSL_FLOAT, (unsigned)(word[3] - '0'), last);
        return true;
    }
    const char *sampler = word + (*word == 'i' || *word == 'u');
    if (!strncmp(sampler, "sampler", 7) && sampler[7]) {
        *type = (struct glsl_type){.base = GLSL_SAMPLER, .name = word, .columns = 1, .rows = 1};
        return true;
    }
    return false;
}

const char *glsl_type_text(struct run *run, struct glsl_type t) {
    static const char *const scalars[] = {"?", "void", "float", "int", "uint", "bool"};
    static const char *const prefixes[] = {"", "", "", "i", "u", "b"};
    const char *text = scalars[0];
    if (t.base == GLSL_SAMPLER || t.base == GLSL_STRUCTURE)
        text = t.name ? t.name : "a structure";
    else if (t.columns > 1 && t.columns == t.rows)
        text = run_format(run, "mat%u", t.columns);
    else if (t.columns > 1)
        text = run_format(run, "mat%ux%u", t.columns, t.rows);
    else if (t.rows > 1)
        text = run_format(run, "%svec%u", prefixes[t.base], t.rows);
    else
        text = scalars[t.base];
    return t.array ? run_format(run, "%s[]", text) : text;
}

static bool is_scalar(struct glsl_type t) {
    return t.columns == 1 && t.rows == 1 && !t.array && t.base >= GLSL_FLOAT && t.base <= GLSL_BOOL;
}

static bool is_number(struct glsl_type t) {
    return !t.array && t.base >= GLSL_FLOAT && t.base <= GLSL_UINT;
}

bool glsl_same_type(struct glsl_type a, struct glsl_type b) {
    return a.base == b.base && a.columns == b.columns && a.rows == b.rows && a.array == b.array &&
           (!a.name || !b.name || !strcmp(a.name, b.name));
}

bool glsl_converts(const struct unit *unit, struct glsl_type from, struct glsl_type to) {
    if (unit->es || unit->version < 120 || from.array || to.array || from.columns != to.columns ||
        from.rows != to.rows)
        return false;
    bool integer = from.base == GLSL_INT || from.base == GLSL_UINT;
    return integer && (to.base == GLSL_FLOAT || (to.base == GLSL_UINT && unit->version >= 400));
}

static struct glsl_type type_of_name(const struct name *name, const struct meaning *m) {
    struct glsl_type t;
    if (!m->structure && name && glsl_type_of_word(name->text, &t))
        return t;
    if (m->members || m->structure)
        return (struct glsl_type){.base = GLSL_STRUCTURE,
                                  .name = name ? name->text : NULL,
                                  .members = m->members,
                                  .columns = 1,
                                  .rows = 1};
    return unknown;
}

/* --- what is found
 * ---------------------------------------------------------------------------------------- */

static void find(struct typist *t, size_t token, const struct name *name, const char *text) {
    if (t->out->count < MOST_FINDINGS)
        t->out->at[t->out->count++] = (struct finding){.token = token, .text = text, .unknown = name};
}

static bool is(const struct typist *t, const char *spelling) {
    return t->i < t->end && token_is(&t->at[t->i], spelling);
}

static bool accept(struct typist *t, const char *spelling) {
    bool yes = is(t, spelling);
    t->i += yes;
    return yes;
}

static struct glsl_type sequence(struct typist *t);
static struct glsl_type assignment(struct typist *t);

static const char *language(const struct typist *t) {
    return near_language(t->run, t->unit);
}

/* What to write so that a value of type `from` becomes one of type `to`; "": nothing simple. */
static const char *conversion(struct typist *t, struct glsl_type from, struct glsl_type to) {
    const char *name = glsl_type_text(t->run, to);
    if (from.base == GLSL_INT && from.written && to.base == GLSL_FLOAT && is_scalar(to))
        return run_format(t->run, "; write %s.0", from.written);
    if (to.array || from.array || to.columns > 1 || from.columns > 1 || to.base == GLSL_STRUCTURE ||
        to.base == GLSL_SAMPLER || from.base == GLSL_STRUCTURE || from.base == GLSL_SAMPLER ||
        to.base == GLSL_VOID || from.base == GLSL_VOID)
        return "";
    if (is_scalar(from) || from.rows == to.rows)
        return run_format(t->run, "; write %s(...)", name);
    if (from.base == to.base && from.rows > to.rows)
        return run_format(t->run, "; take %s of it",
                          to.rows == 1   ? "a component, such as .x"
                          : to.rows == 2 ? ".xy"
                                         : ".xyz");
    if (from.base == to.base && from.rows < to.rows)
        return run_format(t->run, "; write %s(..., %s)", name, to.rows - from.rows == 1 ? "1.0" : "0.0, 1.0");
    return "";
}

/* A value of type `from` where one of type `to` is needed. */
static void expect(struct typist *t, size_t token, const char *what, struct glsl_type from,
                   struct glsl_type to) {
    if (from.base == GLSL_UNKNOWN || to.base == GLSL_UNKNOWN || glsl_same_type(from, to) ||
        glsl_converts(t->unit, from, to))
        return;
    find(t, token, NULL,
         run_format(t->run, "%s %s, but this is %s%s", what, glsl_type_text(t->run, to),
                    glsl_type_text(t->run, from), conversion(t, from, to)));
}

/* --- operands
 * --------------------------------------------------------------------------------------------- */

enum { MOST_ARGUMENTS = 16 };

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
        struct glsl_type a = assignment(t);
        if (count < MOST_ARGUMENTS)
            arguments[count] = a;
        count++;
        if (t->i == before)
            break;
    } while (accept(t, ","));
    accept(t, ")");
    return count < MOST_ARGUMENTS ? count : MOST_ARGUMENTS;
}

static const char *list_text(struct run *run, const struct glsl_type *arguments, size_t count) {
    const char *text = "(";
    for (size_t i = 0; i < count; i++)
        text = run_format(run, "%s%s%s", text, i ? ", " : "", glsl_type_text(run, arguments[i]));
    return run_format(run, "%s)", text);
}

static void construct(struct typist *t, size_t token, struct glsl_type type,
                      const struct glsl_type *arguments, size_t count) {
    unsigned wanted = type.columns * type.rows, given = 0;
    const char *name = glsl_type_text(t->run, type);
    if (type.base < GLSL_FLOAT || type.base > GLSL_BOOL)
        return;
    if (!count) {
        find(t, token, NULL, run_format(t->run, "'%s': a constructor needs a value", name));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct glsl_type a = arguments[i];
        if (a.base == GLSL_UNKNOWN)
            return;
        if (a.base < GLSL_FLOAT || a.base > GLSL_BOOL || a.array) {
            find(t, token, NULL,
                 run_format(t->run, "'%s': cannot be made of %s", name, glsl_type_text(t->run, a)));
            return;
        }
        if (given >= wanted) {
            find(t, token, NULL,
                 run_format(t->run, "'%s': too many values: it takes %u component%s, and %s has more", name,
                            wanted, wanted == 1 ? "" : "s", list_text(t->run, arguments, count)));
            return;
        }
        given += a.columns * a.rows;
    }
    bool one = count == 1 && (is_scalar(arguments[0]) || (arguments[0].columns > 1 && type.columns > 1));
    if (given < wanted && !one)
        find(t, token, NULL,
             run_format(t->run, "'%s': too few values: it takes %u components, and %s has %u", name, wanted,
                        list_text(t->run, arguments, count), given));
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
        types[count] = type_of_name(t->at[i].name, &m);
        for (; i < f->close && !token_is(&t->at[i], ","); i++)
            types[count].array |= token_is(&t->at[i], "[");
        i++;
        count++;
    }
    return count;
}

static struct glsl_type result_of(const struct typist *t, const struct function *f) {
    size_t type = f->token - 1;
    if (!f->token || t->at[type].kind != T_IDENTIFIER)
        return unknown;
    struct meaning m = t->d->meanings[type];
    m.structure = m.kind == MEANS_TYPE;
    return type_of_name(t->at[type].name, &m);
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
            return result_of(t, f);
        const char *one = run_format(t->run, "%s %s%s (line %u)", glsl_type_text(t->run, result_of(t, f)),
                                     name->text, list_text(t->run, types, n), t->at[f->token].place.line);
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
        find(t, token, NULL,
             run_format(t->run, "'%s': no function of this name takes %s; there is %s", name->text,
                        list_text(t->run, arguments, count), candidates));
    return unknown;
}

static struct glsl_type call(struct typist *t, size_t token) {
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
        return type_of_name(name, &s);
    }
    if (m->kind != MEANS_NOTHING) {
        find(t, token, NULL, run_format(t->run, "'%s': a variable cannot be called", name->text));
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
        later = t->d->functions[k].name == name ? &t->d->functions[k] : NULL;
    bool found;
    type = signatures_result(t->unit, name->text, arguments, count, &found);
    bool derivative = name_is(name, "dFdx") || name_is(name, "dFdy") || name_is(name, "fwidth");
    if (derivative && t->unit->version == 100 && !t->unit->derivatives)
        find(
            t, token, name,
            run_format(t->run,
                       "'%s': derivatives need the line '#extension GL_OES_standard_derivatives : enable' at "
                       "the top",
                       name->text));
    else if (signatures_know(t->unit, name->text) && !found)
        find(t, token, NULL,
             run_format(t->run, "'%s': no matching function takes %s; there is %s", name->text,
                        list_text(t->run, arguments, count),
                        signatures_nearest(t->run, t->unit, name->text, arguments, count)));
    else if (hint)
        find(t, token, name, run_format(t->run, "'%s': not in %s; %s", name->text, language(t), hint));
    else if (!signatures_know(t->unit, name->text) && essl_unit_word(t->run, t->unit, name).kind == WORD_USER)
        find(t, token, name,
             run_format(t->run, "'%s': undeclared function%s", name->text,
                        near_name(t->run, t->unit, t->d, token, NEAR_CALL)));
    return t->out->count == before ? type : unknown;
}

static struct glsl_type builtin_variable(const struct name *name) {
    static const struct {
        const char *name, *type;
    } variables[] = {{"gl_Position", "vec4"},   {"gl_FragColor", "vec4"},  {"gl_FragCoord", "vec4"},
                     {"gl_PointCoord", "vec2"}, {"gl_PointSize", "float"}, {"gl_FrontFacing", "bool"},
                     {"true", "bool"},          {"false", "bool"}};
    struct glsl_type type = unknown;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (name_is(name, variables[i].name))
            glsl_type_of_word(variables[i].type, &type);
    return type;
}

static struct glsl_type named(struct typist *t) {
    size_t token = t->i++;
    const struct name *name = t->at[token].name;
    const struct meaning *m = &t->d->meanings[token];
    struct glsl_type type;
    if (is(t, "("))
        return call(t, token);
    bool constructs =
        m->kind == MEANS_TYPE || (m->kind == MEANS_NOTHING && glsl_type_of_word(name->text, &type));
    if (constructs && is(t, "[")) {
        if (t->unit->version < (t->unit->es ? 300 : 120))
            find(t, token, NULL,
                 run_format(t->run, "'%s[]': %s has no array constructors; assign the elements one by one",
                            name->text, language(t)));
        t->i = t->end;
        return unknown;
    }
    if (m->kind == MEANS_GLOBAL) {
        const struct variable *v = &t->d->variables[m->variable];
        type = type_of_name(v->type, m);
        type.array = v->array_type || v->array_close != v->array_open;
        return type;
    }
    if (m->kind == MEANS_LOCAL) {
        type = type_of_name(m->type, m);
        type.array = m->array;
        return type;
    }
    if (m->kind != MEANS_NOTHING)
        return unknown;
    type = builtin_variable(name);
    const char *hint = near_hint(t->unit, name->text);
    enum word_kind kind = essl_unit_word(t->run, t->unit, name).kind;
    if (hint)
        find(t, token, name, run_format(t->run, "'%s': not in %s; %s", name->text, language(t), hint));
    else if (kind == WORD_USER || kind == WORD_SWIZZLE)
        find(t, token, name,
             run_format(t->run, "'%s': undeclared identifier%s", name->text,
                        near_name(t->run, t->unit, t->d, token, NEAR_VALUE)));
    return hint ? unknown : type;
}

static struct glsl_type number(struct typist *t) {
    size_t token = t->i++;
    const char *text = t->at[token].name->text;
    size_t length = strlen(text);
    char last = text[length - 1];
    bool hexadecimal = length > 1 && text[0] == '0' && (text[1] | 32) == 'x';
    if (!hexadecimal && (last == 'f' || last == 'F')) {
        if (t->unit->version < (t->unit->es ? 300 : 120))
            find(t, token, NULL,
                 run_format(t->run, "'%s': %s has no suffix '%c'; write %.*s", text, language(t), last,
                            (int)(length - 1), text));
        return simple(GLSL_FLOAT, 1, 1);
    }
    if (!hexadecimal && strpbrk(text, ".eE"))
        return simple(GLSL_FLOAT, 1, 1);
    struct glsl_type type = simple(last == 'u' || last == 'U' ? GLSL_UINT : GLSL_INT, 1, 1);
    type.written = type.base == GLSL_INT && !hexadecimal ? text : NULL;
    return type;
}

static struct glsl_type member(struct typist *t, struct glsl_type s) {
    const struct tokens *tokens = &t->unit->tokens;
    size_t name = t->i++, close = s.members ? essl_matching(tokens, s.members) : 0;
    unsigned best = 100;
    const char *near = NULL;
    for (size_t i = s.members, type = 0; i && i < close; i++) {
        if (t->at[i].kind != T_IDENTIFIER)
            continue;
        if (t->d->meanings[i].kind != MEANS_MEMBER) {
            type = i; /* the last word before the names */
            continue;
        }
        if (t->at[i].name == t->at[name].name) {
            struct meaning m = t->d->meanings[type];
            m.structure = m.kind == MEANS_TYPE;
            struct glsl_type result = type_of_name(t->at[type].name, &m);
            result.array = token_is(&t->at[i + 1], "[") || token_is(&t->at[type + 1], "[");
            return result;
        }
        if (near_spelling(t->at[name].name->text, t->at[i].name->text, &best))
            near = t->at[i].name->text;
    }
    if (close)
        find(t, name, NULL,
             run_format(t->run, "'%s': %s has no such member%s", t->at[name].name->text,
                        glsl_type_text(t->run, s),
                        near ? run_format(t->run, "; did you mean '%s'?", near) : ""));
    return unknown;
}

static struct glsl_type components(struct typist *t, struct glsl_type v) {
    static const char *const sets[] = {"xyzw", "rgba", "stpq"};
    size_t token = t->i++, n = t->at[token].name->length;
    const char *text = t->at[token].name->text;
    for (size_t k = 0; k < 3; k++) {
        if (strspn(text, sets[k]) != n)
            continue;
        for (size_t c = 0; c < n; c++)
            if ((size_t)(strchr(sets[k], text[c]) - sets[k]) >= v.rows) {
                find(t, token, NULL,
                     run_format(t->run, "'%s': %s has no component '%c', only .%.*s", text,
                                glsl_type_text(t->run, v), text[c], (int)v.rows, sets[k]));
                return unknown;
            }
        if (n <= 4)
            return simple(v.base, 1, (unsigned)n);
    }
    bool mixed = strspn(text, "xyzwrgbastpq") == n;
    find(t, token, NULL,
         run_format(t->run, "'%s': %s of %s", text,
                    !mixed  ? "no components"
                    : n > 4 ? "more than four components"
                            : "letters of two sets (xyzw, rgba, stpq) do not mix: components",
                    glsl_type_text(t->run, v)));
    return unknown;
}

static struct glsl_type element(struct typist *t, struct glsl_type type, size_t token) {
    struct glsl_type index = sequence(t);
    accept(t, "]");
    if (index.base != GLSL_UNKNOWN &&
        (!is_scalar(index) || (index.base != GLSL_INT && index.base != GLSL_UINT)))
        find(t, token, NULL,
             run_format(t->run, "'[': an index is int, but this is %s; write int(...)",
                        glsl_type_text(t->run, index)));
    if (type.base == GLSL_UNKNOWN)
        return unknown;
    if (type.array) {
        type.array = false;
        return type;
    }
    if (type.base == GLSL_STRUCTURE || type.base == GLSL_SAMPLER || is_scalar(type)) {
        find(t, token, NULL, run_format(t->run, "'[': %s has no elements", glsl_type_text(t->run, type)));
        return unknown;
    }
    return type.columns > 1 ? simple(type.base, 1, type.rows) : simple(type.base, 1, 1);
}

static struct glsl_type postfix(struct typist *t, struct glsl_type type) {
    for (;;) {
        size_t token = t->i;
        if (accept(t, "[")) {
            type = element(t, type, token);
        } else if (accept(t, "++") || accept(t, "--")) {
            type.written = NULL;
        } else if (is(t, ".") && t->i + 1 < t->end && t->at[t->i + 1].kind == T_IDENTIFIER) {
            t->i++;
            if (t->i + 1 < t->end && token_is(&t->at[t->i + 1], "(")) {
                t->i = essl_matching(&t->unit->tokens, t->i + 1) + 1;
                t->i = t->i < t->end ? t->i : t->end;
                type = simple(GLSL_INT, 1, 1);
            } else if (type.base == GLSL_UNKNOWN) {
                t->i++;
            } else if (type.base == GLSL_STRUCTURE && !type.array) {
                type = member(t, type);
            } else if (type.array || type.columns > 1 || type.base == GLSL_SAMPLER ||
                       (is_scalar(type) && (t->unit->es || t->unit->version < 420))) {
                find(t, t->i, NULL,
                     run_format(t->run, "'%s': %s has no components", t->at[t->i].name->text,
                                glsl_type_text(t->run, type)));
                t->i++;
                type = unknown;
            } else {
                type = components(t, type);
            }
        } else {
            return type;
        }
    }
}

static struct glsl_type operand(struct typist *t);

static struct glsl_type signed_operand(struct typist *t, size_t token) {
    if (accept(t, "+") || accept(t, "-") || accept(t, "++") || accept(t, "--")) {
        struct glsl_type type = operand(t);
        if (type.base == GLSL_UNKNOWN || is_number(type))
            return type;
        find(t, token, NULL,
             run_format(t->run, "'%s': works on numbers, but this is %s", t->at[token].name->text,
                        glsl_type_text(t->run, type)));
        return unknown;
    }
    if (accept(t, "!")) {
        struct glsl_type type = operand(t);
        if (type.base != GLSL_UNKNOWN && (type.base != GLSL_BOOL || !is_scalar(type)))
            find(t, token, NULL,
                 run_format(t->run, "'!': works on a bool, but this is %s%s", glsl_type_text(t->run, type),
                            type.base == GLSL_BOOL ? "; write not(...)" : ""));
        return simple(GLSL_BOOL, 1, 1);
    }
    if (accept(t, "~"))
        return operand(t);
    struct glsl_type type = unknown;
    if (accept(t, "(")) {
        type = sequence(t);
        accept(t, ")");
    } else if (t->i < t->end && t->at[t->i].kind == T_IDENTIFIER) {
        type = named(t);
    } else if (t->i < t->end && t->at[t->i].kind == T_NUMBER) {
        type = number(t);
    }
    return postfix(t, type);
}

static struct glsl_type operand(struct typist *t) {
    size_t token = t->i;
    if (t->depth >= DEEPEST) {
        t->i = t->end;
        return unknown;
    }
    t->depth++;
    struct glsl_type type = signed_operand(t, token);
    t->depth--;
    return type;
}

/* --- operators
 * -------------------------------------------------------------------------------------------- */

static const struct operation {
    const char *spelling;
    int level;
} operations[] = {{"||", 1}, {"^^", 2}, {"&&", 3}, {"|", 4},  {"^", 5},  {"&", 6},  {"==", 7},
                  {"!=", 7}, {"<", 8},  {">", 8},  {"<=", 8}, {">=", 8}, {"<<", 9}, {">>", 9},
                  {"+", 10}, {"-", 10}, {"*", 11}, {"/", 11}, {"%", 11}};

static struct glsl_type mismatch(struct typist *t, size_t token, struct glsl_type a, struct glsl_type b,
                                 const char *hint) {
    find(t, token, NULL,
         run_format(t->run, "'%s': no such operation on %s and %s%s", t->at[token].name->text,
                    glsl_type_text(t->run, a), glsl_type_text(t->run, b), hint));
    return unknown;
}

static struct glsl_type arithmetic(struct typist *t, size_t token, struct glsl_type a, struct glsl_type b) {
    bool multiplies = token_is(&t->at[token], "*") || token_is(&t->at[token], "*=");
    if (a.base == GLSL_UNKNOWN || b.base == GLSL_UNKNOWN)
        return unknown;
    if (!is_number(a) || !is_number(b))
        return mismatch(t, token, a, b, "");
    if (a.base != b.base) {
        bool converts = !t->unit->es && t->unit->version >= 120;
        struct glsl_type *integer = a.base == GLSL_FLOAT ? &b : &a, *other = integer == &a ? &b : &a;
        if (!converts && integer->written && other->base == GLSL_FLOAT)
            return mismatch(t, token, a, b, run_format(t->run, "; write %s.0", integer->written));
        if (!converts)
            return mismatch(t, token, a, b,
                            run_format(t->run, "; write %s(...) around the %s",
                                       glsl_type_text(t->run, simple(other->base, 1, integer->rows)),
                                       glsl_type_text(t->run, *integer)));
        integer->base = other->base;
    }
    a.written = b.written = NULL;
    if (is_scalar(a) || is_scalar(b))
        return is_scalar(a) ? b : a;
    if (a.columns == 1 && b.columns == 1)
        return a.rows == b.rows ? a : mismatch(t, token, a, b, "");
    if (!multiplies)
        return a.columns == b.columns && a.rows == b.rows ? a : mismatch(t, token, a, b, "");
    unsigned inner = a.columns > 1 ? a.columns : a.rows;
    if (inner != b.rows)
        return mismatch(t, token, a, b,
                        a.columns == 4 && b.columns == 1 && b.rows == 3
                            ? "; write vec4(..., 1.0) for a point, or vec4(..., 0.0) for a direction"
                            : "");
    return simple(a.base, b.columns > 1 && a.columns > 1 ? b.columns : 1, a.columns > 1 ? a.rows : b.columns);
}

static struct glsl_type combine(struct typist *t, size_t token, struct glsl_type a, struct glsl_type b) {
    const char *op = t->at[token].name->text;
    const struct glsl_type truth = simple(GLSL_BOOL, 1, 1);
    bool known = a.base != GLSL_UNKNOWN && b.base != GLSL_UNKNOWN;
    bool bits = t->unit->version < (t->unit->es ? 300 : 130) &&
                (strchr("%|&^", *op) || !strncmp(op, "<<", 2) || !strncmp(op, ">>", 2)) &&
                (strlen(op) == 1 || op[1] != *op || *op == '<' || *op == '>');
    if (bits) {
        find(t, token, NULL,
             run_format(t->run, "'%s': %s has no %s", op, language(t),
                        *op == '%'
                            ? "integer remainder; write mod(a, b) for floats, a - a / b * b for integers"
                            : "operations on bits; bools have &&, || and ^^"));
        return unknown;
    }
    if (!strcmp(op, "+") || !strcmp(op, "-") || !strcmp(op, "*") || !strcmp(op, "/"))
        return arithmetic(t, token, a, b);
    if (!strcmp(op, "&&") || !strcmp(op, "||") || !strcmp(op, "^^")) {
        if (known && (a.base != GLSL_BOOL || !is_scalar(a) || b.base != GLSL_BOOL || !is_scalar(b)))
            mismatch(t, token, a, b, "; it needs two bools");
        return truth;
    }
    if (!strcmp(op, "<") || !strcmp(op, ">") || !strcmp(op, "<=") || !strcmp(op, ">=")) {
        if (known && is_number(a) && is_number(b) && (a.rows > 1 || b.rows > 1))
            mismatch(t, token, a, b,
                     run_format(t->run, "; %s compares vectors by components",
                                *op == '<' ? "lessThan()" : "greaterThan()"));
        else if (known)
            arithmetic(t, token, a, b);
        return truth;
    }
    if (!strcmp(op, "==") || !strcmp(op, "!=")) {
        if (known && !glsl_same_type(a, b) && !glsl_converts(t->unit, a, b) &&
            !glsl_converts(t->unit, b, a)) {
            const char *hint = a.base == GLSL_INT && a.written ? conversion(t, a, b) : conversion(t, b, a);
            mismatch(t, token, a, b, (a.written || b.written) ? hint : "");
        }
        return truth;
    }
    return known ? a : unknown; /* on bits */
}

static struct glsl_type binary(struct typist *t, int lowest) {
    struct glsl_type left = operand(t);
    for (bool more = true; more && t->i < t->end;) {
        more = false;
        for (size_t k = 0; k < sizeof operations / sizeof *operations && !more; k++) {
            size_t token = t->i;
            if (operations[k].level < lowest || !accept(t, operations[k].spelling))
                continue;
            struct glsl_type right = binary(t, operations[k].level + 1);
            left = combine(t, token, left, right);
            more = true;
        }
    }
    return left;
}

static void condition(struct typist *t, size_t token, const char *what, struct glsl_type type) {
    if (type.base != GLSL_UNKNOWN && (type.base != GLSL_BOOL || !is_scalar(type)))
        find(t, token, NULL,
             run_format(t->run, "the condition of %s is a bool, but this is %s%s", what,
                        glsl_type_text(t->run, type),
                        is_scalar(type)          ? "; compare it with something, such as != 0"
                        : type.base == GLSL_BOOL ? "; write any(...) or all(...)"
                                                 : ""));
}

static struct glsl_type choice_or_assignment(struct typist *t) {
    size_t begin = t->i;
    struct glsl_type left = binary(t, 1);
    size_t token = t->i;
    if (accept(t, "?")) {
        condition(t, begin, "'?:'", left);
        struct glsl_type a = sequence(t);
        if (!accept(t, ":"))
            return a;
        struct glsl_type b = assignment(t);
        if (a.base != GLSL_UNKNOWN && b.base != GLSL_UNKNOWN && !glsl_same_type(a, b) &&
            !glsl_converts(t->unit, a, b) && !glsl_converts(t->unit, b, a)) {
            find(t, token, NULL,
                 run_format(t->run, "'?:': both values have one type, but these are %s and %s",
                            glsl_type_text(t->run, a), glsl_type_text(t->run, b)));
            return unknown;
        }
        a.written = NULL;
        return a;
    }
    static const char *const assigns[] = {"=", "+=", "-=", "*=", "/="};
    for (size_t k = 0; k < sizeof assigns / sizeof *assigns; k++) {
        if (!accept(t, assigns[k]))
            continue;
        size_t count = t->out->count;
        struct glsl_type right = assignment(t);
        const struct meaning *m = &t->d->meanings[begin];
        bool constant = (m->kind == MEANS_LOCAL && m->constant) ||
                        (m->kind == MEANS_GLOBAL && t->d->variables[m->variable].storage == STORE_CONST);
        enum storage storage = m->kind == MEANS_GLOBAL ? t->d->variables[m->variable].storage : STORE_NONE;
        const char *kind = constant                     ? "a constant"
                           : storage == STORE_UNIFORM   ? "a uniform"
                           : storage == STORE_ATTRIBUTE ? "an attribute"
                           : storage == STORE_VARYING && t->unit->stage == QPUCC_FRAGMENT
                               ? "a varying of a fragment shader"
                               : NULL;
        if (t->out->count > count)
            return unknown;
        if (kind)
            find(t, begin, NULL,
                 run_format(t->run, "'%s': %s cannot be changed", t->at[begin].name->text, kind));
        else if (!k)
            expect(t, token, "'=': the left side is", right, left);
        else {
            struct glsl_type r = arithmetic(t, token, left, right);
            if (t->out->count == count)
                expect(t, token, run_format(t->run, "'%s': the left side is", assigns[k]), r, left);
        }
        return left;
    }
    return left;
}

static struct glsl_type assignment(struct typist *t) {
    struct glsl_type type = unknown;
    if (t->depth++ < DEEPEST)
        type = choice_or_assignment(t);
    else
        t->i = t->end;
    t->depth--;
    return type;
}

static struct glsl_type sequence(struct typist *t) {
    struct glsl_type type = assignment(t);
    while (accept(t, ","))
        type = assignment(t);
    return type;
}

/* --- statements
 * ------------------------------------------------------------------------------------------- */

static bool is_qualifier(const struct typist *t) {
    static const char *const words[] = {"const", "uniform", "attribute", "varying",  "in",
                                        "out",   "flat",    "smooth",    "centroid", "invariant",
                                        "highp", "mediump", "lowp"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (is(t, words[k]) && t->d->meanings[t->i].kind == MEANS_NOTHING)
            return true;
    return false;
}

/* The declarators behind a type. */
static void declarators(struct typist *t, struct glsl_type type, bool uniform) {
    while (t->i < t->end && t->at[t->i].kind == T_IDENTIFIER) {
        struct glsl_type own = type;
        t->i++;
        while (is(t, "[")) {
            own.array = true;
            size_t open = t->i;
            t->i++;
            if (!is(t, "]")) {
                struct glsl_type length = sequence(t);
                if (length.base != GLSL_UNKNOWN && length.base != GLSL_INT && length.base != GLSL_UINT)
                    find(t, open, NULL,
                         run_format(t->run, "'[': an array's length is a constant int, but this is %s",
                                    glsl_type_text(t->run, length)));
            }
            if (!accept(t, "]"))
                return;
        }
        size_t equal = t->i;
        if (accept(t, "=")) {
            if (uniform && (t->unit->es || t->unit->version < 120)) {
                find(
                    t, equal, NULL,
                    run_format(t->run,
                               "'=': %s has no initial values of uniforms; set it from the program, or write "
                               "const",
                               language(t)));
                return;
            }
            size_t count = t->out->count;
            struct glsl_type value = assignment(t);
            if (t->out->count == count)
                expect(t, equal, run_format(t->run, "'=': '%s' is", t->at[equal - 1].name->text), value, own);
        }
        if (!accept(t, ","))
            return;
    }
}

static const struct function *function_around(const struct typist *t) {
    for (size_t f = 0; f < t->d->function_count; f++)
        if (t->d->functions[f].body_open < t->i && t->i < t->d->functions[f].body_close)
            return &t->d->functions[f];
    return NULL;
}

static void check_return(struct typist *t) {
    size_t token = t->i++, count = t->out->count;
    const struct function *f = function_around(t);
    struct glsl_type result = f ? result_of(t, f) : unknown;
    if (t->i >= t->end || is(t, ";")) {
        if (result.base != GLSL_VOID && result.base != GLSL_UNKNOWN)
            find(t, token, NULL,
                 run_format(t->run, "return: '%s' gives %s, and here is no value", f->name->text,
                            glsl_type_text(t->run, result)));
        return;
    }
    struct glsl_type value = sequence(t);
    if (t->out->count == count && f)
        expect(t, token, run_format(t->run, "return: '%s' gives", f->name->text), value, result);
}

static bool is_label(const struct typist *t) {
    return is(t, "else") || is(t, "do") || is(t, "case") || is(t, "default");
}

static void statement(struct typist *t) {
    while (is_label(t))
        t->i++;
    size_t begin = t->i;
    if (accept(t, "if") || accept(t, "while") || accept(t, "for")) {
        size_t token = t->i;
        bool loop = token_is(&t->at[begin], "for");
        if (!accept(t, "("))
            return;
        if (loop) {
            statement(t);
            return;
        }
        struct glsl_type type = sequence(t);
        condition(t, token + 1, run_format(t->run, "'%s'", t->at[begin].name->text), type);
        return;
    }
    if (is(t, "return")) {
        check_return(t);
        return;
    }
    bool uniform = false, qualified = false;
    for (; is_qualifier(t); t->i++) {
        uniform |= is(t, "uniform");
        qualified = true;
    }
    struct glsl_type type;
    size_t word = t->i;
    bool name_follows = word + 1 < t->end && t->at[word + 1].kind == T_IDENTIFIER;
    if (name_follows && t->at[word].kind == T_IDENTIFIER) {
        struct meaning m = t->d->meanings[word];
        m.structure = m.kind == MEANS_TYPE;
        type = m.kind == MEANS_NOTHING || m.kind == MEANS_TYPE ? type_of_name(t->at[word].name, &m) : unknown;
        if (m.kind == MEANS_NOTHING && type.base == GLSL_UNKNOWN &&
            essl_unit_word(t->run, t->unit, t->at[word].name).kind == WORD_USER) {
            const char *hint = near_hint(t->unit, t->at[word].name->text);
            const char *text =
                hint ? run_format(t->run, "'%s': not in %s; %s", t->at[word].name->text, language(t), hint)
                     : run_format(t->run, "'%s': no such type%s", t->at[word].name->text,
                                  near_name(t->run, t->unit, t->d, word, NEAR_TYPE));
            find(t, word, NULL, text);
        }
        if (type.base == GLSL_SAMPLER && !uniform)
            find(t, word + 1, NULL,
                 run_format(t->run,
                            "'%s': a sampler is a uniform or a parameter; write 'uniform %s %s;' outside of "
                            "functions",
                            t->at[word + 1].name->text, type.name, t->at[word + 1].name->text));
        bool function = word + 2 < t->end && token_is(&t->at[word + 2], "(");
        t->i = word + 1;
        if (type.base != GLSL_UNKNOWN && !function)
            declarators(t, type, uniform);
        t->i = function || type.base == GLSL_UNKNOWN ? t->end : t->i;
        return;
    }
    if (qualified || is(t, "struct") || is(t, "precision") || is(t, "layout"))
        t->i = t->end;
    else
        sequence(t);
}

void typing_statement(struct run *run, const struct unit *unit, const struct declarations *d, size_t begin,
                      size_t end, struct findings *out) {
    struct typist t = {
        .run = run, .unit = unit, .d = d, .at = unit->tokens.at, .i = begin, .end = end, .out = out};
    while (t.i < t.end) {
        size_t before = t.i;
        statement(&t);
        if (t.i == before || is(&t, ")") || is(&t, ";"))
            t.i++;
    }
}
