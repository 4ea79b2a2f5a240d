/* types.c: the types of GLSL as messages speak of them (reasons.h). */
#include "frontend/glsl/reasons.h"

#include <string.h>

struct glsl_type glsl_simple_type(enum glsl_base base, unsigned columns, unsigned rows) {
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
    unsigned size = n && word[n - 1] >= '2' && word[n - 1] <= '4' ? (unsigned)(word[n - 1] - '0') : 0;
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (!strcmp(word, scalars[i].name)) {
            *type = glsl_simple_type(scalars[i].base, 1, 1);
            return true;
        }
    for (size_t i = 0; size && i < sizeof vectors / sizeof *vectors; i++)
        if (n == strlen(vectors[i].prefix) + 1 && !strncmp(word, vectors[i].prefix, n - 1)) {
            *type = glsl_simple_type(vectors[i].base, 1, size);
            return true;
        }
    bool columns = n > 3 && word[3] >= '2' && word[3] <= '4';
    if (size && columns && !strncmp(word, "mat", 3) && (n == 4 || (n == 6 && word[4] == 'x'))) {
        *type = glsl_simple_type(GLSL_FLOAT, (unsigned)(word[3] - '0'), size);
        return true;
    }
    static const char *const samplers[] = {"1D", "2D", "3D", "Cube", "Buffer", "ExternalOES"};
    const char *unprefixed = word + (*word == 'i' || *word == 'u');
    for (size_t i = 0; !strncmp(unprefixed, "sampler", 7) && i < sizeof samplers / sizeof *samplers; i++)
        if (!strncmp(unprefixed + 7, samplers[i], strlen(samplers[i]))) {
            *type = (struct glsl_type){.base = GLSL_SAMPLER, .name = word, .columns = 1, .rows = 1};
            return true;
        }
    return false;
}

const char *glsl_type_text(struct run *run, struct glsl_type t) {
    /* by enum glsl_base */
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

bool glsl_is_scalar(struct glsl_type t) {
    return t.columns == 1 && t.rows == 1 && !t.array && t.base >= GLSL_FLOAT && t.base <= GLSL_BOOL;
}

bool glsl_is_number(struct glsl_type t) {
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

struct glsl_type glsl_type_of_name(const struct name *name, const struct meaning *m) {
    struct glsl_type t;
    if (!m->structure && name && glsl_type_of_word(name->text, &t))
        return t;
    if (m->members || m->structure)
        return (struct glsl_type){.base = GLSL_STRUCTURE,
                                  .name = name ? name->text : NULL,
                                  .members = m->members,
                                  .columns = 1,
                                  .rows = 1};
    return (struct glsl_type){0};
}

const char *glsl_types_text(struct run *run, const struct glsl_type *arguments, size_t count) {
    const char *text = "(";
    for (size_t i = 0; i < count; i++)
        text = run_format(run, "%s%s%s", text, i ? ", " : "", glsl_type_text(run, arguments[i]));
    return run_format(run, "%s)", text);
}
