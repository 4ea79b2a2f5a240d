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

/* One word of a leaf: number `word`, plus `run` if there is one, which is below `reach`. */
static struct ir_inst *load_word(struct fe_reader *r, const struct fe_leaf *leaf, uint32_t word,
                                 struct ir_inst *run, uint32_t reach) {
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
            return ir_emit(b, IR_UNIFORM_AT, leaf->type, 1, &run, slot.value, reach);
        }
        return ir_uniform(b, leaf->type, ir_slot(r->shader, slot));
    }
    case FE_LEAF_SAMPLER: {
        struct ir_inst *number = ir_const_i(b, leaf->base + word);
        return run ? ir_op2(b, IR_IADD, run, number) : number;
    }
    case FE_LEAF_BUFFER: break; /* buffers.c */
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

/* To the first of the elements. */
static void enter(struct fe_reader *r, struct fe_pointer *p) {
    uint32_t count = p->type->count;
    p->run = scale(r, p->run, count);
    p->each *= count;
    p->fixed *= count;
    p->type = p->type->elem;
}

static struct fe_pointer to_member(struct fe_pointer p, uint32_t member) {
    p.leaf += p.type->member_leaf[member];
    p.type = p.type->member[member];
    return p;
}

static bool has_parts(const struct fe_type *type) {
    return type->leaves != 1 || (type->kind == FE_ARRAY && type->elem->kind == FE_STRUCT);
}

/* How far from the pointee's first word the run-time part may lead, exclusively: where the last index leads
 * to the last element. It is the same for all words of an element, so that they are limited together; 0:
 * nowhere. */
static uint32_t reach_of(const struct fe_leaf *leaf, const struct fe_pointer *p) {
    uint32_t words = p->type->words, end = (p->fixed - p->fixed % p->each + p->each) * words;
    return end <= leaf->words ? leaf->words - end + 1 : 0;
}

static bool load_part(struct fe_reader *r, struct fe_pointer p, struct ir_inst **out) {
    if (!p.type->words) /* however many of nothing */
        return true;
    if (p.type->kind == FE_STRUCT) {
        for (uint32_t m = 0; m < p.type->count; m++)
            if (!load_part(r, to_member(p, m), out + p.type->member_word[m]))
                return false;
        return true;
    }
    if (has_parts(p.type)) {
        uint32_t count = p.type->count;
        enter(r, &p);
        for (uint32_t k = 0; k < count; k++, p.fixed++)
            if (!load_part(r, p, out + k * p.type->words))
                return false;
        return true;
    }
    const struct fe_leaf *leaf = p.leaf < p.object->nleaves ? &p.object->leaf[p.leaf] : NULL;
    uint32_t words = p.type->words, reach = leaf && p.run ? reach_of(leaf, &p) : 1;
    if (!leaf || !reach)
        return fe_malformed(r);
    struct ir_inst *scaled = scale(r, p.run, words);
    uint8_t precision = r->b.precision;
    if (leaf->kind != FE_LEAF_SAMPLER)
        r->b.precision = leaf->precision > precision ? leaf->precision : precision;
    bool ok = true;
    for (uint32_t k = 0; k < words && ok; k++) {
        out[k] = load_word(r, leaf, p.fixed * words + k, scaled, reach);
        ok = out[k] != NULL;
        if (ok)
            label_word(out[k], leaf, p.fixed * words + k, scaled);
    }
    r->b.precision = precision;
    return ok;
}

static bool is_buffer(const struct fe_object *object) {
    return object->nleaves && object->leaf[0].kind == FE_LEAF_BUFFER;
}

struct ir_inst **fe_load(struct fe_reader *r, const struct fe_pointer *pointer) {
    struct ir_inst **word = fe_words(r, pointer->type->words);
    bool ok = !r->failed &&
              (is_buffer(pointer->object) ? fe_buffer_load(r, pointer, word) : load_part(r, *pointer, word));
    return ok ? word : NULL;
}

static bool store_part(struct fe_reader *r, struct fe_pointer p, struct ir_inst *const *in) {
    if (!p.type->words) /* however many of nothing */
        return true;
    if (p.type->kind == FE_STRUCT) {
        for (uint32_t m = 0; m < p.type->count; m++)
            if (!store_part(r, to_member(p, m), in + p.type->member_word[m]))
                return false;
        return true;
    }
    if (has_parts(p.type)) {
        uint32_t count = p.type->count;
        enter(r, &p);
        for (uint32_t k = 0; k < count; k++, p.fixed++)
            if (!store_part(r, p, in + k * p.type->words))
                return false;
        return true;
    }
    uint32_t words = p.type->words;
    struct fe_leaf *to = p.leaf < p.object->nleaves ? &p.object->leaf[p.leaf] : NULL;
    if (!to || to->kind != FE_LEAF_VAR || (p.fixed + 1) * words > to->words)
        return fe_malformed(r);
    struct ir_inst *scaled = scale(r, p.run, words);
    to->stored = true;
    bool exact = r->b.exact;
    r->b.exact |= to->invariant;
    for (uint32_t k = 0; k < words; k++) {
        struct ir_inst *src[2] = {fe_as(r, in[k], to->type), scaled};
        if (!src[0])
            return false;
        ir_emit(&r->b, IR_VAR_STORE, IR_VOID, scaled ? 2 : 1, src, to->base, p.fixed * words + k);
    }
    r->b.exact = exact;
    return true;
}

bool fe_store(struct fe_reader *r, const struct fe_pointer *pointer, struct ir_inst *const *word) {
    return store_part(r, *pointer, word);
}

/* --- access chains -------------------------------------------------------------------------------------- */

static struct ir_inst *clamped(struct fe_reader *r, struct ir_inst *index, uint32_t count) {
    struct ir_inst *low = ir_op2(&r->b, IR_IMAX, index, ir_const_i(&r->b, 0));
    return ir_op2(&r->b, IR_IMIN, low, ir_const_i(&r->b, count - 1));
}

/* One index of a chain: `index` is its value when `run` is NULL. */
static bool step(struct fe_reader *r, struct fe_pointer *p, uint32_t index, struct ir_inst *run) {
    const struct fe_type *type = p->type;
    if (is_buffer(p->object))
        return fe_buffer_step(r, p, index, run);
    if (type->kind == FE_STRUCT) {
        if (run || index >= type->count)
            return fe_malformed(r);
        *p = to_member(*p, index);
        return true;
    }
    if ((type->kind != FE_ARRAY && type->kind != FE_VECTOR && type->kind != FE_MATRIX) || !type->count)
        return fe_malformed(r);
    enter(r, p);
    if (!run) {
        p->fixed += (int32_t)index < 0 ? 0 : index < type->count ? index : type->count - 1;
    } else if (type->count > 1) {
        const struct fe_object *object = p->object;
        bool uniform = p->leaf < object->nleaves && object->leaf[p->leaf].kind == FE_LEAF_UNIFORM;
        struct ir_inst *safe = uniform ? run : clamped(r, run, type->count); /* UNIFORM_AT clamps by itself */
        p->run = p->run ? ir_op2(&r->b, IR_IADD, p->run, safe) : safe;
        p->each = 1;
    }
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
