/* Loads, stores and access chains. A pointer is a leaf range and one element number: inside each leaf of the
 * range the pointee's words start at number * (words of the pointee in that leaf), so one number serves all
 * leaves. Its run-time part is an IR value, clamped index by index, so that no access ever leaves its object.
 */
#include "frontend/spirv/reader.h"

#include <string.h>

struct fe_pointer *fe_pointer_to(struct fe_reader *r, struct fe_object *object) {
    struct fe_pointer *pointer = ir_alloc(r->arena, sizeof *pointer);
    *pointer = (struct fe_pointer){.object = object, .type = object->type};
    return pointer;
}

struct fe_pointer *fe_get_pointer(struct fe_reader *r, uint32_t id) {
    if (r->failed)
        return NULL;
    if (id >= r->bound || !r->id[id].pointer) {
        if (id < r->bound && r->id[id].type && r->id[id].type->why)
            fe_unsupported(r, r->id[id].type->why);
        else
            fe_malformed(r);
        return NULL;
    }
    struct fe_pointer *pointer = r->id[id].pointer;
    if (pointer->object->why) {
        fe_fail(r, "unsupported", "'%s' cannot be used, %s: not supported on this hardware",
                fe_name(r, pointer->object->id), pointer->object->why);
        return NULL;
    }
    return pointer;
}

/* value * factor for small non-negative numbers. */
static struct ir_inst *scale(struct fe_reader *r, struct ir_inst *value, uint32_t factor) {
    if (!value || factor == 1)
        return value;
    return ir_op2(&r->b, IR_UMUL24, value, ir_const_i(&r->b, factor));
}

static struct ir_inst *load_builtin(struct fe_reader *r, const struct fe_leaf *leaf, uint32_t word) {
    struct ir_builder *b = &r->b;
    bool fragment = r->shader->stage == QPUCC_FRAGMENT;
    switch (leaf->builtin) {
    case SpvBuiltInFragCoord: {
        if (!fragment || word > 3)
            break;
        struct ir_inst *value = ir_emit(b, IR_BUILTIN, IR_F32, 0, NULL, IR_BUILTIN_FRAG_COORD_X + word, 0);
        if (word > 1)
            return value;
        if (word == 1 && r->upper_left && !r->options->lower_left) {
            struct ir_slot height = {.kind = IR_SLOT_STATE, .type = IR_F32, .value = IR_STATE_FRAME_HEIGHT};
            value = ir_op2(b, IR_FSUB, ir_uniform(b, IR_F32, ir_slot(r->shader, height)), value);
        }
        if (r->pixel_center_integer)
            value = ir_op2(b, IR_FSUB, value, ir_const_f(b, 0.5f));
        return value;
    }
    case SpvBuiltInFrontFacing:
        if (fragment && word == 0 && leaf->type == IR_BOOL)
            return ir_emit(b, IR_BUILTIN, IR_BOOL, 0, NULL, IR_BUILTIN_FRONT_FACING, 0);
        break;
    case SpvBuiltInPointCoord:
        if (fragment && word < 2)
            return ir_emit(b, IR_BUILTIN, IR_F32, 0, NULL, IR_BUILTIN_POINT_COORD_X + word, 0);
        break;
    case SpvBuiltInVertexIndex:
    case SpvBuiltInVertexId:
        if (!fragment && word == 0)
            return ir_emit(b, IR_INPUT, IR_I32, 0, NULL,
                           fe_driver_value(r, &r->shader->inputs, "gl_VertexID"), 0);
        break;
    case SpvBuiltInInstanceIndex:
    case SpvBuiltInInstanceId:
        if (!fragment && word == 0) {
            uint32_t number = fe_driver_value(r, &r->shader->uniforms, "gl_InstanceID");
            struct ir_slot slot = {.kind = IR_SLOT_UNIFORM, .type = IR_I32, .value = number};
            return ir_uniform(b, IR_I32, ir_slot(r->shader, slot));
        }
        break;
    case FE_BUILTIN_LAST_FRAG_DATA: {
        struct ir_inst *packed = ir_emit(b, IR_BUILTIN, IR_I32, 0, NULL, IR_BUILTIN_LAST_FRAG_COLOR, 0);
        return ir_emit(b, IR_UNPACK_8F, IR_F32, 1, &packed, word & 3, 0);
    }
    }
    fe_fail(r, "unsupported", "built-in input %d is not supported on this hardware", leaf->builtin);
    return NULL;
}

