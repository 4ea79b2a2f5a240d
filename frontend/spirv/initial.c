/* Initial values of uniforms. SPIR-V has none: frontend/glsl hands them over as constants stored to variables
 * named after the uniforms (FE_INITIAL_PREFIX), and here they move into the table of uniforms. */
#include "frontend/spirv/reader.h"

#include <string.h>

/* The uniform block's object and the member that the variable speaks of. */
static const struct fe_object *uniform_of(const struct fe_reader *r, const char *name, uint32_t *member) {
    for (uint32_t o = 0; o < r->nobjects; o++) {
        const struct fe_object *object = r->objects[o];
        if (object->why || !fe_is_default_block(r, object->type))
            continue;
        for (*member = 0; *member < object->type->count; ++*member)
            if (strcmp(object->type->member_name[*member], name) == 0)
                return object;
    }
    return NULL;
}

static bool set_word(struct fe_reader *r, uint32_t word, const struct ir_inst *value) {
    struct ir_symtab *table = &r->shader->uniforms;
    if (!ir_is_const(value))
        return fe_unsupported(r, "initial value of a uniform that is not a simple constant");
    uint32_t at = ir_symbol_at(table, word);
    if (at == table->count || table->sym[at].word > word)
        return fe_malformed(r);
    struct ir_symbol *symbol = &table->sym[at];
    if (!symbol->initial) {
        uint32_t *fresh = ir_alloc(r->shader->arena, ir_symbol_words(symbol) * sizeof *fresh);
        memset(fresh, 0, ir_symbol_words(symbol) * sizeof *fresh);
        symbol->initial = fresh;
    }
    symbol->initial[word - symbol->word] = value->imm;
    return true;
}

/* As a store would go, by leaf (memory.c). */
static bool set_part(struct fe_reader *r, const struct fe_object *object, const struct fe_type *type,
                     uint32_t leaf, uint32_t fixed, struct ir_inst *const *in) {
    bool ok = true;
    if (type->kind == FE_STRUCT) {
        for (uint32_t m = 0; m < type->count && ok; m++)
            ok = set_part(r, object, type->member[m], leaf + type->member_leaf[m], fixed,
                          in + type->member_word[m]);
    } else if (type->kind == FE_ARRAY) {
        for (uint32_t k = 0; k < type->count && ok; k++)
            ok = set_part(r, object, type->elem, leaf, fixed * type->count + k, in + k * type->elem->words);
    } else {
        for (uint32_t k = 0; k < type->words && ok; k++)
            ok = set_word(r, object->leaf[leaf].base + fixed * type->words + k, in[k]);
    }
    return ok;
}

bool fe_initial_value(struct fe_reader *r, const struct fe_object *variable, struct ir_inst *const *word,
                      bool *taken) {
    const char *name = fe_name(r, variable->id);
    size_t prefix = strlen(FE_INITIAL_PREFIX);
    uint32_t member;
    *taken = r->options->trusted && !strncmp(name, FE_INITIAL_PREFIX, prefix);
    if (!*taken)
        return true;
    const struct fe_object *object = uniform_of(r, name + prefix, &member);
    if (!object || object->type->member[member]->words != variable->type->words)
        return fe_malformed(r);
    return set_part(r, object, object->type->member[member], object->type->member_leaf[member], 0, word);
}
