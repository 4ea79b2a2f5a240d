/* The shader's interface tables in GL's terms: their entries, what declarations say about these, and which of
 * them the code uses.
 *
 * GL's names enumerate structures and arrays of structures, so one leaf of an object (interface.c) may be
 * several consecutive entries ("light[0].pos", "light[1].pos"). */
#include "frontend/spirv/reader.h"

#include <stdio.h>
#include <string.h>

/* --- the side table ------------------------------------------------------------------------------------- */

static const struct fe_symbol *side_entry(struct fe_reader *r, const char *name, bool member) {
    const struct fe_symbol *symbols = r->options->symbols;
    for (; r->side_read < r->options->symbol_count; r->side_read++) {
        const struct fe_symbol *s = &symbols[r->side_read];
        ir_names_add(&r->side[s->storage == FE_STRUCT_MEMBER], r->arena, s->name, r->side_read);
    }
    uint32_t at = ir_names_find(&r->side[member], name);
    return at == UINT32_MAX ? NULL : &symbols[at];
}

static uint16_t file_number(struct fe_reader *r, const char *name) {
    struct ir_shader *shader = r->shader;
    for (uint32_t k = 0; name && k < shader->nfiles; k++)
        if (strcmp(shader->files[k], name) == 0)
            return (uint16_t)k;
    return name && shader->nfiles < UINT16_MAX ? (uint16_t)ir_add_file(shader, name) : 0;
}

static void inherit_side(struct fe_reader *r, struct fe_inherited *to, const char *name, bool member) {
    const struct fe_symbol *side = name[0] ? side_entry(r, name, member) : NULL;
    if (!side)
        return;
    switch (side->precision) {
    case FE_LOWP: to->precision = IR_LOWP; break;
    case FE_MEDIUMP: to->precision = IR_MEDIUMP; break;
    case FE_HIGHP: to->precision = IR_HIGHP; break;
    case FE_PRECISION_NONE: break;
    }
    to->invariant |= side->invariant || side->precise;
    to->type_name = side->type_name;
    if (side->type_name && (strcmp(side->type_name, "bool") == 0 || strncmp(side->type_name, "bvec", 4) == 0))
        to->boolean = true;
    if (side->flat)
        to->interp = IR_FLAT;
    to->centroid |= side->centroid;
    if (side->attribute_location && r->options->ignore_locations)
        to->location = (int32_t)side->location;
    if (side->by_location && r->options->ignore_locations) {
        to->location = (int32_t)side->location;
        to->by_location = true;
    }
    if (side->line)
        to->loc = (struct ir_loc){.line = side->line,
                                  .column = side->column < UINT16_MAX ? (uint16_t)side->column : 0,
                                  .file = file_number(r, side->file)};
}

void fe_inherit_deco(struct fe_reader *r, struct fe_inherited *to, const struct fe_deco *deco) {
    if (deco->relaxed)
        to->precision = IR_MEDIUMP;
    if (deco->flat)
        to->interp = IR_FLAT;
    else if (deco->no_perspective)
        to->interp = IR_LINEAR;
    to->invariant |= deco->invariant;
    to->centroid |= deco->centroid;
    if (deco->builtin >= 0)
        to->builtin = deco->builtin;
    if (deco->location >= 0 && !r->options->ignore_locations)
        to->location = deco->location;
    to->offset += deco->offset;
    if (deco->matrix_stride) {
        to->matrix_stride = deco->matrix_stride;
        to->row_major = deco->row_major;
    }
}

#define MOST_LOCATIONS 1024

/* How many locations a varying of that type takes, counted to MOST_LOCATIONS or a little more: structures
 * that hold two of the one before grow fast. */
static int32_t locations_of(const struct fe_type *type) {
    int32_t count = 0;
    if (type->kind == FE_ARRAY) {
        int32_t each = locations_of(type->elem);
        return type->count < MOST_LOCATIONS && each < MOST_LOCATIONS ? (int32_t)type->count * each
                                                                     : MOST_LOCATIONS;
    }
    for (uint32_t m = 0; type->kind == FE_STRUCT && m < type->count && count < MOST_LOCATIONS; m++)
        count += locations_of(type->member[m]);
    return type->kind == FE_STRUCT ? count : type->kind == FE_MATRIX ? (int32_t)type->count : 1;
}

struct fe_inherited fe_inherit_member(struct fe_reader *r, struct fe_inherited from,
                                      const struct fe_type *type, uint32_t member) {
    struct fe_inherited to = from;
    char name[256];
    const char *type_name = r->id[type->id].name ? r->id[type->id].name : "";
    for (uint32_t m = 0; m < member && to.location >= 0 && to.location < 2 * MOST_LOCATIONS; m++)
        to.location += locations_of(type->member[m]);
    fe_inherit_deco(r, &to, &type->member_deco[member]);
    if (strcmp(type_name, "gl_DefaultUniformBlock") == 0) {
        inherit_side(r, &to, type->member_name[member], false);
    } else {
        snprintf(name, sizeof name, "%s.%s", type_name, type->member_name[member]);
        inherit_side(r, &to, name, true);
    }
    return to;
}

