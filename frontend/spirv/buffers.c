/* Uniform blocks that lie in buffers of the driver's (QPUCC_BLOCKS_IN_BUFFERS).
 *
 * A pointer into one is a number of bytes, as the module's decorations have it, and a run-time part beside.
 * Each scalar is a lookup, which limits the bytes to the buffer's: a run-time index that is too large may
 * lead to another member, never out of the buffer. */
#include "frontend/spirv/reader.h"

#include <stdio.h>

bool fe_buffer_symbol(struct fe_reader *r, struct fe_object *object, struct ir_loc loc) {
    struct ir_symtab *table = &r->shader->samplers;
    const struct fe_type *type = object->type;
    bool is_array = type->kind == FE_ARRAY;
    const char *name = fe_block_name(r, type);
    int32_t binding = fe_deco(r, object->id)->binding;
    char unnamed[24];
    if (is_array && type->elem->kind == FE_ARRAY) {
        object->why = "array of arrays of blocks";
        return true;
    }
    if (table->count >= FE_MAX_SYMBOLS)
        return fe_fail(r, "limit", "more than %d names in the shader's interface", FE_MAX_SYMBOLS);
    snprintf(unnamed, sizeof unnamed, "_block%d", (int)binding);
    struct ir_symbol *symbol = ir_add_symbol(r->shader, table, name && name[0] ? name : unnamed);
    symbol->base = IR_BASE_UNIFORMBLOCK;
    symbol->rows = symbol->cols = 1;
    symbol->array_len = is_array ? type->count : 1;
    symbol->is_array = is_array;
    symbol->location = binding;
    symbol->loc = loc;
    for (uint32_t k = 0; k < object->nleaves; k++) {
        object->leaf[k].kind = FE_LEAF_BUFFER;
        object->leaf[k].base = symbol->word;
    }
    table->words += ir_symbol_words(symbol);
    return true;
}

static bool is_block_array(struct fe_reader *r, const struct fe_pointer *p) {
    return p->type == p->object->type && p->type->kind == FE_ARRAY && fe_is_block(r, p->type);
}

/* Adds run * stride. What is too large for 24 bits leads out of any buffer, and so to one of its ends or
 * anywhere in it. */
static void add_run(struct fe_reader *r, struct fe_place *place, struct ir_inst *run, uint32_t stride) {
    struct ir_builder *b = &r->b;
    bool shifts = stride && !(stride & (stride - 1));
    run = shifts ? ir_op2(b, IR_ISHL, run, ir_const_i(b, (uint32_t)__builtin_ctz(stride)))
                 : ir_op2(b, IR_UMUL24, run, ir_const_i(b, stride));
    place->run = place->run ? ir_op2(b, IR_IADD, place->run, run) : run;
}

/* To a member, with what is decorated there. */
static bool enter_member(struct fe_reader *r, struct fe_pointer *p, uint32_t member) {
    if (member >= p->type->count)
        return fe_malformed(r);
    const struct fe_deco *deco = &p->type->member_deco[member];
    p->place.offset += deco->offset;
    p->place.matrix_stride = deco->matrix_stride;
    p->place.row_major = deco->row_major;
    p->place.component_stride = 4;
    p->leaf += p->type->member_leaf[member];
    p->type = p->type->member[member];
    return true;
}

bool fe_buffer_step(struct fe_reader *r, struct fe_pointer *p, uint32_t index, struct ir_inst *run) {
    struct fe_place *place = &p->place;
    const struct fe_type *type = p->type;
    uint32_t stride;
    if (type->kind == FE_STRUCT)
        return run ? fe_malformed(r) : enter_member(r, p, index);
    if ((type->kind != FE_ARRAY && type->kind != FE_VECTOR && type->kind != FE_MATRIX) || !type->count)
        return fe_malformed(r);
    uint32_t safe = (int32_t)index < 0 ? 0 : index < type->count ? index : type->count - 1;
    if (is_block_array(r, p)) {
        if (run)
            return fe_unsupported(r, "block of an array that is chosen at run time");
        place->buffer = safe;
        p->type = type->elem;
        return true;
    }
    if (type->kind == FE_ARRAY) {
        stride = fe_deco(r, type->id)->array_stride;
    } else if (type->kind == FE_MATRIX) {
        stride = place->row_major ? 4 : place->matrix_stride;
        place->component_stride = place->row_major ? place->matrix_stride : 4;
    } else {
        stride = place->component_stride;
    }
    if (run)
        add_run(r, place, run, stride);
    else
        place->offset += safe * stride;
    p->type = type->elem;
    return true;
}

static struct ir_inst *load_scalar(struct fe_reader *r, const struct fe_pointer *p) {
    struct ir_builder *b = &r->b;
    const struct fe_leaf *leaf = p->leaf < p->object->nleaves ? &p->object->leaf[p->leaf] : NULL;
    if (!leaf || (p->type->scalar != IR_F32 && p->type->scalar != IR_I32))
        return fe_malformed(r), NULL;
    if (p->place.offset & 3)
        return fe_unsupported(r, "member of a block that is not at a multiple of 4 bytes"), NULL;
    uint8_t precision = b->precision;
    b->precision = IR_HIGHP;
    struct ir_inst *at = ir_const_i(b, p->place.offset);
    if (p->place.run)
        at = p->place.offset ? ir_op2(b, IR_IADD, p->place.run, at) : p->place.run;
    b->precision = leaf->precision > precision ? leaf->precision : precision;
    uint32_t number = leaf->base + p->place.buffer;
    struct ir_inst *value = ir_emit(b, IR_BUFFER_AT, (enum ir_type)p->type->scalar, 1, &at, number, 0);
    b->precision = precision;
    return value;
}

bool fe_buffer_load(struct fe_reader *r, const struct fe_pointer *pointer, struct ir_inst **out) {
    const struct fe_type *type = pointer->type;
    if (r->failed)
        return false;
    if (!type->words) /* however many of nothing */
        return true;
    if (type->kind == FE_FLOAT || type->kind == FE_INT || type->kind == FE_UINT)
        return (*out = load_scalar(r, pointer)) != NULL;
    if (type->kind != FE_STRUCT && type->kind != FE_ARRAY && type->kind != FE_VECTOR &&
        type->kind != FE_MATRIX)
        return fe_malformed(r);
    for (uint32_t k = 0; k < type->count; k++) {
        struct fe_pointer part = *pointer;
        uint32_t first = type->kind == FE_STRUCT ? type->member_word[k] : k * type->elem->words;
        if (!fe_buffer_step(r, &part, k, NULL) || !fe_buffer_load(r, &part, out + first))
            return false;
    }
    return true;
}
