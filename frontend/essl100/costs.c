/* costs.c: what glslang would take much more time for than the text is long, bounded before it sees the text.
 *
 * Requires: preprocessed tokens. Keeps: them, and the scratch of names cleared.
 *
 * glslang goes through a structure's whole tree wherever it is mentioned; it compares each `case` with all
 * before it, each pair of a function and one that it calls with all others, and each constant of the SPIR-V
 * with all of its type, for each time that a number is mentioned and for all numbers of a constant array each
 * time that its name is. The bounds here keep each of these to a fraction of a second, and are several times
 * what the largest shader needs that we have seen (docs/limits.md). */
#include "frontend/essl100/essl100.h"

#include <string.h>

enum { MENTIONS = 64 }; /* of a structure as large as it may be */
enum { MOST_CASES = 2048, MOST_FUNCTIONS = 2048, MOST_CALLS = 2048 };
enum { MOST_COMPARED = 20000000 };

static const struct token *token_at(const struct unit *unit, size_t i) {
    static const struct name none = {.text = ""};
    static const struct token end = {.name = &none, .kind = T_END};
    return i < unit->tokens.count ? &unit->tokens.at[i] : &end;
}

static struct name *name_of(const struct token *t) {
    return (struct name *)t->name; /* names are the run's, and so is their scratch */
}

static void clear_scratch(const struct unit *unit) {
    for (size_t i = 0; i < unit->tokens.count; i++)
        name_of(&unit->tokens.at[i])->mark = name_of(&unit->tokens.at[i])->values = 0;
}

/* --- structures ----------------------------------------------------------------------------------------- */

static uint32_t values_of(const struct token *t) {
    return t->kind == T_IDENTIFIER && t->name->mark ? t->name->values : 1;
}

/* The structure that is defined at token i in terms of those before it: its name is marked with how deep they
 * nest, and knows how many values it holds (an array counts once). A tree of thirty structures that each hold
 * two of the one before has 2^30 leaves. */
static bool measure_structure(struct run *run, const struct unit *unit, size_t i, uint32_t most) {
    const struct tokens *tokens = &unit->tokens;
    struct name *name = name_of(&tokens->at[i + 1]);
    uint32_t deepest = 0, each = 1, values = 0;
    for (size_t k = i + 3; k < tokens->count && !token_is(&tokens->at[k], "}"); k++) {
        const struct token *t = &tokens->at[k];
        if (t->kind == T_IDENTIFIER && t->name->mark > deepest)
            deepest = t->name->mark;
        if (values_of(t) > each)
            each = t->name->values; /* the member's type */
        bool last = token_is(t, ";");
        if ((last || token_is(t, ",")) && values <= most)
            values += each;
        each = last ? 1 : each;
    }
    name->mark = deepest + 1;
    name->values = values ? values : 1; /* without members: glslang refuses it */
    if (deepest >= run->limits.nesting)
        run_limit(run, unit->stage, tokens->at[i].place, "structure '%s' is nested too deeply (limit %u)",
                  name->text, run->limits.nesting);
    else if (values > most)
        run_limit(run, unit->stage, tokens->at[i].place, "structure '%s' is too large: more than %u values",
                  name->text, most);
    return deepest < run->limits.nesting && values <= most;
}

static bool bound_structures(struct run *run, const struct unit *unit) {
    const struct tokens *tokens = &unit->tokens;
    uint64_t limit = ir_limit(run->arena, QPUCC_LIMIT_VALUES), mentioned = 0;
    uint32_t most = limit < 1 << 24 ? (uint32_t)limit : 1 << 24;
    for (size_t i = 0; i < tokens->count; i++) {
        const struct token *t = &tokens->at[i];
        if (token_is(t, "struct") && token_at(unit, i + 1)->kind == T_IDENTIFIER &&
            token_is(token_at(unit, i + 2), "{") && !measure_structure(run, unit, i, most))
            return false;
        mentioned += values_of(t) - 1;
        if (mentioned > (uint64_t)MENTIONS * most) {
            run_limit(run, unit->stage, t->place,
                      "structure '%s' is mentioned too often: large structures come to more than %llu values",
                      t->name->text, (unsigned long long)MENTIONS * most);
            return false;
        }
    }
    return true;
}

/* --- functions and switches ----------------------------------------------------------------------------- */

/* Counts pairs of a function and one that it calls. Names of functions: values is 1, mark the number of the
 * function that called last. */