struct fe_inherited fe_root_inherited(struct fe_reader *r, uint32_t id) {
    struct fe_inherited from = {.location = -1, .builtin = FE_BUILTIN_NONE};
    fe_inherit_deco(r, &from, fe_deco(r, id));
    inherit_side(r, &from, fe_name(r, id), false);
    return from;
}

/* --- tables --------------------------------------------------------------------------------------------- */

/* The kind of sampler: a module knows no external ones, and GLSL's rectangles may have become plain ones in
 * it. */
static uint8_t sampler_base(const struct fe_type *image, const char *type_name) {
    for (uint8_t k = IR_BASE_SAMPLER2D; type_name && k < IR_BASE_COUNT; k++)
        if (!strcmp(type_name, ir_base_names[k]))
            return k;
    if (image->samples)
        return IR_BASE_SAMPLER2DMS;
    switch (image->dim) {
    case SpvDim1D: return image->shadow ? IR_BASE_SAMPLER1DSHADOW : IR_BASE_SAMPLER1D;
    case SpvDimCube: return image->shadow ? IR_BASE_SAMPLERCUBESHADOW : IR_BASE_SAMPLERCUBE;
    case SpvDimRect: return image->shadow ? IR_BASE_SAMPLER2DRECTSHADOW : IR_BASE_SAMPLER2DRECT;
    default: return image->shadow ? IR_BASE_SAMPLER2DSHADOW : IR_BASE_SAMPLER2D;
    }
}

bool fe_add_symbol(struct fe_reader *r, struct ir_symtab *table, const char *name, const struct fe_type *type,
                   const struct fe_type *array, const struct fe_inherited *from) {
    if (table->count >= FE_MAX_SYMBOLS)
        return fe_fail(r, "limit", "more than %d names in the shader's interface", FE_MAX_SYMBOLS);
    struct ir_symbol *symbol = ir_add_symbol(r->shader, table, name);
    const struct fe_type *column = type->kind == FE_MATRIX ? type->elem : type;
    const struct fe_type *scalar = column->kind == FE_VECTOR ? column->elem : column;
    switch (scalar->kind) {
    case FE_SAMPLED_IMAGE: symbol->base = sampler_base(type->elem, from->type_name); break;
    case FE_FLOAT: symbol->base = IR_BASE_FLOAT; break;
    case FE_INT: symbol->base = IR_BASE_INT; break;
    default: symbol->base = from->boolean || scalar->kind == FE_BOOL ? IR_BASE_BOOL : IR_BASE_UINT; break;
    }
    symbol->rows = column->kind == FE_VECTOR ? (uint8_t)column->count : 1;
    symbol->cols = type->kind == FE_MATRIX ? (uint8_t)type->count : 1;
    symbol->precision = from->precision;
    symbol->interp = from->interp;
    symbol->invariant = from->invariant;
    symbol->array_len = array ? array->count : 1;
    symbol->is_array = array != NULL;
    symbol->location = from->location;
    symbol->by_location = from->by_location;
    symbol->centroid = from->centroid;
    symbol->block = from->block ? ir_strdup(r->shader->arena, from->block) : NULL;
    if (from->block) {
        symbol->block_offset = from->offset;
        symbol->array_stride = array ? fe_deco(r, array->id)->array_stride : 0;
        symbol->matrix_stride = type->kind == FE_MATRIX ? from->matrix_stride : 0;
        symbol->row_major = type->kind == FE_MATRIX && from->row_major;
    }
    symbol->loc = from->loc;
    table->words += ir_symbol_words(symbol);
    return true;
}

static const char *member_name(const struct fe_type *type, uint32_t member, char *buffer, size_t size) {
    if (type->member_name[member][0])
        return type->member_name[member];
    snprintf(buffer, size, "_m%u", member);
    return buffer;
}

