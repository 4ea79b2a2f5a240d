/* Arithmetic of NIR as instructions of SPIR-V: most by a table, by the kinds that NIR gives for each. */
#include "nir_translate.h"

/* By NIR's number. The instruction is componentwise: an opcode, one of GLSL.std.450's, or another opcode when
 * the operands are booleans. A row of zeros: see below. */
static const struct {
    uint16_t core, ext, logical;
} simple[nir_num_opcodes] = {
    [nir_op_fneg] = {SpvOpFNegate, 0, 0},
    [nir_op_ineg] = {SpvOpSNegate, 0, 0},
    [nir_op_inot] = {SpvOpNot, 0, SpvOpLogicalNot},
    [nir_op_fabs] = {0, GLSLstd450FAbs, 0},
    [nir_op_iabs] = {0, GLSLstd450SAbs, 0},
    [nir_op_fsign] = {0, GLSLstd450FSign, 0},
    [nir_op_isign] = {0, GLSLstd450SSign, 0},
    [nir_op_frsq] = {0, GLSLstd450InverseSqrt, 0},
    [nir_op_fsqrt] = {0, GLSLstd450Sqrt, 0},
    [nir_op_fexp2] = {0, GLSLstd450Exp2, 0},
    [nir_op_flog2] = {0, GLSLstd450Log2, 0},
    [nir_op_fsin] = {0, GLSLstd450Sin, 0},
    [nir_op_fcos] = {0, GLSLstd450Cos, 0},
    [nir_op_ftrunc] = {0, GLSLstd450Trunc, 0},
    [nir_op_fceil] = {0, GLSLstd450Ceil, 0},
    [nir_op_ffloor] = {0, GLSLstd450Floor, 0},
    [nir_op_ffract] = {0, GLSLstd450Fract, 0},
    [nir_op_fround_even] = {0, GLSLstd450RoundEven, 0},
    [nir_op_fquantize2f16] = {SpvOpQuantizeToF16, 0, 0},
    [nir_op_fddx] = {SpvOpDPdx, 0, 0},
    [nir_op_fddx_fine] = {SpvOpDPdx, 0, 0},
    [nir_op_fddx_coarse] = {SpvOpDPdx, 0, 0},
    [nir_op_fddy] = {SpvOpDPdy, 0, 0},
    [nir_op_fddy_fine] = {SpvOpDPdy, 0, 0},
    [nir_op_fddy_coarse] = {SpvOpDPdy, 0, 0},
    [nir_op_bit_count] = {SpvOpBitCount, 0, 0},
    [nir_op_bitfield_reverse] = {SpvOpBitReverse, 0, 0},
    [nir_op_find_lsb] = {0, GLSLstd450FindILsb, 0},
    [nir_op_ifind_msb] = {0, GLSLstd450FindSMsb, 0},
    [nir_op_ufind_msb] = {0, GLSLstd450FindUMsb, 0},
    [nir_op_f2i32] = {SpvOpConvertFToS, 0, 0},
    [nir_op_f2u32] = {SpvOpConvertFToU, 0, 0},
    [nir_op_i2f32] = {SpvOpConvertSToF, 0, 0},
    [nir_op_u2f32] = {SpvOpConvertUToF, 0, 0},
    [nir_op_fadd] = {SpvOpFAdd, 0, 0},
    [nir_op_fsub] = {SpvOpFSub, 0, 0},
    [nir_op_fmul] = {SpvOpFMul, 0, 0},
    [nir_op_fdiv] = {SpvOpFDiv, 0, 0},
    [nir_op_fmod] = {SpvOpFMod, 0, 0},
    [nir_op_frem] = {SpvOpFRem, 0, 0},
    [nir_op_fpow] = {0, GLSLstd450Pow, 0},
    [nir_op_fmin] = {0, GLSLstd450FMin, 0},
    [nir_op_fmax] = {0, GLSLstd450FMax, 0},
    [nir_op_ffma] = {0, GLSLstd450Fma, 0},
    [nir_op_flrp] = {0, GLSLstd450FMix, 0},
    [nir_op_ldexp] = {0, GLSLstd450Ldexp, 0},
    [nir_op_iadd] = {SpvOpIAdd, 0, 0},
    [nir_op_isub] = {SpvOpISub, 0, 0},
    [nir_op_imul] = {SpvOpIMul, 0, 0},
    [nir_op_amul] = {SpvOpIMul, 0, 0},
    [nir_op_idiv] = {SpvOpSDiv, 0, 0},
    [nir_op_udiv] = {SpvOpUDiv, 0, 0},
    [nir_op_imod] = {SpvOpSMod, 0, 0},
    [nir_op_umod] = {SpvOpUMod, 0, 0},
    [nir_op_irem] = {SpvOpSRem, 0, 0},
    [nir_op_imin] = {0, GLSLstd450SMin, 0},
    [nir_op_imax] = {0, GLSLstd450SMax, 0},
    [nir_op_umin] = {0, GLSLstd450UMin, 0},
    [nir_op_umax] = {0, GLSLstd450UMax, 0},
    [nir_op_ishl] = {SpvOpShiftLeftLogical, 0, 0},
    [nir_op_ishr] = {SpvOpShiftRightArithmetic, 0, 0},
    [nir_op_ushr] = {SpvOpShiftRightLogical, 0, 0},
    [nir_op_iand] = {SpvOpBitwiseAnd, 0, SpvOpLogicalAnd},
    [nir_op_ior] = {SpvOpBitwiseOr, 0, SpvOpLogicalOr},
    [nir_op_ixor] = {SpvOpBitwiseXor, 0, SpvOpLogicalNotEqual},
    [nir_op_flt] = {SpvOpFOrdLessThan, 0, 0},
    [nir_op_fge] = {SpvOpFOrdGreaterThanEqual, 0, 0},
    [nir_op_feq] = {SpvOpFOrdEqual, 0, 0},
    [nir_op_fneu] = {SpvOpFUnordNotEqual, 0, 0},
    [nir_op_ilt] = {SpvOpSLessThan, 0, 0},
    [nir_op_ige] = {SpvOpSGreaterThanEqual, 0, 0},
    [nir_op_ult] = {SpvOpULessThan, 0, 0},
    [nir_op_uge] = {SpvOpUGreaterThanEqual, 0, 0},
    [nir_op_ieq] = {SpvOpIEqual, 0, SpvOpLogicalEqual},
    [nir_op_ine] = {SpvOpINotEqual, 0, SpvOpLogicalNotEqual},
};

