/* signatures.c: the language's functions by their signatures, for messages about calls that fit none.
 *
 * The table (functions.def) has what people call; a function that is not in it has no known result. */
#include "frontend/glsl/reasons.h"

#include <string.h>

static const struct function_entry {
    const char *name;
    int es, desktop;
    const char *signatures;
} entries[] = {
#define FUNCTION(name, es, desktop, signatures) {#name, es, desktop, signatures},
#include "frontend/glsl/functions.def"
#undef FUNCTION
};

enum { MOST_PARAMETERS = 4 };

struct signature {
    struct glsl_type result, parameters[MOST_PARAMETERS];
    size_t count;
};

/* The first entry of the language's that has that name, from one on. */
static const struct function_entry *find(const struct unit *unit, const char *name,
                                         const struct function_entry *from) {
    const struct function_entry *end = entries + sizeof entries / sizeof *entries;
    for (; from < end; from++) {
        int since = unit->es ? from->es : from->desktop;
        if (since && unit->version >= since && !strcmp(from->name, name) && !near_hint(unit, name))
            return from;
    }
    return NULL;
}

bool signatures_know(const struct unit *unit, const char *name) {
    return find(unit, name, entries) != NULL;
}

/* One word of a signature, where vectors have `size` components; moves behind it. False: there is no such
 * type of that size. */
static bool read_type(const char **text, unsigned size, struct glsl_type *type) {
    char word[24];
    size_t length = strcspn(*text, "(,) ");
    if (length >= sizeof word)
        return false;
    memcpy(word, *text, length);
    word[length] = 0;
    *text += length;
    if (length != 1) {
        bool known = glsl_type_of_word(word, type);
        if (known && type->base == GLSL_SAMPLER) /* a name that stays */
            type->name = word[7] == '2' ? "sampler2D" : "samplerCube";
        return known;
    }
    *type = (struct glsl_type){.base = GLSL_FLOAT, .columns = 1, .rows = size};
    switch (*word) {
    case 'T': return true;
    case 'V': return size > 1;
    case 'I': type->base = GLSL_INT; return true;
    case 'J': type->base = GLSL_INT; return size > 1;
    case 'U': type->base = GLSL_UINT; return true;
    case 'K': type->base = GLSL_UINT; return size > 1;
    case 'B': type->base = GLSL_BOOL; return true;
    case 'L': type->base = GLSL_BOOL; return size > 1;
    case 'M': type->columns = size; return size > 1;
    default: return false;
    }
}

/* Reads "R(A,B)"; moves behind it and the space after it. */
static bool read_signature(const char **text, unsigned size, struct signature *s) {
    const char *p = *text;
    bool good = read_type(&p, size, &s->result);
    for (s->count = 0, p++; good && *p != ')';) {
        good = s->count < MOST_PARAMETERS && read_type(&p, size, &s->parameters[s->count]);
        s->count++;
        p += *p == ',';
    }
    *text += strcspn(*text, " ");
    *text += **text == ' ';
    return good;
}

static bool has_size(const char *text) {
    size_t length = strcspn(text, " ");
    for (size_t i = 0; i < length; i++)
        if (strchr("TVIJUKBLM", text[i]))
            return true;
    return false;
}

/* How many arguments fit; all of them, if their number fits as well. */
static unsigned fitting(const struct unit *unit, const struct signature *s, const struct glsl_type *arguments,
                        size_t count, bool convert) {
    unsigned fit = 0;
    for (size_t i = 0; i < count && i < s->count; i++)
        fit += arguments[i].base == GLSL_UNKNOWN || glsl_same_type(arguments[i], s->parameters[i]) ||
               (convert && glsl_converts(unit, arguments[i], s->parameters[i]));
    return fit;
}

/* The table has two kinds of sampler: of calls with others nothing is known. */
static bool is_other_sampler(struct glsl_type t) {
    return t.base == GLSL_SAMPLER && strcmp(t.name, "sampler2D") && strcmp(t.name, "samplerCube");
}

/* The first signature that all arguments fit, with conversions or without; *at: where it stands. */
static bool find_signature(const struct unit *unit, const char *name, const struct glsl_type *arguments,
                           size_t count, bool convert, const char **at, struct signature *s) {
    for (const struct function_entry *e = find(unit, name, entries); e; e = find(unit, name, e + 1))
        for (const char *text = e->signatures, *next = text; *text; text = next)
            for (unsigned size = 1; size <= 4; size++) {
                next = *at = text;
                if (read_signature(&next, size, s) && s->count == count &&
                    fitting(unit, s, arguments, count, convert) == count)
                    return true;
            }
    return false;
}

struct glsl_type signatures_result(const struct unit *unit, const char *name,
                                   const struct glsl_type *arguments, size_t count, bool *found) {
    bool unknown = false;
    const char *text = "";
    struct signature s = {.count = 0};
    *found = true;
    for (size_t i = 0; i < count; i++) {
        unknown |= arguments[i].base == GLSL_UNKNOWN;
        if (is_other_sampler(arguments[i]))
            return (struct glsl_type){0};
    }
    *found = find_signature(unit, name, arguments, count, false, &text, &s) ||
             find_signature(unit, name, arguments, count, true, &text, &s);
    return *found && !(unknown && has_size(text)) ? s.result : (struct glsl_type){0};
}

static const char *signature_text(struct run *run, const char *name, const struct signature *s) {
    const char *text = run_format(run, "%s %s(", glsl_type_text(run, s->result), name);
    for (size_t i = 0; i < s->count; i++)
        text = run_format(run, "%s%s%s", text, i ? ", " : "", glsl_type_text(run, s->parameters[i]));
    return run_format(run, "%s)", text);
}

/* T(T,T) and T(T,float) are one signature where T is float. */
static bool same_parameters(const struct signature *a, const struct signature *b) {
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (!glsl_same_type(a->parameters[i], b->parameters[i]))
            return false;
    return a->count == b->count;
}

const char *signatures_nearest(struct run *run, const struct unit *unit, const char *name,
                               const struct glsl_type *arguments, size_t count) {
    enum { SHOWN = 2 };
    struct {
        struct signature s;
        int score;
    } best[SHOWN] = {{.score = -100}, {.score = -100}};
    for (const struct function_entry *e = find(unit, name, entries); e; e = find(unit, name, e + 1))
        for (const char *text = e->signatures, *next = text; *text; text = next)
            for (unsigned size = 1; size <= (has_size(text) ? 4u : 1u); size++) {
                struct signature s;
                next = text;
                if (!read_signature(&next, size, &s))
                    continue;
                int missing = s.count > count ? (int)(s.count - count) : (int)(count - s.count);
                int score = 2 * (int)fitting(unit, &s, arguments, count, true) - 3 * missing;
                size_t k = score > best[0].score ? 0 : 1;
                if (score <= best[k].score || (k && same_parameters(&s, &best[0].s)))
                    continue;
                if (!k)
                    best[1] = best[0];
                best[k].s = s;
                best[k].score = score;
            }
    if (best[0].score == -100)
        return "";
    const char *first = signature_text(run, name, &best[0].s);
    return best[1].score == -100 ? first
                                 : run_format(run, "%s or %s", first, signature_text(run, name, &best[1].s));
}
