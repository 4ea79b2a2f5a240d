/* warnings.c: what is legal and yet probably not what was meant (qpucc/warnings.def), by tokens.
 *
 * Requires: a stage without errors, its declarations and meanings; names' marks are 0. Keeps: all of them,
 * and leaves the marks 0. A warning that is in doubt is not given: each of these looks at the order of the
 * text and at names, and knows nothing of values. */
#include "frontend/glsl/reasons.h"

#include <string.h>

struct reader {
    struct run *run;
    const struct unit *unit;
    const struct declarations *d;
    const struct token *at;
    size_t count;
    size_t budget; /* tokens that the searches, of which a text can ask for many, may still look at */
};

enum { BUDGET = 4000000 };

static void spend(struct reader *r, size_t tokens) {
    r->budget -= r->budget < tokens ? r->budget : tokens;
}

static bool is(const struct reader *r, size_t i, const char *spelling) {
    return i < r->count && token_is(&r->at[i], spelling);
}

static bool is_one_of(const struct reader *r, size_t i, const char *const *words, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (is(r, i, words[k]))
            return true;
    return false;
}

#define ONE_OF(r, i, words) is_one_of(r, i, words, sizeof(words) / sizeof *(words))

static bool is_assignment(const struct reader *r, size_t i) {
    static const char *const words[] = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    return ONE_OF(r, i, words);
}

/* What stands behind a name: behind its brackets and components. */
static size_t after_name(const struct reader *r, size_t i) {
    i++;
    for (;;) {
        if (is(r, i, "["))
            i = essl_matching(&r->unit->tokens, i) + 1;
        else if (is(r, i, ".") && i + 1 < r->count && r->at[i + 1].kind == T_IDENTIFIER)
            i += 2;
        else
            return i;
    }
}

/* Behind the statement that begins at a token: a block, or what ends with a ';'. */
static size_t after_statement(const struct reader *r, size_t i) {
    if (is(r, i, "{"))
        return essl_matching(&r->unit->tokens, i) + 1;
    if ((is(r, i, "if") || is(r, i, "for") || is(r, i, "while")) && is(r, i + 1, "(")) {
        bool branches = is(r, i, "if");
        for (;;) {
            i = after_statement(r, essl_matching(&r->unit->tokens, i + 1) + 1);
            if (!branches || !is(r, i, "else"))
                return i;
            if (!is(r, i + 1, "if"))
                return after_statement(r, i + 1);
            i++;
        }
    }
    while (i < r->count && !is(r, i, ";") && !is(r, i, "}"))
        i = is(r, i, "(") || is(r, i, "[") ? essl_matching(&r->unit->tokens, i) + 1 : i + 1;
    return i + 1;
}

/* --- what goes in and out ------------------------------------------------------------------------------ */

static void warn_unused(const struct reader *r) {
    for (size_t i = 0; i < r->d->variable_count; i++) {
        const struct variable *v = &r->d->variables[i];
        struct place place = r->at[v->token].place;
        const char *name = v->name->text;
        if (v->used || v->block || !strncmp(name, "gl_", 3))
            continue;
        if (v->storage == STORE_UNIFORM)
            run_warn(r->run, QPUCC_WARN_unused_uniform, r->unit->stage, place, "uniform '%s' is not used",
                     name);
        else if (v->storage == STORE_ATTRIBUTE)
            run_warn(r->run, QPUCC_WARN_unused_attribute, r->unit->stage, place, "attribute '%s' is not used",
                     name);
        else if (v->storage == STORE_VARYING)
            run_warn(r->run, QPUCC_WARN_unused_varying, r->unit->stage, place, "varying '%s' is not %s", name,
                     r->unit->stage == QPUCC_VERTEX ? "written" : "read");
    }
}

/* Does that token name the fragment's colour? */
static bool is_colour(const struct reader *r, size_t i) {
    const struct meaning *m = &r->d->meanings[i];
    if (r->at[i].kind != T_IDENTIFIER)
        return false;
    if (m->kind == MEANS_GLOBAL)
        return r->d->variables[m->variable].storage == STORE_OUTPUT &&
               name_is(r->d->variables[m->variable].type, "vec4") && i != r->d->variables[m->variable].token;
    return m->kind == MEANS_NOTHING && (is(r, i, "gl_FragColor") || is(r, i, "gl_FragData"));
}

