/* rules_desktop.c: what desktop GLSL 1.10 to 3.30 forbids and glslang lets pass, and what neither this
 * hardware nor anyone's code computes.
 *
 * Requires: a text that passed the check, with its declarations. Keeps: both, and finds what gl_FragCoord's
 * layout says. Section numbers are those of the version that a rule names. */
#include "frontend/essl100/essl100.h"

#include <stdlib.h>
#include <string.h>

static void error(struct run *run, const struct unit *unit, size_t i, const char *text) {
    run_report(run, FE_ERROR, unit->stage, unit->tokens.at[i].place, "%s", text);
}

static bool is_one_of(const struct token *t, const char *const *words) {
    for (; *words; words++)
        if (token_is(t, *words))
            return true;
    return false;
}

/* 1.20, sections 4.3.4 and 4.3.6. Later versions have integers, and `in` and `out` for it. */
static void check_attributes(struct run *run, const struct unit *unit, const struct declarations *d) {
    for (size_t k = 0; k < d->variable_count && unit->version < 130; k++) {
        const struct variable *v = &d->variables[k];
        const char *what = v->storage == STORE_ATTRIBUTE ? "attribute"
                           : v->storage == STORE_VARYING ? "varying"
                                                         : NULL;
        if (what && !v->structure && strchr("ib", v->type->text[0]))
            run_report(run, FE_ERROR, unit->stage, unit->tokens.at[v->token].place,
                       "%s '%s' of type %s: GLSL %d.%d has %ss of floats only", what, v->name->text,
                       v->type->text, unit->version / 100, unit->version % 100, what);
    }
}

/* 1.20, section 6.1: functions are declared outside of functions. */
static void check_local_functions(struct run *run, const struct unit *unit, const struct declarations *d) {
    size_t body_close = 0;
    for (size_t k = 0; k < d->function_count; k++)
        body_close = d->functions[k].body_close > body_close ? d->functions[k].body_close : body_close;
    size_t function = 0, end = 0; /* the body around token i ends there */
    for (size_t i = 0; i < body_close && unit->version >= 120; i++) {
        while (function < d->function_count && d->functions[function].body_open <= i) {
            if (d->functions[function].body_close > d->functions[function].body_open)
                end = d->functions[function].body_close;
            function++;
        }
        const struct token *t = &unit->tokens.at[i];
        bool declared = i + 1 < end && i && d->meanings[i].kind == MEANS_FUNCTION && token_is(t + 1, "(") &&
                        t[-1].kind == T_IDENTIFIER && !token_is(t - 1, "return") &&
                        !token_is(t - 1, "else") && !token_is(t - 1, "do");
        if (declared)
            error(run, unit, i, "a function is declared outside of functions");
    }
}

/* 1.10, section 4.3.3: a constant expression calls no functions but constructors. */
static void check_constant_calls(struct run *run, const struct unit *unit, const struct declarations *d) {
    bool constant = false;
    for (size_t i = 0; i + 1 < unit->tokens.count && unit->version == 110; i++) {
        const struct token *t = &unit->tokens.at[i];
        constant = (constant || token_is(t, "const")) && !token_is(t, ";") && !token_is(t, "{");
        if (constant && t->kind == T_IDENTIFIER && d->meanings[i].kind == MEANS_NOTHING &&
            token_is(t + 1, "(") && essl_unit_word(unit, t->name) == WORD_FUNCTION)
            run_report(run, FE_ERROR, unit->stage, t->place,
                       "'%s' in a constant: GLSL 1.10 evaluates no functions there, 1.20 does",
                       t->name->text);
    }
}

/* 1.20, section 4.1.9: a length is a scalar. glslang takes a vector's first component. */
static void check_lengths(struct run *run, const struct unit *unit, const struct declarations *d) {
    for (size_t k = 0; k < d->variable_count; k++) {
        const struct variable *v = &d->variables[k];
        size_t open = v->array_open;
        for (size_t i = v->type_begin; v->array_type && open == v->array_close && i < v->type_end; i++)
            open = token_is(&unit->tokens.at[i], "[") ? i : open;
        size_t close = open ? essl_matching(&unit->tokens, open) : 0;
        if (open && close > open + 1 && close < unit->tokens.count &&
            essl_shape(unit, d, open + 1, close).rows > 1)
            error(run, unit, open + 1, "the length of an array is a whole number, not a vector");
    }
}

