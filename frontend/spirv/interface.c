/* The module's variables: objects with leaves, and the outputs at the shader's end.
 *
 * A leaf (a basic type and the arrays around it) takes one run of words, so that a run-time index at any
 * level above it is a stride. Its entries in the interface tables are made in symbols.c. */
#include "frontend/spirv/reader.h"

#include <stdio.h>
#include <string.h>

/* --- objects -------------------------------------------------------------------------------------------- */

static void fill_leaves(struct fe_reader *r, struct fe_object *object, const struct fe_type *type,
                        uint32_t leaf, uint32_t times, struct fe_inherited from) {
    if (type->kind == FE_STRUCT) {
        for (uint32_t k = 0; k < type->count; k++)
            fill_leaves(r, object, type->member[k], leaf + type->member_leaf[k], times,
                        fe_inherit_member(r, from, type, k));
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
                                    uint32_t storage, struct fe_inherited from) {
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
    struct fe_inherited from = {.location = -1, .builtin = FE_BUILTIN_NONE};
    fe_inherit_deco(r, &from, fe_deco(r, id));
    from.builtin = FE_BUILTIN_NONE;
    struct fe_object *object = new_object(r, type, id, SpvStorageClassFunction, from);
    return make_vars(r, object, name) ? object : NULL;
}

/* gl_DepthRange: a structure of three floats that the driver fills, by whatever block it comes in. */
static uint32_t depth_range_leaf(struct fe_reader *r, const struct fe_object *object, uint32_t leaf) {
    const struct fe_type *type = object->type;
    if (type->kind == FE_STRUCT && fe_is_default_block(r, type)) {
        uint32_t m = fe_member_of_leaf(type, leaf);
        bool range = strcmp(type->member_name[m], "gl_DepthRange") == 0 && type->member[m]->leaves == 3 &&
                     type->member[m]->words == 3;
        return range ? 1 + IR_STATE_DEPTH_NEAR + (leaf - type->member_leaf[m]) : 0;
    }
    if (strcmp(fe_name(r, object->id), "gl_DepthRange") == 0 && type->leaves == 3 && type->words == 3)
        return 1 + IR_STATE_DEPTH_NEAR + leaf;
    return 0;
}

/* GLSL's array of what the tile buffer holds. */
static bool is_last_color(const struct fe_reader *r, const char *name) {
    return r->shader->stage == QPUCC_FRAGMENT && strcmp(name, "gl_LastFragData") == 0;
}

static bool uniform_symbols(struct fe_reader *r, struct fe_object *object, struct fe_inherited from) {
    char name[1024];
    fe_root_name(r, object->id, object->type, name, sizeof name);
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
        if (!leaf->state && !fe_add_leaf_symbols(r, table, name, sizeof name, object->type, k, from))
            return false;
    }
    return true;
}

static bool input_symbols(struct fe_reader *r, struct fe_object *object, struct fe_inherited from) {
    char name[1024];
    fe_root_name(r, object->id, object->type, name, sizeof name);
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
        if (!fe_add_leaf_symbols(r, &r->shader->inputs, name, sizeof name, object->type, k, from))
            return false;
    }
    return true;
}

/* Several variables may share a location then, by which stages are linked and attributes are found. */
static bool shares_location(struct fe_reader *r, uint32_t id, const struct fe_type *type) {
    bool shares = fe_deco(r, id)->component;
    while (type->kind == FE_ARRAY)
        type = type->elem;
    for (uint32_t k = 0; type->kind == FE_STRUCT && k < type->count; k++)
        shares |= type->member_deco[k].component != 0;
    return shares;
}

static bool global(struct fe_reader *r, uint32_t id) {
    const struct fe_type *pointer = r->id[id].type;
    if (!pointer || pointer->kind != FE_POINTER)
        return fe_malformed(r);
    const struct fe_type *type = pointer->elem;
    struct fe_inherited from = fe_root_inherited(r, id);
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
    else if (!why && shares_location(r, id, type))
        why = "variable that begins inside of a location";
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
    struct fe_inherited from = fe_root_inherited(r, object->id);
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
    if (!fe_add_symbol(r, &r->shader->outputs, name, one, NULL, &from))
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
    struct fe_inherited from = fe_root_inherited(r, object->id);
    fe_root_name(r, object->id, object->type, name, sizeof name);
    struct ir_symtab *outputs = &r->shader->outputs;
    uint32_t word = outputs->words, first = outputs->count;
    if (!fe_add_leaf_symbols(r, outputs, name, sizeof name, object->type, k, from))
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