static bool bound_calls(struct run *run, const struct unit *unit) {
    uint32_t body = 1, functions = 0, calls = 0, cases = 0;
    unsigned braces = 0, brackets = 0;
    for (size_t i = 0; i < unit->tokens.count; i++) {
        const struct token *t = &unit->tokens.at[i];
        braces += token_is(t, "{");
        brackets += token_is(t, "(");
        brackets -= brackets && token_is(t, ")");
        if (braces && token_is(t, "}") && --braces == 0)
            body++;
        cases += token_is(t, "case");
        if (t->kind == T_IDENTIFIER && token_is(token_at(unit, i + 1), "(") && !brackets) {
            bool outside = !braces && i && unit->tokens.at[i - 1].kind == T_IDENTIFIER;
            functions += outside && !t->name->values;
            if (outside)
                name_of(t)->values = 1;
        }
        if (t->kind == T_IDENTIFIER && braces && t->name->values && t->name->mark != body) {
            name_of(t)->mark = body;
            calls++;
        }
        const char *what = functions > MOST_FUNCTIONS ? "functions"
                           : calls > MOST_CALLS       ? "functions that call each other"
                           : cases > MOST_CASES       ? "cases of switch statements"
                                                      : NULL;
        if (what) {
            run_limit(run, unit->stage, t->place, "more than %u %s, at '%s'",
                      functions > MOST_FUNCTIONS ? MOST_FUNCTIONS
                      : calls > MOST_CALLS       ? MOST_CALLS
                                                 : MOST_CASES,
                      what, t->name->text);
            return false;
        }
    }
    return true;
}

/* --- constants ------------------------------------------------------------------------------------------ */

/* How many constants a token stands for: a number for itself, the name of a constant for all that it was
 * made of, a constructor for the components that it may fill. */
static uint64_t constants_of(const struct unit *unit, size_t i) {
    const struct token *t = &unit->tokens.at[i];
    if (t->kind == T_NUMBER)
        return 1;
    if (t->kind != T_IDENTIFIER)
        return 0;
    if (t->name->values)
        return t->name->values;
    bool calls = token_is(token_at(unit, i + 1), "(");
    return calls && strncmp(t->name->text, "mat", 3) == 0 ? 16
           : calls && strstr(t->name->text, "vec")        ? 4
                                                          : 0;
}

/* The declaration at `const`: each name knows what its initializer is made of. */
static void measure_constants(const struct unit *unit, size_t i) {
    struct name *name = NULL;
    unsigned depth = 0;
    uint64_t made = 0;
    for (i++; i < unit->tokens.count; i++) {
        const struct token *t = &unit->tokens.at[i];
        bool open = token_is(t, "(") || token_is(t, "[") || token_is(t, "{"),
             close = token_is(t, ")") || token_is(t, "]") || token_is(t, "}");
        bool last = (close && !depth) || token_is(t, ";");
        depth += open;
        depth -= close && depth;
        if (last || (!depth && token_is(t, ","))) {
            if (name)
                name->values = made < UINT32_MAX ? (uint32_t)made : UINT32_MAX;
            name = NULL;
            made = 0;
        }
        if (last)
            return;
        if (t->kind == T_IDENTIFIER && !depth &&
            (token_is(token_at(unit, i + 1), "=") || token_is(token_at(unit, i + 1), "[")))
            name = name_of(t);
        made += constants_of(unit, i);
    }
}

static bool bound_constants(struct run *run, const struct unit *unit) {
    uint64_t distinct = 0, mentioned = 0;
    for (size_t i = 0; i < unit->tokens.count; i++) {
        const struct token *t = &unit->tokens.at[i];
        if (token_is(t, "const"))
            measure_constants(unit, i);
        uint64_t here = constants_of(unit, i);
        if (t->kind == T_NUMBER && !t->name->mark) {
            name_of(t)->mark = 1;
            distinct++;
        }
        mentioned += here;
        if (distinct * mentioned > MOST_COMPARED) {
            run_limit(run, unit->stage, t->place,
                      "too many constants: %llu different ones in %llu places up to here",
                      (unsigned long long)distinct, (unsigned long long)mentioned);
            return false;
        }
    }
    return true;
}

bool essl_costs(struct run *run, const struct unit *unit) {
    static bool (*const bounds[])(struct run *, const struct unit *) = {bound_structures, bound_calls,
                                                                        bound_constants};
    bool good = true;
    for (size_t k = 0; good && k < sizeof bounds / sizeof *bounds; k++) {
        good = bounds[k](run, unit);
        clear_scratch(unit);
    }
    return good;
}
