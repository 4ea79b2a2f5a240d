/* typing.c: the types of a statement's expressions, and what does not fit together in it.
 *
 * Requires: tokens with their meanings; brackets nest a bounded number of levels. glslang has refused the
 * statement. Keeps: both. Where a type is not known, nothing is said about what is made of it, so that one
 * fault is said once.
 *
 * A descent through the grammar of expressions (GLSL ES 3.00 section 9). It reads tokens and builds
 * nothing. */
#include "frontend/glsl/typing.h"

#include <stdlib.h>
#include <string.h>

static const struct glsl_type unknown = {0};

enum { DEEPEST = 60 }; /* what is nested deeper is not looked at */

/* --- what is found -------------------------------------------------------------------------------------- */

/* After the last finding that there is room for the rest of the statement is left out. */
void typist_find(struct typist *t, size_t token, const struct name *name, const char *text) {
    if (t->out->count < MOST_FINDINGS)
        t->out->at[t->out->count++] = (struct finding){.token = token, .text = text, .unknown = name};
    if (t->out->count == MOST_FINDINGS)
        t->i = t->end;
}

const char *typist_language(const struct typist *t) {
    return near_language(t->run, t->unit);
}

/* What to write so that a value of type `from` becomes one of type `to`; "": nothing simple. */
const char *typist_conversion(struct typist *t, struct glsl_type from, struct glsl_type to) {
    const char *name = glsl_type_text(t->run, to);
    if (from.base == GLSL_INT && from.written && to.base == GLSL_FLOAT && glsl_is_scalar(to))
        return run_format(t->run, "; write %s.0", from.written);
    if (to.array || from.array || to.columns > 1 || from.columns > 1 || to.base == GLSL_STRUCTURE ||
        to.base == GLSL_SAMPLER || from.base == GLSL_STRUCTURE || from.base == GLSL_SAMPLER ||
        to.base == GLSL_VOID || from.base == GLSL_VOID)
        return "";
    if (glsl_is_scalar(from) || from.rows == to.rows)
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
void typist_expect(struct typist *t, size_t token, const char *what, struct glsl_type from,
                   struct glsl_type to) {
    if (from.base == GLSL_UNKNOWN || to.base == GLSL_UNKNOWN || glsl_same_type(from, to) ||
        glsl_converts(t->unit, from, to))
        return;
    typist_find(t, token, NULL,
                run_format(t->run, "%s %s, but this is %s%s", what, glsl_type_text(t->run, to),
                           glsl_type_text(t->run, from), typist_conversion(t, from, to)));
}

/* --- operands ------------------------------------------------------------------------------------------ */

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

/* `float[2](...)` or `float[2] a`, neither of which old versions have; at the bracket. */
static void array_type(struct typist *t, size_t token) {
    const char *type = t->at[token].name->text;
    size_t after = essl_matching(&t->unit->tokens, t->i) + 1;
    if (t->unit->version >= (t->unit->es ? 300 : 120))
        return;
    if (after < t->end && t->at[after].kind == T_IDENTIFIER)
        typist_find(t, token, NULL,
                    run_format(t->run, "'%s[]': in %s the brackets stand behind the name; write '%s %s[...]'",
                               type, typist_language(t), type, t->at[after].name->text));
    else
        typist_find(t, token, NULL,
                    run_format(t->run, "'%s[]': %s has no array constructors; assign the elements one by one",
                               type, typist_language(t)));
}

static struct glsl_type named(struct typist *t) {
    size_t token = t->i++;
    const struct name *name = t->at[token].name;
    const struct meaning *m = &t->d->meanings[token];
    struct glsl_type type;
    if (is(t, "("))
        return typist_call(t, token);
    bool constructs =
        m->kind == MEANS_TYPE || (m->kind == MEANS_NOTHING && glsl_type_of_word(name->text, &type));
    if (constructs && is(t, "[")) {
        array_type(t, token);
        t->i = t->end;
        return unknown;
    }
    if (m->kind == MEANS_GLOBAL) {
        const struct variable *v = &t->d->variables[m->variable];
        type = glsl_type_of_name(v->type, m);
        type.array = v->array_type || v->array_close != v->array_open;
        return type;
    }
    if (m->kind == MEANS_LOCAL) {
        type = glsl_type_of_name(m->type, m);
        type.array = m->array;
        return type;
    }
    if (m->kind != MEANS_NOTHING)
        return unknown;
    type = builtin_variable(name);
    const char *hint = near_hint(t->unit, name->text);
    enum word_kind kind = essl_unit_word(t->unit, name);
    if (hint)
        typist_find(t, token, name,
                    run_format(t->run, "'%s': not in %s; %s", name->text, typist_language(t), hint));
    else if (kind == WORD_USER || kind == WORD_SWIZZLE)
        typist_find(t, token, name,
                    run_format(t->run, "'%s': undeclared identifier%s", name->text,
                               near_name(t->run, t->unit, t->d, token, NEAR_VALUE)));
    return hint ? unknown : type;
}

/* How many characters of a decimal number stand before its suffix. */
static size_t digits(const char *text) {
    size_t n = strspn(text, "0123456789.");
    size_t sign = text[n] == 'e' || text[n] == 'E' ? n + 1 + strspn(text + n + 1, "+-") : n;
    size_t exponent = sign > n ? strspn(text + sign, "0123456789") : 0;
    return exponent ? sign + exponent : n;
}

static struct glsl_type number(struct typist *t) {
    size_t token = t->i++;
    const char *text = t->at[token].name->text;
    size_t length = strlen(text), n = digits(text);
    char last = text[length - 1];
    bool hexadecimal = length > 1 && text[0] == '0' && (text[1] | 32) == 'x';
    if (!hexadecimal && (last == 'f' || last == 'F')) {
        if (t->unit->version < (t->unit->es ? 300 : 120))
            typist_find(t, token, NULL,
                        run_format(t->run, "'%s': %s has no suffix '%s'; write %.*s%s", text,
                                   typist_language(t), text + n, (int)n, text,
                                   strcspn(text, ".eE") < n ? "" : ".0"));
        return glsl_simple_type(GLSL_FLOAT, 1, 1);
    }
    if (!hexadecimal && strpbrk(text, ".eE"))
        return glsl_simple_type(GLSL_FLOAT, 1, 1);
    struct glsl_type type = glsl_simple_type(last == 'u' || last == 'U' ? GLSL_UINT : GLSL_INT, 1, 1);
    bool octal = text[0] == '0' && length > 1;
    type.written = type.base == GLSL_INT && n == length && !octal ? text : NULL;
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
            struct glsl_type result = glsl_type_of_name(t->at[type].name, &m);
            result.array = token_is(&t->at[i + 1], "[") || token_is(&t->at[type + 1], "[");
            return result;
        }
        if (near_spelling(t->at[name].name->text, t->at[i].name->text, &best))
            near = t->at[i].name->text;
    }
    if (close)
        typist_find(t, name, NULL,
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
                typist_find(t, token, NULL,
                            run_format(t->run, "'%s': %s has no component '%c', only .%.*s", text,
                                       glsl_type_text(t->run, v), text[c], (int)v.rows, sets[k]));
                return unknown;
            }
        if (n <= 4)
            return glsl_simple_type(v.base, 1, (unsigned)n);
    }
    bool mixed = strspn(text, "xyzwrgbastpq") == n;
    typist_find(t, token, NULL,
                run_format(t->run, "'%s': %s of %s", text,
                           !mixed  ? "no components"
                           : n > 4 ? "more than four components"
                                   : "letters of two sets (xyzw, rgba, stpq) do not mix: components",
                           glsl_type_text(t->run, v)));
    return unknown;
}