/* May a call at that depth write its argument? Functions of the language do not, but modf. */
static bool may_write(const struct reader *r, size_t begin, size_t i) {
    size_t depth = 0;
    while (i-- > begin) {
        depth += is(r, i, ")");
        if (!is(r, i, "("))
            continue;
        if (depth) {
            depth--;
            continue;
        }
        if (i && r->at[i - 1].kind == T_IDENTIFIER &&
            (r->d->meanings[i - 1].kind == MEANS_FUNCTION || is(r, i - 1, "modf")))
            return true;
    }
    return false;
}

static void warn_colour(const struct reader *r) {
    size_t first = 0, main = 0;
    bool mentioned = false, whole = false, alpha = false, other = false;
    for (size_t f = 0; f < r->d->function_count; f++)
        if (name_is(r->d->functions[f].name, "main")) {
            main = r->d->functions[f].token;
            other |=
                r->d->functions[f].body_close == r->d->functions[f].body_open + 1; /* only depth is wanted */
        }
    for (size_t i = 0; i < r->count; i++) {
        other |= is(r, i, "gl_FragDepthEXT") || is(r, i, "gl_FragDepth") || is(r, i, "discard");
        if (!is_colour(r, i))
            continue;
        size_t after = after_name(r, i);
        bool component = is(r, after - 2, ".") && after - 1 > i;
        bool assigns = is_assignment(r, after) || is(r, after, "++") || is(r, after, "--");
        if (component && (assigns || may_write(r, reasons_begin(r->unit, i), i)))
            alpha |= strpbrk(r->at[after - 1].name->text, "awq") != NULL;
        else
            whole |= !component;
        if (!mentioned)
            first = i;
        mentioned = true;
    }
    for (size_t i = 0; i < r->d->variable_count; i++)
        other |= r->d->variables[i].storage == STORE_OUTPUT && r->d->variables[i].used;
    if (!mentioned && !other)
        run_warn(r->run, QPUCC_WARN_unwritten_output, r->unit->stage, r->at[main].place,
                 "nothing writes the fragment's colour, which is undefined then");
    else if (mentioned && !whole && !alpha)
        run_warn(r->run, QPUCC_WARN_unwritten_alpha, r->unit->stage, r->at[first].place,
                 "the alpha of '%s' is never written, and undefined then", r->at[first].name->text);
}

/* --- values that are not there ------------------------------------------------------------------------- */

/* The loop inside [begin, i) around token i that begins first, its end; 0: there is none. */
static size_t loop_around(struct reader *r, size_t begin, size_t i) {
    spend(r, i - begin);
    for (size_t k = begin; k < i && r->budget; k++) {
        if (!is(r, k, "for") && !is(r, k, "while") && !is(r, k, "do"))
            continue;
        size_t end = is(r, k, "do") ? after_statement(r, k + 1) : after_statement(r, k);
        spend(r, end - k);
        if (end > i)
            return end;
    }
    return 0;
}

static bool is_written(struct reader *r, size_t i) {
    size_t begin = reasons_begin(r->unit, i);
    spend(r, i - begin);
    return is(r, after_name(r, i), "=") || may_write(r, begin, i);
}

/* a = a + 1.0 */
static bool reads_itself(const struct reader *r, size_t i, size_t end) {
    bool whole = is(r, i + 1, "=");
    for (size_t k = i + 2; whole && k < end && !is(r, k, ";"); k++)
        if (r->at[k].name == r->at[i].name && r->d->meanings[k].kind == MEANS_LOCAL && !may_write(r, i, k))
            return true;
    return false;
}

/* The local that is declared at a token without a value, up to the end of its block. */
static void warn_local(struct reader *r, size_t token, size_t end) {
    const struct name *name = r->at[token].name;
    for (size_t i = token + 1; i < end && r->budget; i++, r->budget--) {
        if (r->at[i].name != name || r->at[i].kind != T_IDENTIFIER || r->d->meanings[i].kind != MEANS_LOCAL)
            continue;
        if (i && (r->at[i - 1].kind == T_IDENTIFIER && !is(r, i - 1, "return") && !is(r, i - 1, "else")))
            return; /* another one of that name */
        if (is_written(r, i) && !reads_itself(r, i, end))
            return;
        size_t loop = loop_around(r, token, i);
        for (size_t k = i + 1; k < loop && r->budget; k++, spend(r, 1))
            if (r->at[k].name == name && is_written(r, k))
                return; /* of an iteration before */
        if (!r->budget)
            return;
        run_warn(r->run, QPUCC_WARN_uninitialized, r->unit->stage, r->at[i].place,
                 "'%s' is read before it has a value", name->text);
        return;
    }
}