/* The same with a comparison first: of all components, or any. */
static const struct {
    uint16_t compare, logical, reduce;
} compared[nir_num_opcodes] = {
    [nir_op_ball_fequal2] = {SpvOpFOrdEqual, 0, SpvOpAll},
    [nir_op_ball_fequal3] = {SpvOpFOrdEqual, 0, SpvOpAll},
    [nir_op_ball_fequal4] = {SpvOpFOrdEqual, 0, SpvOpAll},
    [nir_op_bany_fnequal2] = {SpvOpFUnordNotEqual, 0, SpvOpAny},
    [nir_op_bany_fnequal3] = {SpvOpFUnordNotEqual, 0, SpvOpAny},
    [nir_op_bany_fnequal4] = {SpvOpFUnordNotEqual, 0, SpvOpAny},
    [nir_op_ball_iequal2] = {SpvOpIEqual, SpvOpLogicalEqual, SpvOpAll},
    [nir_op_ball_iequal3] = {SpvOpIEqual, SpvOpLogicalEqual, SpvOpAll},
    [nir_op_ball_iequal4] = {SpvOpIEqual, SpvOpLogicalEqual, SpvOpAll},
    [nir_op_bany_inequal2] = {SpvOpINotEqual, SpvOpLogicalNotEqual, SpvOpAny},
    [nir_op_bany_inequal3] = {SpvOpINotEqual, SpvOpLogicalNotEqual, SpvOpAny},
    [nir_op_bany_inequal4] = {SpvOpINotEqual, SpvOpLogicalNotEqual, SpvOpAny},
};