uint32_t fe_member_of_leaf(const struct fe_type *type, uint32_t leaf) {
    uint32_t low = 0, high = type->count - 1;
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (type->member_leaf[middle] <= leaf)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

bool fe_add_leaf_symbols(struct fe_reader *r, struct ir_symtab *table, char *name, size_t size,
                         const struct fe_type *type, uint32_t leaf, struct fe_inherited from) {
    size_t end = strlen(name);
    bool ok = true;
    if (type->kind == FE_STRUCT) {
        uint32_t m = fe_member_of_leaf(type, leaf);
        char spare[16];
        snprintf(name + end, size - end, "%s%s", end ? "." : "", member_name(type, m, spare, sizeof spare));
        ok = fe_add_leaf_symbols(r, table, name, size, type->member[m], leaf - type->member_leaf[m],
                                 fe_inherit_member(r, from, type, m));
    } else if (type->kind == FE_ARRAY && type->elem->kind != FE_STRUCT && type->elem->kind != FE_ARRAY) {
        ok = fe_add_symbol(r, table, name, type->elem, type, &from);
    } else if (type->kind == FE_ARRAY) {
        for (uint32_t k = 0; k < type->count && ok; k++) {
            snprintf(name + end, size - end, "[%u]", k);
            ok = fe_add_leaf_symbols(r, table, name, size, type->elem, leaf, from);
            if (from.location >= 0 && from.location < 2 * MOST_LOCATIONS)
                from.location += locations_of(type->elem);
            from.offset += fe_deco(r, type->id)->array_stride;
        }
    } else {
        ok = fe_add_symbol(r, table, name, type, NULL, &from);
    }
    name[end] = 0;
    return ok;
}

uint32_t fe_driver_value(struct fe_reader *r, struct ir_symtab *table, const char *name) {
    for (uint32_t k = 0; k < table->count; k++)
        if (strcmp(table->sym[k].name, name) == 0)
            return table->sym[k].word;
    struct ir_symbol *symbol = ir_add_symbol(r->shader, table, name);
    symbol->base = IR_BASE_INT;
    symbol->rows = symbol->cols = 1;
    table->words++;
    return symbol->word;
}

/* --- names of blocks ------------------------------------------------------------------------------------ */

bool fe_is_default_block(const struct fe_reader *r, const struct fe_type *type) {
    return type->kind == FE_STRUCT && r->id[type->id].name &&
           strcmp(r->id[type->id].name, "gl_DefaultUniformBlock") == 0;
}

bool fe_is_block(struct fe_reader *r, const struct fe_type *type) {
    while (type->kind == FE_ARRAY)
        type = type->elem;
    return type->kind == FE_STRUCT && !fe_is_default_block(r, type) && fe_deco(r, type->id)->block;
}

const char *fe_block_name(struct fe_reader *r, const struct fe_type *type) {
    bool block = fe_is_block(r, type);
    while (type->kind == FE_ARRAY)
        type = type->elem;
    return block ? r->id[type->id].name : NULL;
}

void fe_root_name(struct fe_reader *r, uint32_t id, const struct fe_type *type, char *name, size_t size) {
    const struct fe_type *base = type;
    while (base->kind == FE_ARRAY)
        base = base->elem;
    const char *own = r->id[id].name ? r->id[id].name : "";
    const char *block = base->kind == FE_STRUCT && r->id[base->id].name ? r->id[base->id].name : "";
    if (base->kind == FE_STRUCT && fe_deco(r, base->id)->block)
        own = fe_is_default_block(r, base) || !own[0] ? "" : block;
    else if (fe_is_default_block(r, base))
        own = "";
    else if (!own[0]) {
        snprintf(name, size, "_%u", id);
        return;
    }
    size_t length = strnlen(own, size - 1);
    memcpy(name, own, length);
    name[length] = 0;
}

/* --- used entries --------------------------------------------------------------------------------------- */

static void use_words(struct ir_symtab *table, uint32_t word, uint32_t count) {
    for (uint32_t k = ir_symbol_at(table, word); k < table->count && table->sym[k].word < word + count; k++)
        table->sym[k].used = true;
}

void fe_use_input(struct fe_reader *r, const struct fe_leaf *leaf) {
    use_words(&r->shader->inputs, leaf->base, leaf->words);
}

/* `used` as the code that is left has it; inputs with a run-time offset were marked when they were read,
 * because their reach is known only there. */
void fe_mark_used(struct fe_reader *r) {
    struct ir_shader *shader = r->shader;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            switch (inst->op) {
            case IR_UNIFORM: {
                const struct ir_slot *slot = &shader->slots[inst->imm];
                if (slot->kind == IR_SLOT_UNIFORM)
                    use_words(&shader->uniforms, slot->value, 1);
                else if (slot->kind == IR_SLOT_TEX)
                    use_words(&shader->samplers, slot->value, 1);
                break;
            }
            case IR_UNIFORM_AT: use_words(&shader->uniforms, inst->imm, inst->aux); break;
            case IR_TEX:
            case IR_BUFFER_AT: use_words(&shader->samplers, inst->imm, 1); break;
            case IR_OUTPUT: use_words(&shader->outputs, inst->imm, 1); break;
            case IR_INPUT:
                if (!inst->nsrc)
                    use_words(&shader->inputs, inst->imm, 1);
                break;
            }
        }
    }
}
