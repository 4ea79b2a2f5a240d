/* What the generator knows: its choices, the kinds of values, the variables in scope. */
#include "generator.h"

uint32_t pick(struct gen *g, uint32_t n) {
    g->seed = g->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((g->seed >> 33) % n);
}

bool one_in(struct gen *g, uint32_t n) {
    return pick(g, n) == 0;
}

unsigned size_of(enum kind kind) {
    return kind >= MATRIX ? kind - MATRIX + 2u : (unsigned)(kind - FUZZY) % 4 + 1;
}

enum kind family(enum kind kind) {
    return kind >= MATRIX ? MATRIX : (enum kind)(kind - (size_of(kind) - 1));
}

enum kind vector(enum kind base, unsigned size) {
    return (enum kind)(base + size - 1);
}

enum kind some_kind(struct gen *g) {
    switch (pick(g, 12)) {
    case 0:
    case 1:
    case 2:
    case 3: return vector(FUZZY, 1 + pick(g, 4));
    case 4: return vector(EXACT, 1 + pick(g, 4));
    case 5:
    case 6: return INT;
    case 7: return vector(INT, 2 + pick(g, 3));
    case 8: return vector(BOOL, 1 + pick(g, 4));
    case 9: return (enum kind)(MATRIX + pick(g, 3));
    case 10: return g->structs ? STRUCT : FUZZY;
    default: return one_in(g, 2) ? FUZZY : vector(FUZZY, 4);
    }
}

const char *new_name(struct gen *g, const char *prefix) {
    return pool_text(g->pool, "%s%u", prefix, g->names++);
}

void declare(struct gen *g, const char *name, enum kind kind, unsigned length, bool writable) {
    if (g->count + 1 + MEMBERS >= MOST_VARIABLES)
        return;
    g->variables[g->count++] = (struct variable){name, kind, length, writable};
    for (unsigned i = 0; kind == STRUCT && !length && i < MEMBERS; i++)
        g->variables[g->count++] =
            (struct variable){pool_text(g->pool, "%s.m%u", name, i), g->member[i], 0, writable};
}

const struct variable *some_variable(struct gen *g, enum kind kind, bool writable) {
    const struct variable *found = NULL;
    unsigned seen = 0;
    for (unsigned i = 0; i < g->count; i++) {
        const struct variable *v = &g->variables[i];
        if (v->kind != kind || (writable && !v->writable))
            continue;
        seen++;
        if (pick(g, seen) < (seen > 3 ? 2u : 1u))
            found = v;
    }
    return found;
}