/* Comparisons whose result is 1.0 or 0.0. */
static const uint16_t set_if[nir_num_opcodes] = {
    [nir_op_slt] = SpvOpFOrdLessThan,
    [nir_op_sge] = SpvOpFOrdGreaterThanEqual,
    [nir_op_seq] = SpvOpFOrdEqual,
    [nir_op_sne] = SpvOpFUnordNotEqual,
};

/* The instruction, the kind of its result if the value's own is another, and its operands. */
struct operation {
    struct translation *t;
    const nir_alu_instr *alu;
    const nir_ssa_def *def;
    uint32_t count; /* components of the result */
    enum spirv_kind kind;
    uint32_t type;
};

static enum spirv_kind kind_of_input(const nir_alu_instr *alu, unsigned k) {
    if (nir_src_bit_size(alu->src[k].src) == 1)
        return KIND_BOOL;
    return nir_alu_type_get_base_type(nir_op_infos[alu->op].input_types[k]) == nir_type_float ? KIND_FLOAT
                                                                                              : KIND_UINT;
}

static uint32_t source_as(const struct operation *o, unsigned k, enum spirv_kind kind) {
    uint32_t fixed = nir_op_infos[o->alu->op].input_sizes[k];
    return use(o->t, o->alu->src[k].src.ssa, o->alu->src[k].swizzle, fixed ? fixed : o->count, kind);
}

static uint32_t source(const struct operation *o, unsigned k) {
    return source_as(o, k, kind_of_input(o->alu, k));
}

static uint32_t vector(const struct operation *o) {
    uint32_t part[4], count = o->count, same = 0;
    const nir_ssa_def *first = o->alu->src[0].src.ssa;
    uint8_t swizzle[4];
    for (uint32_t k = 0; k < count; k++) {
        same += o->alu->src[k].src.ssa == first;
        swizzle[k] = o->alu->src[k].swizzle[0];
    }
    if (same == count && first->num_components > 1)
        return use(o->t, first, swizzle, count, o->kind);
    for (uint32_t k = 0; k < count; k++)
        part[k] = use(o->t, o->alu->src[k].src.ssa, o->alu->src[k].swizzle, 1, o->kind);
    return construct(o->t, o->def, o->kind, count, part);
}

static uint32_t select_between(const struct operation *o, uint32_t condition, uint32_t yes, uint32_t no) {
    return EMIT(o->t, o->def, SpvOpSelect, o->type, condition, yes, no);
}

static uint32_t reduce_compared(const struct operation *o) {
    bool logical = nir_src_bit_size(o->alu->src[0].src) == 1;
    uint32_t n = nir_op_infos[o->alu->op].input_sizes[0];
    uint32_t op = logical ? compared[o->alu->op].logical : compared[o->alu->op].compare;
    uint32_t each = SPIRV_OP(&o->t->m, op, type_of(o->t, KIND_BOOL, n), source(o, 0), source(o, 1));
    return SPIRV_OP(&o->t->m, compared[o->alu->op].reduce, o->type, each);
}

static uint32_t sum(const struct operation *o) {
    uint32_t total = 0;
    for (uint32_t k = 0; k < nir_op_infos[o->alu->op].input_sizes[0]; k++) {
        uint32_t part = use(o->t, o->alu->src[0].src.ssa, &o->alu->src[0].swizzle[k], 1, KIND_FLOAT);
        total = k ? EMIT(o->t, o->def, SpvOpFAdd, o->type, total, part) : part;
    }
    return total;
}

/* A comparison with zero, by components. */
static uint32_t not_zero(const struct operation *o, unsigned k, bool number_is_float) {
    uint32_t type = type_of(o->t, KIND_BOOL, o->count);
    if (number_is_float)
        return SPIRV_OP(&o->t->m, SpvOpFUnordNotEqual, type, source_as(o, k, KIND_FLOAT),
                        spirv_float(&o->t->m, 0, o->count));
    return SPIRV_OP(&o->t->m, SpvOpINotEqual, type, source_as(o, k, KIND_UINT),
                    spirv_uints(&o->t->m, 0, o->count));
}

