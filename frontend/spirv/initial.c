/* What variables hold before main. */
#include "frontend/spirv/reader.h"

#include <string.h>

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
    symbol->initial[word - symbol->word] = value->type == IR_BOOL ? value->imm != 0 : value->imm;
    return true;
}

/* As a store would go, by leaf (memory.c). */
static bool set_part(struct fe_reader *r, const struct fe_object *object, const struct fe_type *type,
                     uint32_t leaf, uint32_t fixed, struct ir_inst *const *in) {
    bool ok = true;
    if (!type->words) /* however many of nothing */
        return true;
    if (type->kind == FE_STRUCT) {
        for (uint32_t m = 0; m < type->count && ok; m++)
            ok = set_part(r, object, type->member[m], leaf + type->member_leaf[m], fixed,
                          in + type->member_word[m]);
    } else if (type->kind == FE_ARRAY) {
        for (uint32_t k = 0; k < type->count && ok; k++)
            ok = set_part(r, object, type->elem, leaf, fixed * type->count + k, in + k * type->elem->words);
    } else if (object->leaf[leaf].kind != FE_LEAF_UNIFORM || object->leaf[leaf].state) {
        ok = fe_unsupported(r, "initializer of an interface variable");
    } else {
        for (uint32_t k = 0; k < type->words && ok; k++)
            ok = set_word(r, object->leaf[leaf].base + fixed * type->words + k, in[k]);
    }
    return ok;
}

/* A uniform's initial value moves into the table of uniforms. */
static bool set_initial(struct fe_reader *r, const struct fe_object *object, struct ir_inst *const *word) {
    if (object->storage != SpvStorageClassUniformConstant)
        return fe_unsupported(r, "initializer of an interface variable");
    return set_part(r, object, object->type, 0, 0, word);
}

bool fe_globals_init(struct fe_reader *r) {
    for (uint32_t k = 0; k < r->nobjects; k++) {
        struct fe_object *object = r->objects[k];
        const uint32_t *words = r->words + r->id[object->id].offset;
        if (words[0] >> 16 < 5 || object->why)
            continue;
        struct ir_inst **value = fe_value_n(r, words[4], object->type->words);
        bool stored = object->storage == SpvStorageClassPrivate || object->storage == SpvStorageClassOutput;
        if (!value ||
            !(stored ? fe_store(r, r->id[object->id].pointer, value) : set_initial(r, object, value)))
            return false;
    }
    return true;
}
