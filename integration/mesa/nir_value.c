/* NIR's values as SPIR-V's: kinds, constants, swizzles, casts. */
#include "nir_translate.h"

uint32_t fail(struct translation *t, const char *why) {
    if (!t->why)
        t->why = why;
    return spirv_undef(&t->m, KIND_FLOAT, 1);
}

uint32_t type_of(struct translation *t, enum spirv_kind kind, uint32_t count) {
    return spirv_type(&t->m, kind, count);
}

static void relax(struct translation *t, const nir_ssa_def *def, uint32_t id) {
    if (def && is_relaxed(t, def))
        SPIRV_PUT(&t->m, SECTION_DECORATIONS, SpvOpDecorate, id, SpvDecorationRelaxedPrecision);
}

uint32_t emit(struct translation *t, const nir_ssa_def *def, uint32_t op, uint32_t type, uint32_t count,
              const uint32_t *operand) {
    uint32_t id = spirv_op(&t->m, op, type, count, operand);
    relax(t, def, id);
    return id;
}

uint32_t emit_ext(struct translation *t, const nir_ssa_def *def, uint32_t which, uint32_t type,
                  uint32_t count, const uint32_t *operand) {
    uint32_t id = spirv_ext(&t->m, which, type, count, operand);
    relax(t, def, id);
    return id;
}

void define(struct translation *t, const nir_ssa_def *def, uint32_t id, enum spirv_kind kind) {
    t->value[def->index].id = id;
    t->value[def->index].kind = kind;
}

uint32_t extract(struct translation *t, uint32_t id, enum spirv_kind kind, uint32_t component) {
    return SPIRV_OP(&t->m, SpvOpCompositeExtract, type_of(t, kind, 1), id, component);
}

uint32_t construct(struct translation *t, const nir_ssa_def *def, enum spirv_kind kind, uint32_t count,
                   const uint32_t *part) {
    return count == 1 ? part[0] : emit(t, def, SpvOpCompositeConstruct, type_of(t, kind, count), count, part);
}

static bool identity(const uint8_t *swizzle, uint32_t count) {
    for (uint32_t k = 0; k < count; k++)
        if (swizzle[k] != k)
            return false;
    return true;
}

static uint32_t pick(struct translation *t, uint32_t id, enum spirv_kind kind, uint32_t from,
                     const uint8_t *swizzle, uint32_t count) {
    uint32_t operand[6] = {id, id, id, id};
    if (from == count && identity(swizzle, count))
        return id;
    if (from == 1)
        return spirv_op(&t->m, SpvOpCompositeConstruct, type_of(t, kind, count), count, operand);
    if (count == 1)
        return extract(t, id, kind, swizzle[0]);
    for (uint32_t k = 0; k < count; k++)
        operand[2 + k] = swizzle[k];
    return spirv_op(&t->m, SpvOpVectorShuffle, type_of(t, kind, count), 2 + count, operand);
}

uint32_t use(struct translation *t, const nir_ssa_def *def, const uint8_t *swizzle, uint32_t count,
             enum spirv_kind kind) {
    if (def->parent_instr->type == nir_instr_type_load_const) {
        const nir_load_const_instr *constant = nir_instr_as_load_const(def->parent_instr);
        uint32_t bits[4] = {0};
        for (uint32_t k = 0; k < count; k++)
            bits[k] =
                constant->def.bit_size == 1 ? constant->value[swizzle[k]].b : constant->value[swizzle[k]].u32;
        return spirv_constant(&t->m, kind, count, bits);
    }
    if (def->parent_instr->type == nir_instr_type_ssa_undef)
        return spirv_undef(&t->m, kind, count);
    const struct value *value = &t->value[def->index];
    if (!value->id)
        return fail(t, "a value that nothing defines");
    enum spirv_kind have = (enum spirv_kind)value->kind;
    uint32_t id = pick(t, value->id, have, def->num_components, swizzle, count);
    if (have == kind)
        return id;
    if (have == KIND_BOOL || kind == KIND_BOOL)
        return fail(t, "a boolean used as a number");
    return SPIRV_OP(&t->m, SpvOpBitcast, type_of(t, kind, count), id);
}

uint32_t use_src(struct translation *t, const nir_src *src, enum spirv_kind kind) {
    static const uint8_t all[4] = {0, 1, 2, 3};
    return use(t, src->ssa, all, src->ssa->num_components, kind);
}

/* --- kinds ---------------------------------------------------------------------------------------------- */

static enum spirv_kind produced(nir_alu_type type) {
    switch (nir_alu_type_get_base_type(type)) {
    case nir_type_float: return KIND_FLOAT;
    case nir_type_bool: return KIND_BOOL;
    default: return KIND_UINT;
    }
}

static bool moves_only(nir_op op) {
    return op == nir_op_mov || op == nir_op_vec2 || op == nir_op_vec3 || op == nir_op_vec4 ||
           op == nir_op_bcsel;
}

struct gathering {
    struct translation *t;
    const BITSET_WORD *floats, *ints;
};

static bool kind_of(nir_ssa_def *def, void *data) {
    const struct gathering *g = data;
    const nir_instr *instr = def->parent_instr;
    enum spirv_kind kind = KIND_FLOAT;
    if (def->bit_size == 1)
        kind = KIND_BOOL;
    else if (instr->type == nir_instr_type_alu && !moves_only(nir_instr_as_alu(def->parent_instr)->op))
        kind = produced(nir_op_infos[nir_instr_as_alu(def->parent_instr)->op].output_type);
    else if (instr->type == nir_instr_type_tex)
        kind = produced(nir_instr_as_tex(def->parent_instr)->dest_type);
    else if (BITSET_TEST(g->ints, def->index) && !BITSET_TEST(g->floats, def->index))
        kind = KIND_UINT;
    g->t->value[def->index].kind = kind;
    return true;
}

bool choose_kinds(struct translation *t) {
    unsigned words = BITSET_WORDS(t->impl->ssa_alloc);
    BITSET_WORD *floats = rzalloc_array(t->shader, BITSET_WORD, words + 1),
                *ints = rzalloc_array(t->shader, BITSET_WORD, words + 1);
    struct gathering g = {t, floats, ints};
    if (!floats || !ints)
        return false;
    nir_gather_ssa_types(t->impl, floats, ints);
    nir_foreach_block(block, t->impl) {
        nir_foreach_instr(instr, block) {
            nir_foreach_ssa_def(instr, kind_of, &g);
        }
    }
    return true;
}