/* Goes over a function's declarations. */
static void warn_locals(struct reader *r, const struct function *f) {
    size_t close[64], depth = 0; /* of the blocks around */
    for (size_t i = f->body_open; i < f->body_close; i++) {
        if (is(r, i, "{") && depth < 64)
            close[depth] = essl_matching(&r->unit->tokens, i);
        depth += is(r, i, "{");
        depth -= is(r, i, "}") && depth;
        const struct meaning *m = &r->d->meanings[i];
        bool declares = m->kind == MEANS_LOCAL && i && !m->array && !m->structure &&
                        (r->at[i - 1].name == m->type && m->type) && is(r, i + 1, ";");
        if (declares && depth && depth <= 64)
            warn_local(r, i, close[depth - 1]);
    }
}

/* --- pow ----------------------------------------------------------------------------------------------- */

/* May that argument be negative, as far as is written there? A name alone says nothing. */
static bool may_be_negative(const struct reader *r, size_t begin, size_t end) {
    static const char *const signs[] = {"sin",     "cos",   "tan",  "dot",  "sign",
                                        "reflect", "cross", "dFdx", "dFdy", "log"};
    if (ONE_OF(r, begin, signs) && r->d->meanings[begin].kind == MEANS_NOTHING && is(r, begin + 1, "(") &&
        essl_matching(&r->unit->tokens, begin + 1) + 1 == end)
        return true;
    if (is(r, begin, "-"))
        return true;
    return false;
}

static void warn_pow(const struct reader *r, size_t i) {
    size_t close = essl_matching(&r->unit->tokens, i + 1), comma = i + 2;
    while (comma < close && !is(r, comma, ","))
        comma =
            is(r, comma, "(") || is(r, comma, "[") ? essl_matching(&r->unit->tokens, comma) + 1 : comma + 1;
    if (may_be_negative(r, i + 2, comma))
        run_warn(r->run, QPUCC_WARN_negative_pow, r->unit->stage, r->at[i + 2].place,
                 "pow() is undefined where its first argument is negative; write max(..., 0.0) or abs(...)");
}

/* --- lookups under conditions -------------------------------------------------------------------------- */

/* Does it differ between pixels? The marks are on locals that were made of what does. */
static bool differs(const struct reader *r, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        const struct meaning *m = &r->d->meanings[i];
        if (r->at[i].kind != T_IDENTIFIER)
            continue;
        if (m->kind == MEANS_GLOBAL && r->d->variables[m->variable].storage == STORE_VARYING)
            return true;
        if (m->kind == MEANS_LOCAL && r->at[i].name->mark)
            return true;
        if (m->kind == MEANS_NOTHING &&
            (is(r, i, "gl_FragCoord") || is(r, i, "gl_PointCoord") || is(r, i, "gl_FrontFacing")))
            return true;
    }
    return false;
}

/* The value that is assigned behind a name: up to the end of the statement or a comma. */
static size_t value_end(const struct reader *r, size_t i) {
    while (i < r->count && !is(r, i, ";") && !is(r, i, ",") && !is(r, i, "{") && !is(r, i, "}") &&
           !is(r, i, ")"))
        i = is(r, i, "(") || is(r, i, "[") ? essl_matching(&r->unit->tokens, i) + 1 : i + 1;
    return i;
}

static void warn_lookups(struct reader *r, const struct function *f) {
    static const char *const lookups[] = {"texture2D", "texture2DProj", "textureCube", "texture",
                                          "textureProj"};
    size_t until = 0; /* the end of what differing conditions guard */
    for (size_t i = f->body_open; i < f->body_close; i++) {
        if ((is(r, i, "if") || is(r, i, "for") || is(r, i, "while")) && is(r, i + 1, "(")) {
            size_t close = essl_matching(&r->unit->tokens, i + 1), end = after_statement(r, i);
            if (end > until && differs(r, i + 2, close))
                until = end;
        }
        if (r->budget && r->d->meanings[i].kind == MEANS_LOCAL && is_assignment(r, after_name(r, i))) {
            size_t value = after_name(r, i) + 1, end = value_end(r, value);
            spend(r, end - i);
            if (differs(r, value, end))
                ((struct name *)r->at[i].name)->mark = 1;
        }
        if (i < until && ONE_OF(r, i, lookups) && is(r, i + 1, "(") &&
            r->d->meanings[i].kind == MEANS_NOTHING)
            run_warn(
                r->run, QPUCC_WARN_divergent_texture, r->unit->stage, r->at[i].place,
                "%s() under a condition that differs between pixels: which level of a mipmap it takes is "
                "undefined; look up before the condition",
                r->at[i].name->text);
    }
    for (size_t i = f->body_open; i < f->body_close; i++)
        ((struct name *)r->at[i].name)->mark = 0;
}