/* Field `width` bits wide, number src1, of src0. */
static uint32_t extract_field(const struct operation *o, uint32_t width, bool is_signed) {
    struct spirv_module *m = &o->t->m;
    uint32_t n = o->count, bits = spirv_uints(m, width, n);
    uint32_t low = SPIRV_OP(m, SpvOpIMul, o->type, source(o, 1), bits);
    uint32_t value = source(o, 0);
    if (!is_signed)
        return SPIRV_OP(m, SpvOpBitwiseAnd, o->type, SPIRV_OP(m, SpvOpShiftRightLogical, o->type, value, low),
                        spirv_uints(m, (1u << width) - 1, n));
    uint32_t up = SPIRV_OP(m, SpvOpISub, o->type, spirv_uints(m, 32 - width, n), low);
    value = SPIRV_OP(m, SpvOpShiftLeftLogical, o->type, value, up);
    return SPIRV_OP(m, SpvOpShiftRightArithmetic, o->type, value, spirv_uints(m, 32 - width, n));
}

static uint32_t single(const struct operation *o, uint32_t which, uint32_t a) {
    return emit_ext(o->t, o->def, which, o->type, 1, &a);
}

static uint32_t half_of(const struct operation *o, uint32_t component) {
    uint32_t word = source(o, 0);
    uint32_t both = spirv_ext(&o->t->m, GLSLstd450UnpackHalf2x16, type_of(o->t, KIND_FLOAT, 2), 1, &word);
    return extract(o->t, both, KIND_FLOAT, component);
}

static uint32_t special(const struct operation *o) {
    struct spirv_module *m = &o->t->m;
    const nir_alu_instr *alu = o->alu;
    uint32_t n = o->count, part[2];
    switch (alu->op) {
    case nir_op_vec2:
    case nir_op_vec3:
    case nir_op_vec4: return vector(o);
    case nir_op_bcsel:
        return select_between(o, source_as(o, 0, KIND_BOOL), source_as(o, 1, o->kind),
                              source_as(o, 2, o->kind));
    case nir_op_fcsel: return select_between(o, not_zero(o, 0, true), source(o, 1), source(o, 2));
    case nir_op_slt:
    case nir_op_sge:
    case nir_op_seq:
    case nir_op_sne:
        part[0] = SPIRV_OP(m, set_if[alu->op], type_of(o->t, KIND_BOOL, n), source(o, 0), source(o, 1));
        return select_between(o, part[0], spirv_float(m, 1, n), spirv_float(m, 0, n));
    case nir_op_frcp: return EMIT(o->t, o->def, SpvOpFDiv, o->type, spirv_float(m, 1, n), source(o, 0));
    case nir_op_fsat: {
        uint32_t operand[3] = {source(o, 0), spirv_float(m, 0, n), spirv_float(m, 1, n)};
        return emit_ext(o->t, o->def, GLSLstd450FClamp, o->type, 3, operand);
    }
    case nir_op_fdot2:
    case nir_op_fdot3:
    case nir_op_fdot4: return EMIT(o->t, o->def, SpvOpDot, o->type, source(o, 0), source(o, 1));
    case nir_op_fsum2:
    case nir_op_fsum3:
    case nir_op_fsum4: return sum(o);
    case nir_op_b2f32: return select_between(o, source(o, 0), spirv_float(m, 1, n), spirv_float(m, 0, n));
    case nir_op_b2i32: return select_between(o, source(o, 0), spirv_uints(m, 1, n), spirv_uints(m, 0, n));
    case nir_op_b2b32:
        return select_between(o, source(o, 0), spirv_uints(m, UINT32_MAX, n), spirv_uints(m, 0, n));
    case nir_op_b2b1: return nir_src_bit_size(alu->src[0].src) == 1 ? source(o, 0) : not_zero(o, 0, false);
    case nir_op_i2b1: return not_zero(o, 0, false);
    case nir_op_f2b1: return not_zero(o, 0, true);
    case nir_op_pack_half_2x16: return single(o, GLSLstd450PackHalf2x16, source(o, 0));
    case nir_op_pack_unorm_2x16: return single(o, GLSLstd450PackUnorm2x16, source(o, 0));
    case nir_op_pack_snorm_2x16: return single(o, GLSLstd450PackSnorm2x16, source(o, 0));
    case nir_op_pack_unorm_4x8: return single(o, GLSLstd450PackUnorm4x8, source(o, 0));
    case nir_op_pack_snorm_4x8: return single(o, GLSLstd450PackSnorm4x8, source(o, 0));
    case nir_op_unpack_half_2x16: return single(o, GLSLstd450UnpackHalf2x16, source(o, 0));
    case nir_op_unpack_unorm_2x16: return single(o, GLSLstd450UnpackUnorm2x16, source(o, 0));
    case nir_op_unpack_snorm_2x16: return single(o, GLSLstd450UnpackSnorm2x16, source(o, 0));
    case nir_op_unpack_unorm_4x8: return single(o, GLSLstd450UnpackUnorm4x8, source(o, 0));
    case nir_op_unpack_snorm_4x8: return single(o, GLSLstd450UnpackSnorm4x8, source(o, 0));
    case nir_op_pack_half_2x16_split:
        part[0] = source(o, 0);
        part[1] = source(o, 1);
        return single(o, GLSLstd450PackHalf2x16, construct(o->t, NULL, KIND_FLOAT, 2, part));
    case nir_op_unpack_half_2x16_split_x: return half_of(o, 0);
    case nir_op_unpack_half_2x16_split_y: return half_of(o, 1);
    case nir_op_extract_u8: return extract_field(o, 8, false);
    case nir_op_extract_i8: return extract_field(o, 8, true);
    case nir_op_extract_u16: return extract_field(o, 16, false);
    case nir_op_extract_i16: return extract_field(o, 16, true);
    default: return fail(o->t, nir_op_infos[alu->op].name);
    }
}