/* One word of a leaf: number `word`, plus `run` if there is one. */
static struct ir_inst *load_word(struct fe_reader *r, const struct fe_leaf *leaf, uint32_t word,
                                 struct ir_inst *run) {
    struct ir_builder *b = &r->b;
    uint32_t nsrc = run ? 1 : 0;
    if (word >= leaf->words) {
        fe_malformed(r);
        return NULL;
    }
    switch (leaf->kind) {
    case FE_LEAF_VAR: return ir_emit(b, IR_VAR_LOAD, leaf->type, nsrc, &run, leaf->base, word);
    case FE_LEAF_INPUT:
        if (run)
            fe_use_input(r, leaf);
        return ir_emit(b, IR_INPUT, leaf->type, nsrc, &run, leaf->base + word, 0);
    case FE_LEAF_UNIFORM: {
        struct ir_slot slot = {.kind = IR_SLOT_UNIFORM, .type = leaf->type, .value = leaf->base + word};
        if (leaf->state) {
            slot.kind = IR_SLOT_STATE;
            slot.value = leaf->state - 1;
        } else if (run) {
            return ir_emit(b, IR_UNIFORM_AT, leaf->type, 1, &run, slot.value, leaf->words - word);
        }
        return ir_uniform(b, leaf->type, ir_slot(r->shader, slot));
    }
    case FE_LEAF_SAMPLER: {
        struct ir_inst *number = ir_const_i(b, leaf->base + word);
        return run ? ir_op2(b, IR_IADD, run, number) : number;
    }
    case FE_LEAF_BUILTIN: {
        struct ir_inst *first = load_builtin(r, leaf, word);
        if (!first || !run)
            return first;
        uint32_t count = leaf->words - word;
        struct ir_inst **all = fe_words(r, count);
        all[0] = first;
        for (uint32_t k = 1; k < count && first; k++)
            first = all[k] = load_builtin(r, leaf, word + k);
        return first && !r->failed ? fe_select_index(r, all, count, run) : NULL;
    }
    }
    return NULL;
}

/* The word's name, where it is one of a leaf that nothing else names. */
static void label_word(struct ir_inst *value, const struct fe_leaf *leaf, uint32_t word,
                       const struct ir_inst *run) {
    if (leaf->label && !run && (leaf->kind == FE_LEAF_INPUT || leaf->kind == FE_LEAF_BUILTIN))
        ir_label(value, leaf->label + word);
}

static bool load_part(struct fe_reader *r, struct fe_object *object, const struct fe_type *type,
                      uint32_t leaf, uint32_t fixed, struct ir_inst *run, struct ir_inst **out) {
    if (type->kind == FE_STRUCT) {
        for (uint32_t m = 0; m < type->count; m++)
            if (!load_part(r, object, type->member[m], leaf + type->member_leaf[m], fixed, run,
                           out + type->member_word[m]))
                return false;
        return true;
    }
    if (type->leaves != 1 ||
        (type->kind == FE_ARRAY && type->elem->kind == FE_STRUCT)) { /* an array of structures */
        struct ir_inst *scaled = scale(r, run, type->count);
        for (uint32_t k = 0; k < type->count; k++)
            if (!load_part(r, object, type->elem, leaf, fixed * type->count + k, scaled,
                           out + k * type->elem->words))
                return false;
        return true;
    }
    if (leaf >= object->nleaves)
        return fe_malformed(r);
    struct ir_inst *scaled = scale(r, run, type->words);
    uint8_t precision = r->b.precision;
    if (object->leaf[leaf].kind != FE_LEAF_SAMPLER)
        r->b.precision = object->leaf[leaf].precision > precision ? object->leaf[leaf].precision : precision;
    bool ok = true;
    for (uint32_t k = 0; k < type->words && ok; k++) {
        out[k] = load_word(r, &object->leaf[leaf], fixed * type->words + k, scaled);
        ok = out[k] != NULL;
        if (ok)
            label_word(out[k], &object->leaf[leaf], fixed * type->words + k, scaled);
    }
    r->b.precision = precision;
    return ok;
}

struct ir_inst **fe_load(struct fe_reader *r, const struct fe_pointer *pointer) {
    struct ir_inst **word = fe_words(r, pointer->type->words);
    if (r->failed ||
        !load_part(r, pointer->object, pointer->type, pointer->leaf, pointer->fixed, pointer->run, word))
        return NULL;
    return word;
}