static struct glsl_type element(struct typist *t, struct glsl_type type, size_t token) {
    struct glsl_type index = typist_sequence(t);
    accept(t, "]");
    if (index.base != GLSL_UNKNOWN &&
        (!glsl_is_scalar(index) || (index.base != GLSL_INT && index.base != GLSL_UINT)))
        typist_find(t, token, NULL,
                    run_format(t->run, "'[': an index is int, but this is %s; write int(...)",
                               glsl_type_text(t->run, index)));
    if (type.base == GLSL_UNKNOWN)
        return unknown;
    if (type.array) {
        type.array = false;
        return type;
    }
    if (type.base == GLSL_STRUCTURE || type.base == GLSL_SAMPLER || glsl_is_scalar(type)) {
        typist_find(t, token, NULL,
                    run_format(t->run, "'[': %s has no elements", glsl_type_text(t->run, type)));
        return unknown;
    }
    return type.columns > 1 ? glsl_simple_type(type.base, 1, type.rows) : glsl_simple_type(type.base, 1, 1);
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
                type = glsl_simple_type(GLSL_INT, 1, 1);
            } else if (type.base == GLSL_UNKNOWN) {
                t->i++;
            } else if (type.base == GLSL_STRUCTURE && !type.array) {
                type = member(t, type);
            } else if (type.array || type.columns > 1 || type.base == GLSL_SAMPLER ||
                       (glsl_is_scalar(type) && (t->unit->es || t->unit->version < 420))) {
                typist_find(t, t->i, NULL,
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
        if (type.written && token_is(&t->at[token], "-"))
            type.written = *type.written == '-' ? NULL : run_format(t->run, "-%s", type.written);
        if (type.base == GLSL_UNKNOWN || glsl_is_number(type))
            return type;
        typist_find(t, token, NULL,
                    run_format(t->run, "'%s': works on numbers, but this is %s", t->at[token].name->text,
                               glsl_type_text(t->run, type)));
        return unknown;
    }
    if (accept(t, "!")) {
        struct glsl_type type = operand(t);
        if (type.base != GLSL_UNKNOWN && (type.base != GLSL_BOOL || !glsl_is_scalar(type)))
            typist_find(t, token, NULL,
                        run_format(t->run, "'!': works on a bool, but this is %s%s",
                                   glsl_type_text(t->run, type),
                                   type.base == GLSL_BOOL ? "; write not(...)" : ""));
        return glsl_simple_type(GLSL_BOOL, 1, 1);
    }
    if (accept(t, "~"))
        return operand(t);
    struct glsl_type type = unknown;
    if (accept(t, "(")) {
        type = typist_sequence(t);
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

/* --- operators ------------------------------------------------------------------------------------------ */

static const struct operation {
    const char *spelling;
    int level;
} operations[] = {{"||", 1}, {"^^", 2}, {"&&", 3}, {"|", 4},  {"^", 5},  {"&", 6},  {"==", 7},
                  {"!=", 7}, {"<", 8},  {">", 8},  {"<=", 8}, {">=", 8}, {"<<", 9}, {">>", 9},
                  {"+", 10}, {"-", 10}, {"*", 11}, {"/", 11}, {"%", 11}};

static struct glsl_type mismatch(struct typist *t, size_t token, struct glsl_type a, struct glsl_type b,
                                 const char *hint) {
    typist_find(t, token, NULL,
                run_format(t->run, "'%s': no such operation on %s and %s%s", t->at[token].name->text,
                           glsl_type_text(t->run, a), glsl_type_text(t->run, b), hint));
    return unknown;
}

static struct glsl_type arithmetic(struct typist *t, size_t token, struct glsl_type a, struct glsl_type b) {
    bool multiplies = token_is(&t->at[token], "*") || token_is(&t->at[token], "*=");
    if (a.base == GLSL_UNKNOWN || b.base == GLSL_UNKNOWN)
        return unknown;
    if (!glsl_is_number(a) || !glsl_is_number(b))
        return mismatch(t, token, a, b, "");
    if (a.base != b.base) {
        struct glsl_type *integer = a.base == GLSL_FLOAT ? &b : &a, *other = integer == &a ? &b : &a;
        bool converts = !t->unit->es && t->unit->version >= 120 && other->base == GLSL_FLOAT;
        if (!converts && integer->written && other->base == GLSL_FLOAT)
            return mismatch(t, token, a, b, run_format(t->run, "; write %s.0", integer->written));
        if (!converts)
            return mismatch(
                t, token, a, b,
                run_format(t->run, "; write %s(...) around the %s",
                           glsl_type_text(t->run, glsl_simple_type(other->base, 1, integer->rows)),
                           glsl_type_text(t->run, *integer)));
        integer->base = other->base;
    }
    a.written = b.written = NULL;
    if (glsl_is_scalar(a) || glsl_is_scalar(b))
        return glsl_is_scalar(a) ? b : a;
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
    return glsl_simple_type(a.base, b.columns > 1 && a.columns > 1 ? b.columns : 1,
                            a.columns > 1 ? a.rows : b.columns);
}

static struct glsl_type combine(struct typist *t, size_t token, struct glsl_type a, struct glsl_type b) {
    const char *op = t->at[token].name->text;
    const struct glsl_type truth = glsl_simple_type(GLSL_BOOL, 1, 1);
    bool known = a.base != GLSL_UNKNOWN && b.base != GLSL_UNKNOWN;
    bool bits = t->unit->version < (t->unit->es ? 300 : 130) &&
                (strchr("%|&^", *op) || !strncmp(op, "<<", 2) || !strncmp(op, ">>", 2)) &&
                (strlen(op) == 1 || op[1] != *op || *op == '<' || *op == '>');
    if (bits) {
        typist_find(
            t, token, NULL,
            run_format(t->run, "'%s': %s has no %s", op, typist_language(t),
                       *op == '%'
                           ? "integer remainder; write mod(a, b) for floats, a - a / b * b for integers"
                           : "operations on bits; bools have &&, || and ^^"));
        return unknown;
    }
    if (!strcmp(op, "+") || !strcmp(op, "-") || !strcmp(op, "*") || !strcmp(op, "/"))
        return arithmetic(t, token, a, b);
    if (!strcmp(op, "&&") || !strcmp(op, "||") || !strcmp(op, "^^")) {
        if (known && (a.base != GLSL_BOOL || !glsl_is_scalar(a) || b.base != GLSL_BOOL || !glsl_is_scalar(b)))
            mismatch(t, token, a, b, "; it needs two bools");
        return truth;
    }
    if (!strcmp(op, "<") || !strcmp(op, ">") || !strcmp(op, "<=") || !strcmp(op, ">=")) {
        if (known && glsl_is_number(a) && glsl_is_number(b) && (a.rows > 1 || b.rows > 1))
            mismatch(t, token, a, b,
                     run_format(t->run, "; %s%s() compares vectors by components",
                                *op == '<' ? "lessThan" : "greaterThan", op[1] ? "Equal" : ""));
        else if (known)
            arithmetic(t, token, a, b);
        return truth;
    }
    if (!strcmp(op, "==") || !strcmp(op, "!=")) {
        if (known && !glsl_same_type(a, b) && !glsl_converts(t->unit, a, b) &&
            !glsl_converts(t->unit, b, a)) {
            const char *hint =
                a.base == GLSL_INT && a.written ? typist_conversion(t, a, b) : typist_conversion(t, b, a);
            mismatch(t, token, a, b, (a.written || b.written) ? hint : "");
        }
        return truth;
    }
    bool shifts = *op == '<' || *op == '>'; /* the rest is on bits, too, and on remainders */
    if (!known || (!shifts && a.base != b.base))
        return unknown;
    a.written = b.written = NULL;
    return glsl_is_scalar(a) && !shifts ? b : a;
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

void typist_condition(struct typist *t, size_t token, const char *what, struct glsl_type type) {
    if (type.base != GLSL_UNKNOWN && (type.base != GLSL_BOOL || !glsl_is_scalar(type)))
        typist_find(t, token, NULL,
                    run_format(t->run, "the condition of %s is a bool, but this is %s%s", what,
                               glsl_type_text(t->run, type),
                               glsl_is_scalar(type)     ? "; compare it with something, such as != 0"
                               : type.base == GLSL_BOOL ? "; write any(...) or all(...)"
                                                        : ""));
}

static struct glsl_type choice_or_assignment(struct typist *t) {
    size_t begin = t->i;
    struct glsl_type left = binary(t, 1);
    size_t token = t->i;
    if (accept(t, "?")) {
        typist_condition(t, begin, "'?:'", left);
        struct glsl_type a = typist_sequence(t);
        if (!accept(t, ":"))
            return a;
        struct glsl_type b = typist_assignment(t);
        if (a.base != GLSL_UNKNOWN && b.base != GLSL_UNKNOWN && !glsl_same_type(a, b) &&
            !glsl_converts(t->unit, a, b) && !glsl_converts(t->unit, b, a)) {
            typist_find(t, token, NULL,
                        run_format(t->run, "'?:': both values need the same type, but these are %s and %s",
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
        struct glsl_type right = typist_assignment(t);
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
            typist_find(t, begin, NULL,
                        run_format(t->run, "'%s': %s cannot be changed", t->at[begin].name->text, kind));
        else if (!k)
            typist_expect(t, token, "'=': the left side is", right, left);
        else {
            struct glsl_type r = arithmetic(t, token, left, right);
            if (t->out->count == count)
                typist_expect(t, token, run_format(t->run, "'%s': the left side is", assigns[k]), r, left);
        }
        return left;
    }
    return left;
}

struct glsl_type typist_assignment(struct typist *t) {
    struct glsl_type type = unknown;
    if (t->depth++ < DEEPEST)
        type = choice_or_assignment(t);
    else
        t->i = t->end;
    t->depth--;
    return type;
}

struct glsl_type typist_sequence(struct typist *t) {
    struct glsl_type type = typist_assignment(t);
    while (accept(t, ","))
        type = typist_assignment(t);
    return type;
}