/* 1.40 took the fixed pipeline's names away, ftransform() among them. glslang knows that since 1.50. */
static void check_fixed_functions(struct run *run, const struct unit *unit, const struct declarations *d) {
    for (size_t i = 0; i < unit->tokens.count && unit->version >= 140 && !unit->compatibility; i++) {
        const struct token *t = &unit->tokens.at[i];
        if (token_is(t, "ftransform") && d->meanings[i].kind == MEANS_NOTHING)
            error(run, unit, i, "'ftransform' belongs to the compatibility profile");
        else if (unit->version == 140 && t->kind == T_IDENTIFIER && essl_is_fixed_name(t->name->text))
            run_report(run, FE_ERROR, unit->stage, t->place,
                       "'%s' needs the line '#extension GL_ARB_compatibility : enable' at the top: GLSL 1.40 "
                       "is without the fixed pipeline",
                       t->name->text);
    }
}

/* 1.30, section 4.3: interpolation is said of `in` and `out`. */
static void check_old_interpolation(struct run *run, const struct unit *unit, const struct declarations *d) {
    for (size_t k = 0; k < d->variable_count && unit->version >= 130; k++) {
        const struct variable *v = &d->variables[k];
        size_t how = 0;
        bool old = false;
        for (size_t i = v->begin; i < v->token && unit->tokens.at[i].name != v->type; i++) {
            const struct token *t = &unit->tokens.at[i];
            old |= token_is(t, "varying") || token_is(t, "attribute");
            how = token_is(t, "flat") || token_is(t, "smooth") || token_is(t, "noperspective") ? i + 1 : how;
        }
        if (old && how)
            run_report(run, FE_ERROR, unit->stage, unit->tokens.at[how - 1].place,
                       "'%s' goes with 'in' and 'out', not with 'varying'",
                       unit->tokens.at[how - 1].name->text);
    }
}

/* Section 3.6: words that are reserved, and names to glslang. */
static void check_reserved_words(struct run *run, const struct unit *unit, const struct declarations *d) {
    static const struct {
        const char *word;
        int first, last;
    } words[] = {
        {"image1DShadow", 130, 330},
        {"image2DShadow", 130, 330},
        {"image1DArrayShadow", 130, 330},
        {"image2DArrayShadow", 130, 330},
        {"row_major", 130, 330},
        {"packed", 140, 330}, /* and words of layouts */
        {"lowp", 120, 120},
        {"mediump", 120, 120},
        {"highp", 120, 120},
        {"precision", 120, 120},
    };
    for (size_t i = 0; i < unit->tokens.count && unit->version >= 120; i++)
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            if (unit->version >= words[w].first && unit->version <= words[w].last &&
                token_is(&unit->tokens.at[i], words[w].word) && d->meanings[i].kind != MEANS_LAYOUT)
                run_report(run, FE_ERROR, unit->stage, unit->tokens.at[i].place, "'%s' is a reserved word",
                           words[w].word);
}

/* 1.10, section 5.8: an array is no l-value, so that it cannot be handed out. */
static void check_array_outputs(struct run *run, const struct unit *unit, const struct declarations *d) {
    for (size_t k = 0; k < d->function_count && unit->version == 110; k++) {
        bool out = false;
        for (size_t i = d->functions[k].open; i < d->functions[k].close; i++) {
            const struct token *t = &unit->tokens.at[i];
            out = (out || token_is(t, "out") || token_is(t, "inout")) && !token_is(t, ",");
            if (out && token_is(t, "["))
                error(run, unit, i, "an array is passed in, not out, in GLSL 1.10");
        }
    }
}

/* A structure's name is its constructor's: 1.10, section 4.1.8; later versions have one name space. */
static void check_constructor_names(struct run *run, const struct unit *unit, const struct declarations *d) {
    size_t depth = 0;
    if (unit->version != 110)
        return;
    for (size_t k = 0; k < d->function_count; k++)
        ((struct name *)d->functions[k].name)->mark = 1;
    for (size_t i = 0; i + 1 < unit->tokens.count; i++) {
        depth += token_is(&unit->tokens.at[i], "{");
        depth -= token_is(&unit->tokens.at[i], "}") && depth;
        if (!depth && token_is(&unit->tokens.at[i], "struct") && unit->tokens.at[i + 1].name->mark)
            run_report(run, FE_ERROR, unit->stage, unit->tokens.at[i + 1].place,
                       "'%s' is the name of a function, and a structure's constructor would have it, too",
                       unit->tokens.at[i + 1].name->text);
    }
    for (size_t k = 0; k < d->function_count; k++)
        ((struct name *)d->functions[k].name)->mark = 0;
}

/* 1.50, section 4.3.7: blocks in an array are told apart when the shader is compiled, and there is a known
 * number of them. */