/* Its result is an instruction of its own that the decoration NoContraction may be put on. */
static bool rounds(nir_op op) {
    switch (op) {
    case nir_op_fadd:
    case nir_op_fsub:
    case nir_op_fmul:
    case nir_op_fdiv:
    case nir_op_frcp:
    case nir_op_fmod:
    case nir_op_fdot2:
    case nir_op_fdot3:
    case nir_op_fdot4: return true;
    default: return false;
    }
}

void translate_alu(struct translation *t, const nir_alu_instr *alu) {
    const nir_ssa_def *def = &alu->dest.dest.ssa;
    struct operation o = {t, alu, def, def->num_components, (enum spirv_kind)t->value[def->index].kind, 0};
    unsigned inputs = nir_op_infos[alu->op].num_inputs;
    uint32_t operand[4], id;
    o.type = type_of(t, o.kind, o.count);
    for (unsigned k = 0; k < inputs; k++)
        if (alu->src[k].negate || alu->src[k].abs)
            fail(t, "a source with a modifier");
    bool logical = inputs && nir_src_bit_size(alu->src[0].src) == 1 && simple[alu->op].logical;
    if (alu->dest.saturate)
        id = fail(t, "a saturated result");
    else if (alu->op == nir_op_mov)
        id = source_as(&o, 0, o.kind);
    else if (compared[alu->op].compare)
        id = reduce_compared(&o);
    else if (simple[alu->op].core || simple[alu->op].ext) {
        for (unsigned k = 0; k < inputs && k < 4; k++)
            operand[k] = source(&o, k);
        id = simple[alu->op].ext && !logical
                 ? emit_ext(t, def, simple[alu->op].ext, o.type, inputs, operand)
                 : emit(t, def, logical ? simple[alu->op].logical : simple[alu->op].core, o.type, inputs,
                        operand);
    } else {
        id = special(&o);
    }
    if (alu->exact && rounds(alu->op))
        SPIRV_PUT(&t->m, SECTION_DECORATIONS, SpvOpDecorate, id, SpvDecorationNoContraction);
    define(t, def, id, o.kind);
}