static bool store_part(struct fe_reader *r, struct fe_object *object, const struct fe_type *type,
                       uint32_t leaf, uint32_t fixed, struct ir_inst *run, struct ir_inst *const *in) {
    if (type->kind == FE_STRUCT) {
        for (uint32_t m = 0; m < type->count; m++)
            if (!store_part(r, object, type->member[m], leaf + type->member_leaf[m], fixed, run,
                            in + type->member_word[m]))
                return false;
        return true;
    }
    if (type->leaves != 1 || (type->kind == FE_ARRAY && type->elem->kind == FE_STRUCT)) {
        struct ir_inst *scaled = scale(r, run, type->count);
        for (uint32_t k = 0; k < type->count; k++)
            if (!store_part(r, object, type->elem, leaf, fixed * type->count + k, scaled,
                            in + k * type->elem->words))
                return false;
        return true;
    }
    struct fe_leaf *to = leaf < object->nleaves ? &object->leaf[leaf] : NULL;
    if (!to || to->kind != FE_LEAF_VAR || (fixed + 1) * type->words > to->words)
        return fe_malformed(r);
    struct ir_inst *scaled = scale(r, run, type->words);
    to->stored = true;
    bool exact = r->b.exact;
    r->b.exact |= to->invariant;
    for (uint32_t k = 0; k < type->words; k++) {
        struct ir_inst *src[2] = {fe_as(r, in[k], to->type), scaled};
        if (!src[0])
            return false;
        ir_emit(&r->b, IR_VAR_STORE, IR_VOID, scaled ? 2 : 1, src, to->base, fixed * type->words + k);
    }
    r->b.exact = exact;
    return true;
}

bool fe_store(struct fe_reader *r, const struct fe_pointer *pointer, struct ir_inst *const *word) {
    return store_part(r, pointer->object, pointer->type, pointer->leaf, pointer->fixed, pointer->run, word);
}

/* --- access chains
 * -------------------------------------------------------------------------------------------------- */

static struct ir_inst *clamped(struct fe_reader *r, struct ir_inst *index, uint32_t count) {
    struct ir_inst *low = ir_op2(&r->b, IR_IMAX, index, ir_const_i(&r->b, 0));
    return ir_op2(&r->b, IR_IMIN, low, ir_const_i(&r->b, count - 1));
}

/* One index of a chain: `index` is its value when `run` is NULL. */
static bool step(struct fe_reader *r, struct fe_pointer *p, uint32_t index, struct ir_inst *run) {
    const struct fe_type *type = p->type;
    if (type->kind == FE_STRUCT) {
        if (run || index >= type->count)
            return fe_malformed(r);
        p->leaf += type->member_leaf[index];
        p->type = type->member[index];
        return true;
    }
    if ((type->kind != FE_ARRAY && type->kind != FE_VECTOR && type->kind != FE_MATRIX) || !type->count)
        return fe_malformed(r);
    uint32_t fixed = 0;
    p->run = scale(r, p->run, type->count);
    if (!run) {
        fixed = (int32_t)index < 0 ? 0 : index < type->count ? index : type->count - 1;
    } else if (type->count > 1) {
        const struct fe_object *object = p->object;
        bool uniform = p->leaf < object->nleaves && object->leaf[p->leaf].kind == FE_LEAF_UNIFORM;
        struct ir_inst *safe = uniform ? run : clamped(r, run, type->count); /* UNIFORM_AT clamps by itself */
        p->run = p->run ? ir_op2(&r->b, IR_IADD, p->run, safe) : safe;
    }
    p->fixed = p->fixed * type->count + fixed;
    p->type = type->elem;
    return true;
}

bool fe_access_chain(struct fe_reader *r, const struct fe_inst *inst) {
    const uint32_t *words = fe_operands(r, inst);
    const struct fe_type *declared = fe_type(r, inst->type);
    struct fe_pointer *base = fe_get_pointer(r, words[3]);
    if (!base || !declared || declared->kind != FE_POINTER)
        return r->failed ? false : fe_malformed(r);
    struct fe_pointer *p = ir_alloc(r->arena, sizeof *p);
    *p = *base;
    uint8_t precision = r->b.precision;
    r->b.precision = IR_HIGHP;
    for (uint32_t k = 4; k < inst->count; k++) {
        uint32_t known = 0;
        struct ir_inst *run = NULL;
        if (!fe_constant_u32(r, words[k], &known)) {
            struct ir_inst **index = fe_value_n(r, words[k], 1);
            if (!index || index[0]->type != IR_I32)
                return r->failed ? false : fe_malformed(r);
            if (ir_is_const(index[0]))
                known = index[0]->imm;
            else
                run = index[0];
        }
        if (!step(r, p, known, run))
            return false;
    }
    r->b.precision = precision;
    if (p->type->words != declared->elem->words || p->type->leaves != declared->elem->leaves)
        return fe_malformed(r);
    r->id[inst->result].pointer = p;
    return true;
}