static void check_blocks(struct run *run, const struct unit *unit, const struct declarations *d) {
    for (size_t k = 0; k < d->variable_count; k++) {
        const struct variable *v = &d->variables[k];
        if (v->block && v->storage == STORE_UNIFORM && v->array_close == v->array_open + 1)
            error(run, unit, v->array_open, "an array of blocks has a length");
    }
    for (size_t s = 0; s < d->structure_count; s++) {
        const struct structure *block = &d->structures[s];
        bool is_block = block->open > 1 && d->meanings[block->open - 1].kind == MEANS_BLOCK;
        for (size_t i = block->open; is_block && i < block->close; i++)
            if (token_is(&unit->tokens.at[i], "varying") || token_is(&unit->tokens.at[i], "attribute"))
                error(run, unit, i, "the block is 'in' or 'out', not its members 'varying' or 'attribute'");
    }
}

/* Is something named between two tokens whose value is not known when the shader is compiled? */
static bool is_variable(const struct unit *unit, const struct declarations *d, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        const struct meaning *m = &d->meanings[i];
        if (unit->tokens.at[i].kind != T_IDENTIFIER)
            continue;
        if ((m->kind == MEANS_GLOBAL && d->variables[m->variable].storage != STORE_CONST) ||
            (m->kind == MEANS_LOCAL && !m->constant) || m->kind == MEANS_FUNCTION)
            return true;
    }
    return false;
}

/* 1.50, section 4.3.7: an array of uniform blocks is indexed by constants. */
static void check_block_indices(struct run *run, const struct unit *unit, const struct declarations *d) {
    for (size_t i = 0; i + 1 < unit->tokens.count; i++) {
        const struct meaning *m = &d->meanings[i];
        const struct variable *v = m->kind == MEANS_GLOBAL ? &d->variables[m->variable] : NULL;
        if (!v || !v->block || v->storage != STORE_UNIFORM || v->token == i ||
            !token_is(&unit->tokens.at[i + 1], "["))
            continue;
        if (is_variable(unit, d, i + 2, essl_matching(&unit->tokens, i + 1)))
            error(run, unit, i + 2, "an array of uniform blocks is indexed by constants only");
    }
}

/* 1.30, section 4.5.2: precisions are for numbers and samplers. glslang says so under ES only. */
static void check_precisions(struct run *run, const struct unit *unit, const struct declarations *d) {
    for (size_t i = 0; i + 1 < unit->tokens.count && unit->version >= 130; i++) {
        const struct token *t = &unit->tokens.at[i];
        bool precision = token_is(t, "highp") || token_is(t, "mediump") || token_is(t, "lowp");
        bool other = token_is(t + 1, "bool") || !strncmp(t[1].name->text, "bvec", 4) ||
                     token_is(t + 1, "void") || token_is(t + 1, "struct");
        if (precision &&
            (d->meanings[i + 1].kind == MEANS_TYPE || (other && !token_is(t - (i > 0), "precision"))))
            run_report(run, FE_ERROR, unit->stage, t->place, "'%s' is for numbers and samplers",
                       t->name->text);
    }
}

/* 1.30, section 4.7: one precision, behind all other qualifiers. glslang says so under ES only. */
static void check_precision_order(struct run *run, const struct unit *unit, const struct declarations *d) {
    static const char *const precisions[] = {"lowp", "mediump", "highp", NULL};
    static const char *const others[] = {"const",     "in",        "out",  "inout",  "uniform",
                                         "attribute", "varying",   "flat", "smooth", "noperspective",
                                         "centroid",  "invariant", NULL};
    for (size_t i = 0; i + 1 < unit->tokens.count && unit->version >= 130; i++) {
        const struct token *t = &unit->tokens.at[i];
        if (!is_one_of(t, precisions) || d->meanings[i].kind != MEANS_NOTHING)
            continue;
        if (is_one_of(t + 1, precisions))
            error(run, unit, i + 1, "a declaration has one precision");
        else if (!unit->pack420 && is_one_of(t + 1, others))
            run_report(run, FE_ERROR, unit->stage, t->place, "'%s' is the last qualifier, behind '%s'",
                       t->name->text, t[1].name->text);
    }
}

/* --- arrays whose length comes later -------------------------------------------------------------------- */

/* Does a variable get its name at that token, of that type? */
static bool declares(const struct unit *unit, const struct declarations *d, size_t i) {
    const struct meaning *m = &d->meanings[i];
    const struct name *type = m->kind == MEANS_LOCAL    ? m->type
                              : m->kind == MEANS_GLOBAL ? d->variables[m->variable].type
                                                        : NULL;
    return i && type && unit->tokens.at[i - 1].name == type;
}

/* By token: where its name stands next; 0: nowhere. */
static uint32_t *next_places(struct run *run, const struct unit *unit) {
    const struct token *t = unit->tokens.at;
    uint32_t *next = run_zeroed(run, unit->tokens.count, sizeof *next);
    for (size_t i = next ? unit->tokens.count : 0; i-- > 0;) {
        next[i] = t[i].name->mark;
        ((struct name *)t[i].name)->mark = (uint32_t)i;
    }
    for (size_t i = 0; next && i < unit->tokens.count; i++)
        ((struct name *)t[i].name)->mark = 0;
    return next;
}

