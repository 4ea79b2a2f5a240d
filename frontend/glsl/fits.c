/* fits.c: do two shaders that were compiled one by one fit together, as far as their symbols tell?
 *
 * Requires: shaders without errors. Keeps: them. It errs on the side of no: essl100/link.c and glslang, which
 * have both shaders at hand, say what is wrong, if anything is. */
#include "frontend/glsl/glsl.h"

#include <string.h>

/* Is it a member of the same structure as the one before it in the table? "S.a" and "S.b" are. */
static bool goes_on(const struct fe_stage_result *stage, size_t i) {
    if (!i || i >= stage->symbol_count)
        return false;
    const struct fe_symbol *s = &stage->symbols[i], *before = s - 1;
    return s->storage == FE_STRUCT_MEMBER && before->storage == s->storage &&
           !strncmp(s->name, before->name, strcspn(s->name, ".") + 1);
}

static bool same_type(const struct fe_symbol *a, const struct fe_symbol *b) {
    return !strcmp(a->type_name, b->type_name) && a->array == b->array &&
           a->array_length == b->array_length && (!a->array || a->array_length);
}

/* Members have the same neighbours in both: so structures have the same members in the same order. */
static bool same_member(const struct fe_stage_result *x, size_t i, const struct fe_stage_result *y,
                        size_t k) {
    return goes_on(x, i) == goes_on(y, k) && goes_on(x, i + 1) == goes_on(y, k + 1) &&
           (!goes_on(x, i) || !strcmp(x->symbols[i - 1].name, y->symbols[k - 1].name)) &&
           x->symbols[i].precision == y->symbols[k].precision;
}

static bool agrees(const struct fe_stage_result *vertex, size_t k, const struct fe_stage_result *fragment,
                   size_t i) {
    const struct fe_symbol *v = &vertex->symbols[k], *f = &fragment->symbols[i];
    if (v->storage != f->storage || !same_type(v, f))
        return false;
    switch (f->storage) {
    case FE_STRUCT_MEMBER: return same_member(vertex, k, fragment, i);
    case FE_UNIFORM: return v->precision == f->precision;
    case FE_VARYING:
        return v->flat == f->flat && v->noperspective == f->noperspective && v->invariant == f->invariant &&
               v->centroid == f->centroid && v->by_location == f->by_location && v->location == f->location;
    default: return false;
    }
}

/* May the vertex shader do without it? A member's neighbours look after it. */
static bool may_lack(const struct fe_stage_result *fragment, size_t i) {
    const struct fe_symbol *f = &fragment->symbols[i];
    return f->storage != FE_VARYING || (!fragment->es && !f->by_location) || !strncmp(f->name, "gl_", 3);
}

bool fe_fits(const struct fe_stage_result *vertex, const struct fe_stage_result *fragment,
             struct ir_arena *scratch) {
    struct ir_names names = {0};
    if (!vertex->plain || !fragment->plain || vertex->version != fragment->version ||
        vertex->es != fragment->es)
        return false;
    for (size_t k = 0; k < vertex->symbol_count; k++) {
        if (ir_names_find(&names, vertex->symbols[k].name) != UINT32_MAX)
            return false; /* of different scopes */
        ir_names_add(&names, scratch, vertex->symbols[k].name, (uint32_t)k);
    }
    for (size_t i = 0; i < fragment->symbol_count; i++) {
        uint32_t k = ir_names_find(&names, fragment->symbols[i].name);
        if (k == UINT32_MAX ? !may_lack(fragment, i) : !agrees(vertex, k, fragment, i))
            return false;
    }
    return !ir_arena_oom(scratch);
}