/* --- portability --------------------------------------------------------------------------------------- */

static bool is_constant(const struct reader *r, size_t begin, size_t end, const struct name *counter) {
    for (size_t i = begin; i < end; i++) {
        const struct meaning *m = &r->d->meanings[i];
        bool global = m->kind == MEANS_GLOBAL && r->d->variables[m->variable].storage != STORE_CONST;
        bool local = m->kind == MEANS_LOCAL && !m->constant && r->at[i].name != counter;
        if (r->at[i].kind == T_IDENTIFIER && (global || local || m->kind == MEANS_FUNCTION))
            return false;
    }
    return true;
}

/* Appendix A of GLSL ES 1.00 has loops over constants only. */
static void warn_loop(const struct reader *r, size_t i) {
    static const char *const precisions[] = {"lowp", "mediump", "highp"};
    bool counted = false;
    if (is(r, i, "for") && is(r, i + 1, "(")) {
        size_t first = i + 2, close = essl_matching(&r->unit->tokens, i + 1);
        while (first < close && !is(r, first, ";"))
            first++;
        size_t second = first + 1;
        while (second < close && !is(r, second, ";"))
            second++;
        size_t name = i + 3 + ONE_OF(r, i + 2, precisions); /* behind its type */
        const struct name *counter = name < r->count ? r->at[name].name : NULL;
        counted = second > first + 1 && is_constant(r, name + 1, first, counter) &&
                  is_constant(r, first + 1, second, counter);
    }
    bool tail = is(r, i, "while") && is(r, essl_matching(&r->unit->tokens, i + 1) + 1, ";"); /* of do */
    if (!counted && !tail)
        run_warn(
            r->run, QPUCC_WARN_loop_bound, r->unit->stage, r->at[i].place,
            "the iterations of this loop are not counted by constants, which GLSL ES 1.00 leaves to each "
            "implementation");
}

static void warn_initialisers(const struct reader *r) {
    for (size_t k = 0; k < r->d->variable_count; k++) {
        const struct variable *v = &r->d->variables[k];
        size_t last = v->array_close > v->array_open ? v->array_close : v->token, end = last + 2;
        if (!is(r, last + 1, "=") || v->storage == STORE_UNIFORM)
            continue;
        while (end < v->end && !is(r, end, ","))
            end = is(r, end, "(") ? essl_matching(&r->unit->tokens, end) + 1 : end + 1;
        if (!is_constant(r, last + 2, end, NULL))
            run_warn(r->run, QPUCC_WARN_nonconstant_initializer, r->unit->stage, r->at[v->token].place,
                     "the initial value of '%s' is not constant, as GLSL ES 1.00 asks for: set it in main()",
                     v->name->text);
    }
}

void warn_stage(struct run *run, const struct unit *unit, const struct declarations *d) {
    struct reader r = {run, unit, d, unit->tokens.at, unit->tokens.count, BUDGET};
    bool fragment = unit->stage == QPUCC_FRAGMENT;
    warn_unused(&r);
    if (fragment)
        warn_colour(&r);
    for (size_t f = 0; f < d->function_count; f++) {
        if (run_warns(run, QPUCC_WARN_uninitialized, unit->stage))
            warn_locals(&r, &d->functions[f]);
        if (fragment && run_warns(run, QPUCC_WARN_divergent_texture, QPUCC_FRAGMENT))
            warn_lookups(&r, &d->functions[f]);
    }
    for (size_t i = 0; i + 1 < r.count; i++) {
        if (is(&r, i, "pow") && is(&r, i + 1, "(") && d->meanings[i].kind == MEANS_NOTHING)
            warn_pow(&r, i);
        if (unit->version == 100 && (is(&r, i, "for") || is(&r, i, "while") || is(&r, i, "do")))
            warn_loop(&r, i);
    }
    if (unit->version == 100)
        warn_initialisers(&r);
}
