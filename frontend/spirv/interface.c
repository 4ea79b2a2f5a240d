/* The module's variables: objects with leaves, and the shader's interface tables in GL's terms.
 *
 * A leaf (a basic type and the arrays around it) takes one run of words, so that a run-time index at any
 * level above it is a stride. GL's names enumerate structures and arrays of structures, so one leaf may be
 * several consecutive table entries ("light[0].pos", "light[1].pos"). */
#include "frontend/spirv/reader.h"

#include <stdio.h>
#include <string.h>

/* What a variable's declaration hands down to its leaves. */
struct inherited {
    uint8_t precision, interp;
    bool invariant, boolean, by_location, centroid;
    const char *block;              /* uniforms: NULL outside of blocks, */
    uint32_t offset, matrix_stride; /* in there */
    bool row_major;
    const char *type_name; /* as the source has it, or NULL */
    int32_t location, builtin;
    struct ir_loc loc;
};

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

static void inherit_side(struct fe_reader *r, struct inherited *to, const char *name, bool member) {
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

static void inherit_deco(struct fe_reader *r, struct inherited *to, const struct fe_deco *deco) {
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

static struct inherited inherit_member(struct fe_reader *r, struct inherited from, const struct fe_type *type,
                                       uint32_t member) {
    struct inherited to = from;
    char name[256];
    const char *type_name = r->id[type->id].name ? r->id[type->id].name : "";
    for (uint32_t m = 0; m < member && to.location >= 0 && to.location < 2 * MOST_LOCATIONS; m++)
        to.location += locations_of(type->member[m]);
    inherit_deco(r, &to, &type->member_deco[member]);
    if (strcmp(type_name, "gl_DefaultUniformBlock") == 0) {
        inherit_side(r, &to, type->member_name[member], false);
    } else {
        snprintf(name, sizeof name, "%s.%s", type_name, type->member_name[member]);
        inherit_side(r, &to, name, true);
    }
    return to;
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

static bool add_symbol(struct fe_reader *r, struct ir_symtab *table, const char *name,
                       const struct fe_type *type, const struct fe_type *array,
                       const struct inherited *from) {
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

/* The member of a structure that holds the leaf. */
static uint32_t member_of_leaf(const struct fe_type *type, uint32_t leaf) {
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

/* The entries of leaf `leaf` of `type`, in memory order. `name` is what leads there; it may grow in place. */
static bool add_leaf_symbols(struct fe_reader *r, struct ir_symtab *table, char *name, size_t size,
                             const struct fe_type *type, uint32_t leaf, struct inherited from) {
    size_t end = strlen(name);
    bool ok = true;
    if (type->kind == FE_STRUCT) {
        uint32_t m = member_of_leaf(type, leaf);
        char spare[16];
        snprintf(name + end, size - end, "%s%s", end ? "." : "", member_name(type, m, spare, sizeof spare));
        ok = add_leaf_symbols(r, table, name, size, type->member[m], leaf - type->member_leaf[m],
                              inherit_member(r, from, type, m));
    } else if (type->kind == FE_ARRAY && type->elem->kind != FE_STRUCT && type->elem->kind != FE_ARRAY) {
        ok = add_symbol(r, table, name, type->elem, type, &from);
    } else if (type->kind == FE_ARRAY) {
        for (uint32_t k = 0; k < type->count && ok; k++) {
            snprintf(name + end, size - end, "[%u]", k);
            ok = add_leaf_symbols(r, table, name, size, type->elem, leaf, from);
            if (from.location >= 0 && from.location < 2 * MOST_LOCATIONS)
                from.location += locations_of(type->elem);
            from.offset += fe_deco(r, type->id)->array_stride;
        }
    } else {
        ok = add_symbol(r, table, name, type, NULL, &from);
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

/* --- objects -------------------------------------------------------------------------------------------- */

static void fill_leaves(struct fe_reader *r, struct fe_object *object, const struct fe_type *type,
                        uint32_t leaf, uint32_t times, struct inherited from) {
    if (type->kind == FE_STRUCT) {
        for (uint32_t k = 0; k < type->count; k++)
            fill_leaves(r, object, type->member[k], leaf + type->member_leaf[k], times,
                        inherit_member(r, from, type, k));
    } else if (type->kind == FE_ARRAY) {
        fill_leaves(r, object, type->elem, leaf, times * type->count, from);
    } else if (type->leaves) {
        object->leaf[leaf] = (struct fe_leaf){
            .type = type->scalar,
            .precision = from.precision,
            .words = type->words * times,
            .builtin = from.builtin,
            .invariant = from.invariant,
        };
        if (type->kind == FE_IMAGE || type->kind == FE_SAMPLER)
            object->why = "texture apart from its sampler";
        if (type->kind == FE_SAMPLED_IMAGE)
            object->leaf[leaf].kind = FE_LEAF_SAMPLER;
    }
}

static struct fe_object *new_object(struct fe_reader *r, const struct fe_type *type, uint32_t id,
                                    uint32_t storage, struct inherited from) {
    struct fe_object *object = ir_alloc(r->arena, sizeof *object);
    object->type = type;
    object->id = id;
    object->storage = storage;
    object->nleaves = type->leaves;
    object->leaf = ir_alloc(r->arena, (type->leaves ? type->leaves : 1) * sizeof *object->leaf);
    fill_leaves(r, object, type, 0, 1, from);
    return object;
}

/* A structure without a name of its own (gl_PerVertex) goes by its member's. */
static const char *leaf_name(const struct fe_type *type, uint32_t leaf, const char *name) {
    if (name[0] != '(' || type->kind != FE_STRUCT)
        return name;
    for (uint32_t m = 0; m < type->count; m++)
        if (leaf >= type->member_leaf[m] && leaf - type->member_leaf[m] < type->member[m]->leaves &&
            type->member_name[m][0])
            return type->member_name[m];
    return name;
}

/* Labels for the leaves of `type`, whose path in the source `name` is (in a buffer with room for more). */
static void label_leaves(struct fe_reader *r, struct fe_object *object, const struct fe_type *type,
                         uint32_t leaf, char *name, size_t size) {
    size_t length = strlen(name);
    if (type->kind == FE_STRUCT) {
        for (uint32_t m = 0; m < type->count; m++) {
            const char *dot = length && name[0] != '(' ? "." : "";
            snprintf(name + (*dot ? length : 0), size - (*dot ? length : 0), "%s%s", dot,
                     type->member_name[m] ? type->member_name[m] : "?");
            label_leaves(r, object, type->member[m], leaf + type->member_leaf[m], name, size);
            name[length] = 0;
        }
        return;
    }
    if (type->kind == FE_ARRAY) {
        const struct fe_type *elem = type->elem;
        while (elem->kind == FE_ARRAY)
            elem = elem->elem;
        if (elem->kind == FE_STRUCT)
            snprintf(name + length, size - length, "[]");
        label_leaves(r, object, elem, leaf, name, size);
        name[length] = 0;
        return;
    }
    uint32_t rows = type->kind == FE_MATRIX ? type->elem->count : type->kind == FE_VECTOR ? type->count : 1;
    if (leaf < object->nleaves && object->leaf[leaf].kind != FE_LEAF_SAMPLER)
        object->leaf[leaf].label = ir_add_labels(r->shader, name, object->leaf[leaf].words, (uint8_t)rows,
                                                 type->kind == FE_MATRIX ? (uint8_t)type->count : 1);
}

void fe_label(struct fe_reader *r, struct fe_object *object, const char *name) {
    char path[256];
    bool unnamed = name[0] == '(' && object->type->kind != FE_STRUCT; /* members have names of their own */
    if (!r->options->labels || unnamed)
        return;
    snprintf(path, sizeof path, "%.*s", (int)sizeof path - 1, name);
    label_leaves(r, object, object->type, 0, path, sizeof path);
}

static bool make_vars(struct fe_reader *r, struct fe_object *object, const char *name) {
    fe_label(r, object, name);
    for (uint32_t k = 0; k < object->nleaves; k++) {
        struct fe_leaf *leaf = &object->leaf[k];
        if (leaf->kind == FE_LEAF_SAMPLER || leaf->words == 0)
            continue;
        r->var_words += leaf->words;
        if (r->var_words > FE_MAX_VAR_WORDS || r->shader->nvars >= FE_MAX_VAR_WORDS / 4)
            return fe_fail(r, "limit", "the shader's variables take more than %d words", FE_MAX_VAR_WORDS);
        leaf->kind = FE_LEAF_VAR;
        leaf->base = ir_add_var(r->shader, leaf_name(object->type, k, name), leaf->type, leaf->words);
        r->shader->vars[leaf->base].precision = leaf->precision;
        r->shader->vars[leaf->base].label = leaf->label;
    }
    return true;
}

struct fe_object *fe_new_local(struct fe_reader *r, const struct fe_type *type, uint32_t id,
                               const char *name) {
    struct inherited from = {.location = -1, .builtin = FE_BUILTIN_NONE};
    inherit_deco(r, &from, fe_deco(r, id));
    from.builtin = FE_BUILTIN_NONE;
    struct fe_object *object = new_object(r, type, id, SpvStorageClassFunction, from);
    return make_vars(r, object, name) ? object : NULL;
}

bool fe_is_default_block(const struct fe_reader *r, const struct fe_type *type) {
    return type->kind == FE_STRUCT && r->id[type->id].name &&
           strcmp(r->id[type->id].name, "gl_DefaultUniformBlock") == 0;
}

/* How GL names what is inside: a block by the block's name if it has an instance name, by nothing if not. */
static void root_name(struct fe_reader *r, uint32_t id, const struct fe_type *type, char *name, size_t size) {
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

/* gl_DepthRange: a structure of three floats that the driver fills, by whatever block it comes in. */
static uint32_t depth_range_leaf(struct fe_reader *r, const struct fe_object *object, uint32_t leaf) {
    const struct fe_type *type = object->type;
    if (type->kind == FE_STRUCT && fe_is_default_block(r, type)) {
        uint32_t m = member_of_leaf(type, leaf);
        bool range = strcmp(type->member_name[m], "gl_DepthRange") == 0 && type->member[m]->leaves == 3 &&
                     type->member[m]->words == 3;
        return range ? 1 + IR_STATE_DEPTH_NEAR + (leaf - type->member_leaf[m]) : 0;
    }
    if (strcmp(fe_name(r, object->id), "gl_DepthRange") == 0 && type->leaves == 3 && type->words == 3)
        return 1 + IR_STATE_DEPTH_NEAR + leaf;
    return 0;
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

/* GLSL's array of what the tile buffer holds. */
static bool is_last_color(const struct fe_reader *r, const char *name) {
    return r->shader->stage == QPUCC_FRAGMENT && strcmp(name, "gl_LastFragData") == 0;
}

static bool uniform_symbols(struct fe_reader *r, struct fe_object *object, struct inherited from) {
    char name[1024];
    root_name(r, object->id, object->type, name, sizeof name);
    from.block = fe_block_name(r, object->type);
    if (r->options->blocks_in_buffers && object->storage == SpvStorageClassUniform &&
        fe_is_block(r, object->type))
        return fe_buffer_symbol(r, object, from.loc);
    for (uint32_t k = 0; k < object->nleaves; k++) {
        struct fe_leaf *leaf = &object->leaf[k];
        struct ir_symtab *table = leaf->kind == FE_LEAF_SAMPLER ? &r->shader->samplers : &r->shader->uniforms;
        if (leaf->kind != FE_LEAF_SAMPLER)
            leaf->kind = FE_LEAF_UNIFORM;
        leaf->state = depth_range_leaf(r, object, k);
        if (is_last_color(r, name)) {
            leaf->builtin = FE_BUILTIN_LAST_FRAG_DATA;
            leaf->kind = FE_LEAF_BUILTIN;
            continue;
        }
        leaf->base = table->words;
        if (!leaf->state && !add_leaf_symbols(r, table, name, sizeof name, object->type, k, from))
            return false;
    }
    return true;
}

static bool input_symbols(struct fe_reader *r, struct fe_object *object, struct inherited from) {
    char name[1024];
    root_name(r, object->id, object->type, name, sizeof name);
    fe_label(r, object, name);
    for (uint32_t k = 0; k < object->nleaves; k++) {
        struct fe_leaf *leaf = &object->leaf[k];
        if (is_last_color(r, name))
            leaf->builtin = FE_BUILTIN_LAST_FRAG_DATA;
        if (leaf->builtin != FE_BUILTIN_NONE) {
            leaf->kind = FE_LEAF_BUILTIN;
            continue;
        }
        leaf->kind = FE_LEAF_INPUT;
        leaf->base = r->shader->inputs.words;
        if (!add_leaf_symbols(r, &r->shader->inputs, name, sizeof name, object->type, k, from))
            return false;
    }
    return true;
}

static struct inherited root_inherited(struct fe_reader *r, uint32_t id) {
    struct inherited from = {.location = -1, .builtin = FE_BUILTIN_NONE};
    inherit_deco(r, &from, fe_deco(r, id));
    inherit_side(r, &from, fe_name(r, id), false);
    return from;
}

static bool global(struct fe_reader *r, uint32_t id) {
    const struct fe_type *pointer = r->id[id].type;
    if (!pointer || pointer->kind != FE_POINTER)
        return fe_malformed(r);
    const struct fe_type *type = pointer->elem;
    struct inherited from = root_inherited(r, id);
    struct fe_object *object;
    const char *why = type->why;
    bool ok = true;
    bool storage_block = pointer->storage == SpvStorageClassUniform && fe_deco(r, type->id)->buffer_block;
    switch (pointer->storage) {
    case SpvStorageClassUniform:
    case SpvStorageClassUniformConstant:
    case SpvStorageClassPushConstant:
    case SpvStorageClassInput:
    case SpvStorageClassOutput:
    case SpvStorageClassPrivate: break;
    case SpvStorageClassStorageBuffer: why = "shader storage block"; break;
    case SpvStorageClassWorkgroup: why = "shared variable"; break;
    case SpvStorageClassAtomicCounter: why = "atomic counter"; break;
    default: why = "storage class of this variable"; break;
    }
    if (storage_block)
        why = "shader storage block";
    if (why) {
        object = ir_alloc(r->arena, sizeof *object);
        *object = (struct fe_object){.type = type, .id = id, .storage = pointer->storage, .why = why};
    } else {
        object = new_object(r, type, id, pointer->storage, from);
        if (object->why)
            ok = true;
        else if (pointer->storage == SpvStorageClassInput)
            ok = input_symbols(r, object, from);
        else if (pointer->storage == SpvStorageClassOutput || pointer->storage == SpvStorageClassPrivate)
            ok = make_vars(r, object, fe_name(r, id));
        else
            ok = uniform_symbols(r, object, from);
        object->output = pointer->storage == SpvStorageClassOutput;
    }
    r->objects = fe_grow(r, r->objects, r->nobjects, &r->cap_objects, sizeof *r->objects);
    r->objects[r->nobjects++] = object;
    r->id[id].pointer = fe_pointer_to(r, object);
    return ok;
}

bool fe_interface(struct fe_reader *r) {
    for (uint32_t k = 0; k < r->nglobals; k++)
        if (!global(r, r->globals[k]) || ir_arena_oom(r->arena))
            return r->failed ? false : fe_too_large(r);
    return true;
}

/* --- outputs -------------------------------------------------------------------------------------------- */

struct output_how {
    bool exact, clamped; /* clamped: to 0 .. 1 */
};

static void emit_outputs(struct fe_reader *r, const struct fe_leaf *leaf, uint32_t words, uint32_t table_word,
                         struct output_how how) {
    r->b.precision = leaf->precision;
    r->b.exact = how.exact;
    for (uint32_t k = 0; k < words; k++) {
        struct ir_inst *value = ir_emit(&r->b, IR_VAR_LOAD, leaf->type, 0, NULL, leaf->base, k);
        if (how.clamped)
            value = ir_op1(&r->b, IR_FSAT, value);
        ir_emit(&r->b, IR_OUTPUT, IR_VOID, 1, &value, table_word + k, 0);
    }
    r->b.precision = IR_HIGHP;
    r->b.exact = false;
}

static bool clip_distances(struct fe_reader *r, const struct fe_leaf *leaf) {
    if (leaf->type != IR_F32 || leaf->words == 0)
        return fe_malformed(r);
    if (leaf->words > QPUCC_MAX_CLIP_PLANES)
        return fe_fail(r, "unsupported", "gl_ClipDistance has %u elements, but %d are the most", leaf->words,
                       QPUCC_MAX_CLIP_PLANES);
    struct ir_symbol *symbol = ir_add_symbol(r->shader, &r->shader->outputs, "gl_ClipDistance");
    symbol->base = IR_BASE_FLOAT;
    symbol->rows = symbol->cols = 1;
    symbol->is_array = true;
    symbol->array_len = leaf->words;
    symbol->precision = leaf->precision;
    r->shader->outputs.words += leaf->words;
    emit_outputs(r, leaf, leaf->words, symbol->word, (struct output_how){0});
    return true;
}

static bool builtin_output(struct fe_reader *r, const struct fe_leaf *leaf) {
    static const struct {
        int32_t builtin;
        const char *name;
        uint8_t rows;
        bool vertex;
    } known[] = {
        {SpvBuiltInPosition, "gl_Position", 4, true},
        {SpvBuiltInPointSize, "gl_PointSize", 1, true},
        {SpvBuiltInFragDepth, "gl_FragDepth", 1, false},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (leaf->builtin != known[k].builtin || (r->shader->stage != QPUCC_FRAGMENT) != known[k].vertex)
            continue;
        if (leaf->words != known[k].rows || leaf->type != IR_F32)
            return fe_malformed(r);
        struct ir_symbol *symbol = ir_add_symbol(r->shader, &r->shader->outputs, known[k].name);
        symbol->base = IR_BASE_FLOAT;
        symbol->rows = known[k].rows;
        symbol->cols = 1;
        symbol->precision = leaf->precision;
        symbol->invariant = leaf->invariant;
        r->shader->outputs.words += known[k].rows;
        emit_outputs(r, leaf, leaf->words, symbol->word, (struct output_how){.exact = symbol->invariant});
        return true;
    }
    if (leaf->builtin == SpvBuiltInClipDistance && r->shader->stage == QPUCC_VERTEX)
        return clip_distances(r, leaf);
    if (leaf->builtin == SpvBuiltInCullDistance)
        return fe_unsupported(r, "gl_CullDistance");
    return fe_fail(r, "unsupported", "built-in output %d is not supported on this hardware", leaf->builtin);
}

/* One colour, and a second for factors of blending (dual source). */
static bool colour_output(struct fe_reader *r, const struct fe_object *object, bool have[2]) {
    const struct fe_type *type = object->type;
    const struct fe_type *one = type->kind == FE_ARRAY ? type->elem : type;
    struct inherited from = root_inherited(r, object->id);
    const struct fe_deco *deco = fe_deco(r, object->id);
    if (object->nleaves != 1 || (one->kind != FE_VECTOR && one->kind != FE_FLOAT) || one->scalar != IR_F32)
        return fe_fail(r, "unsupported", "colour output '%s': only floating-point vectors can be written",
                       fe_name(r, object->id));
    bool second = deco->index == 1;
    if (deco->index > 1 || have[second] || deco->location > 0 || (type->kind == FE_ARRAY && type->count > 1))
        return fe_fail(r, "unsupported", "colour output '%s': the hardware has one colour target",
                       fe_name(r, object->id));
    have[second] = true;
    const char *name = second ? "gl_SecondaryFragColor" : "gl_FragColor";
    if (!add_symbol(r, &r->shader->outputs, name, one, NULL, &from))
        return false;
    emit_outputs(r, object->leaf, one->words, r->shader->outputs.words - one->words,
                 (struct output_how){.exact = from.invariant});
    return true;
}

/* The colours that a vertex shader of desktop GLSL writes are clamped (GL 2.1 section 2.14.6). */
static bool is_clamped(const struct fe_reader *r, const char *name) {
    static const char *const colors[] = {"gl_FrontColor", "gl_BackColor", "gl_FrontSecondaryColor",
                                         "gl_BackSecondaryColor"};
    for (size_t k = 0; k < sizeof colors / sizeof *colors && r->desktop; k++)
        if (strcmp(name, colors[k]) == 0)
            return true;
    return false;
}

static bool varying_output(struct fe_reader *r, const struct fe_object *object, uint32_t k) {
    char name[1024];
    struct inherited from = root_inherited(r, object->id);
    root_name(r, object->id, object->type, name, sizeof name);
    struct ir_symtab *outputs = &r->shader->outputs;
    uint32_t word = outputs->words, first = outputs->count;
    if (!add_leaf_symbols(r, outputs, name, sizeof name, object->type, k, from))
        return false;
    if (object->leaf[k].stored)
        emit_outputs(r, &object->leaf[k], object->leaf[k].words, word,
                     (struct output_how){from.invariant, is_clamped(r, outputs->sym[first].name)});
    return true;
}

bool fe_finish_outputs(struct fe_reader *r) {
    bool have_colour[2] = {false, false};
    for (uint32_t o = 0; o < r->nobjects && !r->failed; o++) {
        struct fe_object *object = r->objects[o];
        if (!object->output || object->why)
            continue;
        for (uint32_t k = 0; k < object->nleaves && !r->failed; k++) {
            struct fe_leaf *leaf = &object->leaf[k];
            if (leaf->builtin != FE_BUILTIN_NONE) {
                if (leaf->stored)
                    builtin_output(r, leaf);
            } else if (r->shader->stage == QPUCC_FRAGMENT) {
                if (leaf->stored)
                    colour_output(r, object, have_colour);
            } else {
                varying_output(r, object, k);
            }
        }
    }
    return !r->failed;
}

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
