/* near.c: what the user may have meant: words of other versions and languages (hints.def), and names that are
 * spelled nearly so.
 *
 * Requires: tokens with their meanings. Keeps: both. */
#include "frontend/glsl/reasons.h"

#include <stdlib.h>
#include <string.h>

enum {
    ES100 = 1,
    ES300 = 2,
    OLD_DESKTOP = 4, /* before 1.30 */
    CORE = 8,        /* since 1.40, without the compatibility profile */
    COMPATIBLE = 16, /* 1.30 and later profiles */
    ES = ES100 | ES300,
    LATER = ES300 | CORE,
    ANY = ES | OLD_DESKTOP | CORE | COMPATIBLE,
};

static const struct hint {
    const char *word;
    unsigned languages;
    const char *text;
} hints[] = {
#define HINT(word, languages, text) {#word, languages, text},
#include "frontend/glsl/hints.def"
#undef HINT
};

static unsigned language(const struct unit *unit) {
    if (unit->es)
        return unit->version == 100 ? ES100 : ES300;
    return unit->version < 130 ? OLD_DESKTOP : unit->compatibility ? COMPATIBLE : CORE;
}

const char *near_hint(const struct unit *unit, const char *name) {
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if ((hints[i].languages & language(unit)) && !strcmp(name, hints[i].word))
            return hints[i].text;
    return NULL;
}

const char *near_language(struct run *run, const struct unit *unit) {
    return run_format(run, "GLSL %s%d.%02d", unit->es ? "ES " : "", unit->version / 100, unit->version % 100);
}

/* --- names alike ---------------------------------------------------------------------------------------- */

enum { LONGEST_WORD = 40 };

static int lower(char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* Letters to change, add, leave out or exchange with the next one; case does not count. What is above `most`
 * is not counted out: only the cells at most so far from the diagonal matter. */
static unsigned distance(const char *a, size_t m, const char *b, size_t n, unsigned most) {
    unsigned rows[3][LONGEST_WORD + 2];
    for (size_t k = 0; k <= n; k++)
        rows[0][k] = (unsigned)k;
    for (size_t i = 1; i <= m; i++) {
        unsigned *now = rows[i % 3], *before = rows[(i + 2) % 3], *first = rows[(i + 1) % 3];
        size_t from = i > most ? i - most : 1, to = i + most < n ? i + most : n;
        unsigned least = from == 1 ? (unsigned)i : most + 1;
        now[from - 1] = least;
        for (size_t k = from; k <= to; k++) {
            bool same = lower(a[i - 1]) == lower(b[k - 1]);
            unsigned best = before[k - 1] + !same;
            best = before[k] + 1 < best ? before[k] + 1 : best;
            best = now[k - 1] + 1 < best ? now[k - 1] + 1 : best;
            if (i > 1 && k > 1 && lower(a[i - 1]) == lower(b[k - 2]) && lower(a[i - 2]) == lower(b[k - 1]) &&
                first[k - 2] + 1 < best)
                best = first[k - 2] + 1;
            now[k] = best;
            least = best < least ? best : least;
        }
        now[to + 1] = most + 1;
        if (least > most)
            return most + 1;
    }
    return rows[m % 3][n];
}

bool near_spelling(const char *word, const char *candidate, unsigned *best) {
    size_t length = strlen(word);
    unsigned most = length < 3 ? 0 : length < 6 ? 1 : 2;
    size_t other = strlen(candidate);
    if (other > length + most || length > other + most || length > LONGEST_WORD || other > LONGEST_WORD)
        return false;
    unsigned d = distance(word, length, candidate, other, most);
    if (d > most || d >= *best || !strcmp(word, candidate))
        return false;
    *best = d;
    return true;
}

static const char *const types[] = {
    "float",  "int",     "bool",      "vec2",        "vec3",    "vec4",    "ivec2",     "ivec3",
    "ivec4",  "bvec2",   "bvec3",     "bvec4",       "mat2",    "mat3",    "mat4",      "void",
    "struct", "const",   "sampler2D", "samplerCube", "uniform", "varying", "attribute", "precision",
    "highp",  "mediump", "lowp",      "return",      "discard", "while"};
static const char *const variables[] = {"gl_FragColor",   "gl_FragCoord",  "gl_FragData",
                                        "gl_FrontFacing", "gl_PointCoord", "gl_PointSize",
                                        "gl_Position",    "true",          "false"};
static const char *const functions[] = {
#define FUNCTION(name, es, desktop, signatures) #name,
#include "frontend/glsl/functions.def"
#undef FUNCTION
};

static const char *nearest_of(const char *word, const char *const *list, size_t count, unsigned *best) {
    const char *found = NULL;
    for (size_t i = 0; i < count; i++)
        if (near_spelling(word, list[i], best))
            found = list[i];
    return found;
}

/* The body of the function around a token begins at its name; 0: there is none. */
static size_t function_around(const struct declarations *d, size_t token) {
    for (size_t f = 0; f < d->function_count; f++)
        if (d->functions[f].token < token && token < d->functions[f].body_close)
            return d->functions[f].token;
    return 0;
}

static bool fits(const struct meaning *m, enum near_kind kind) {
    switch (kind) {
    case NEAR_VALUE: return m->kind == MEANS_GLOBAL || m->kind == MEANS_LOCAL;
    case NEAR_CALL: return m->kind == MEANS_FUNCTION || m->kind == MEANS_TYPE;
    default: return m->kind == MEANS_TYPE;
    }
}

const char *near_name(struct run *run, const struct unit *unit, const struct declarations *d, size_t token,
                      enum near_kind kind) {
    const char *word = unit->tokens.at[token].name->text, *found = NULL;
    unsigned best = LONGEST_WORD;
    if (kind != NEAR_TYPE && (unit->tokens.at[token].name->undeclared & 1u << unit->stage))
        return ""; /* nothing is said about it again */
    size_t begin = function_around(d, token);
    for (size_t i = 0; i < token; i++) {
        const struct meaning *m = &d->meanings[i];
        if (fits(m, kind) && (m->kind != MEANS_LOCAL || i > begin) &&
            near_spelling(word, unit->tokens.at[i].name->text, &best))
            found = unit->tokens.at[i].name->text;
    }
    const char *own = NULL;
    if (kind == NEAR_TYPE)
        own = nearest_of(word, types, sizeof types / sizeof *types, &best);
    else if (kind == NEAR_VALUE)
        own = nearest_of(word, variables, sizeof variables / sizeof *variables, &best);
    for (size_t i = 0; kind == NEAR_CALL && i < sizeof functions / sizeof *functions; i++)
        if (signatures_know(unit, functions[i]) && near_spelling(word, functions[i], &best))
            own = functions[i];
    if (kind == NEAR_CALL) {
        const char *type = nearest_of(word, types, 15, &best);
        own = type ? type : own;
    }
    found = own ? own : found;
    return found ? run_format(run, "; did you mean '%s'?", found) : "";
}
