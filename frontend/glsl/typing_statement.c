/* typing_statement.c: what does not fit in a statement: declarations and their values, conditions, what a
 * function gives.
 *
 * Requires and keeps what typing.h says. */
#include "frontend/glsl/typing.h"

static const struct glsl_type unknown = {0};

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
                struct glsl_type length = typist_sequence(t);
                if (length.base != GLSL_UNKNOWN && length.base != GLSL_INT && length.base != GLSL_UINT)
                    typist_find(t, open, NULL,
                                run_format(t->run, "'[': an array's length is a constant int, but this is %s",
                                           glsl_type_text(t->run, length)));
            }
            if (!accept(t, "]"))
                return;
        }
        size_t equal = t->i;
        if (accept(t, "=")) {
            if (uniform && (t->unit->es || t->unit->version < 120)) {
                typist_find(
                    t, equal, NULL,
                    run_format(t->run,
                               "'=': %s has no initial values of uniforms; set it from the program, or write "
                               "const",
                               typist_language(t)));
                return;
            }
            size_t count = t->out->count;
            struct glsl_type value = typist_assignment(t);
            if (t->out->count == count)
                typist_expect(t, equal, run_format(t->run, "'=': '%s' is", t->at[equal - 1].name->text),
                              value, own);
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
    struct glsl_type result = f ? typist_result_of(t, f) : unknown;
    if (t->i >= t->end || is(t, ";")) {
        if (result.base != GLSL_VOID && result.base != GLSL_UNKNOWN)
            typist_find(t, token, NULL,
                        run_format(t->run, "return: '%s' returns %s, and here is no value", f->name->text,
                                   glsl_type_text(t->run, result)));
        return;
    }
    struct glsl_type value = typist_sequence(t);
    if (t->out->count == count && f)
        typist_expect(t, token, run_format(t->run, "return: '%s' returns", f->name->text), value, result);
}

static bool is_label(const struct typist *t) {
    return is(t, "else") || is(t, "do") || is(t, "case") || is(t, "default");
}

/* [[unroll]] and the like: words that are nobody's names. */
static bool is_attribute(const struct typist *t) {
    return is(t, "[") && t->i + 1 < t->end && token_is(&t->at[t->i + 1], "[");
}

static void statement(struct typist *t) {
    while (is_label(t) || is_attribute(t))
        t->i = is_label(t) ? t->i + 1 : essl_matching(&t->unit->tokens, t->i) + 1;
    if (t->i >= t->end)
        return;
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
        struct glsl_type type = typist_sequence(t);
        typist_condition(t, token + 1, run_format(t->run, "'%s'", t->at[begin].name->text), type);
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
        type = m.kind == MEANS_NOTHING || m.kind == MEANS_TYPE ? glsl_type_of_name(t->at[word].name, &m)
                                                               : unknown;
        if (m.kind == MEANS_NOTHING && type.base == GLSL_UNKNOWN &&
            essl_unit_word(t->unit, t->at[word].name) == WORD_USER) {
            const char *hint = near_hint(t->unit, t->at[word].name->text);
            const char *text = hint ? run_format(t->run, "'%s': not in %s; %s", t->at[word].name->text,
                                                 typist_language(t), hint)
                                    : run_format(t->run, "'%s': no such type%s", t->at[word].name->text,
                                                 near_name(t->run, t->unit, t->d, word, NEAR_TYPE));
            typist_find(t, word, NULL, text);
        }
        if (type.base == GLSL_VOID && !(word + 2 < t->end && token_is(&t->at[word + 2], "(")))
            typist_find(t, word + 1, NULL,
                        run_format(t->run, "'%s': only functions are void; write 'void %s()'",
                                   t->at[word + 1].name->text, t->at[word + 1].name->text));
        if (type.base == GLSL_SAMPLER && !uniform)
            typist_find(
                t, word + 1, NULL,
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
        typist_sequence(t);
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