/* The array at `token` was declared without a length: up to `end` no index may be too large for the length
 * that it gets. */
static void check_growing(struct run *run, const struct unit *unit, const struct declarations *d,
                          const uint32_t *next, size_t token, size_t end) {
    const struct token *t = unit->tokens.at;
    unsigned long least = 1;
    for (size_t i = next[token]; i && i + 3 < end; i = next[i]) {
        if (t[i].kind != T_IDENTIFIER || !token_is(&t[i + 1], "[") ||
            d->meanings[i].kind != d->meanings[token].kind)
            continue;
        bool again = declares(unit, d, i);
        bool initialised = again && i + 6 < end && token_is(&t[i + 2], "]") && token_is(&t[i + 5], "[");
        const struct token *number = &t[initialised ? i + 6 : i + 2]; /* float x[] = float[2](...) */
        unsigned long value = number->kind == T_NUMBER ? strtoul(number->name->text, NULL, 0) : 0;
        if (again && value && value < least)
            run_report(run, FE_ERROR, unit->stage, t[i].place,
                       "'%s' is indexed by %lu above, so its length is %lu at least", t[i].name->text,
                       least - 1, least);
        if (again)
            return;
        if (token_is(&t[i + 3], "]") && value >= least)
            least = value + 1;
    }
}

/* 1.20, section 4.1.9, and 1.10: an index that was used before must fit. */
static void check_lengths_later(struct run *run, const struct unit *unit, const struct declarations *d) {
    size_t close[32], depth = 0; /* of the blocks around */
    const struct token *t = unit->tokens.at;
    const uint32_t *next = next_places(run, unit);
    for (size_t i = 0; next && i + 2 < unit->tokens.count; i++) {
        depth -= token_is(&t[i], "}") && depth;
        if (token_is(&t[i], "{") && depth == sizeof close / sizeof *close)
            return;
        if (token_is(&t[i], "{"))
            close[depth++] = essl_matching(&unit->tokens, i);
        if (token_is(&t[i + 1], "[") && token_is(&t[i + 2], "]") && declares(unit, d, i))
            check_growing(run, unit, d, next, i, depth ? close[depth - 1] : unit->tokens.count);
    }
}

/* What neither this hardware nor anyone's code computes. */
static void check_words(struct run *run, const struct unit *unit, const struct declarations *d) {
    static const char *const names[][2] = {
        {"gl_PrimitiveID", "primitives are not numbered on this hardware"},
        {"noise1", "the noise functions are not supported (no implementation ever computed them)"},
        {"noise2", "the noise functions are not supported (no implementation ever computed them)"},
        {"noise3", "the noise functions are not supported (no implementation ever computed them)"},
        {"noise4", "the noise functions are not supported (no implementation ever computed them)"},
    };
    for (size_t i = 0; i + 1 < unit->tokens.count; i++) {
        const struct token *t = &unit->tokens.at[i];
        for (size_t n = 0; t->kind == T_IDENTIFIER && n < sizeof names / sizeof *names; n++) {
            bool function = names[n][0][0] == 'n';
            if (token_is(t, names[n][0]) &&
                (!function || (token_is(t + 1, "(") && d->meanings[i].kind == MEANS_NOTHING)))
                run_report(run, FE_ERROR, unit->stage, t->place, "'%s': %s", t->name->text, names[n][1]);
        }
    }
}

void desktop_rules(struct run *run, struct unit *unit, const struct declarations *d) {
    check_attributes(run, unit, d);
    check_local_functions(run, unit, d);
    check_constant_calls(run, unit, d);
    check_lengths(run, unit, d);
    check_fixed_functions(run, unit, d);
    check_old_interpolation(run, unit, d);
    check_reserved_words(run, unit, d);
    check_array_outputs(run, unit, d);
    check_constructor_names(run, unit, d);
    check_blocks(run, unit, d);
    check_block_indices(run, unit, d);
    check_precisions(run, unit, d);
    check_precision_order(run, unit, d);
    check_lengths_later(run, unit, d);
    check_words(run, unit, d);
    for (size_t k = 0; k < d->variable_count; k++) {
        const struct variable *v = &d->variables[k];
        for (size_t i = v->begin; token_is(&unit->tokens.at[v->token], "gl_FragCoord") && i < v->token; i++) {
            unit->upper_left |= token_is(&unit->tokens.at[i], "origin_upper_left");
            unit->pixel_center_integer |= token_is(&unit->tokens.at[i], "pixel_center_integer");
        }
    }
}
