/* Instructions other than control flow, component by component. */
#include "frontend/spirv/reader.h"

#include <string.h>

/* --- tables of componentwise operations ----------------------------------------------------------------- */

/* By SPIR-V's number; a row of zeros for all others. */
struct simple {
    uint16_t op;
    bool swap;   /* operands the other way round */
    bool negate; /* BNOT of the result */
};

/* Ordered and unordered comparisons are the same: the hardware has no NaN (docs/hardware.md, Arithmetic). */
static const struct simple binary[] = {
    [SpvOpFAdd] = {IR_FADD},
    [SpvOpFSub] = {IR_FSUB},
    [SpvOpFMul] = {IR_FMUL},
    [SpvOpFDiv] = {IR_FDIV},
    [SpvOpFRem] = {IR_FREM},
    [SpvOpFMod] = {IR_FMOD},
    [SpvOpIAdd] = {IR_IADD},
    [SpvOpISub] = {IR_ISUB},
    [SpvOpIMul] = {IR_IMUL},
    [SpvOpUDiv] = {IR_UDIV},
    [SpvOpSDiv] = {IR_IDIV},
    [SpvOpUMod] = {IR_UREM},
    [SpvOpSRem] = {IR_IREM},
    [SpvOpSMod] = {IR_IMOD},
    [SpvOpShiftRightLogical] = {IR_USHR},
    [SpvOpShiftRightArithmetic] = {IR_IASR},
    [SpvOpShiftLeftLogical] = {IR_ISHL},
    [SpvOpBitwiseOr] = {IR_IOR},
    [SpvOpBitwiseXor] = {IR_IXOR},
    [SpvOpBitwiseAnd] = {IR_IAND},
    [SpvOpLogicalEqual] = {IR_BXOR, .negate = true},
    [SpvOpLogicalNotEqual] = {IR_BXOR},
    [SpvOpLogicalOr] = {IR_BOR},
    [SpvOpLogicalAnd] = {IR_BAND},
    [SpvOpIEqual] = {IR_IEQ},
    [SpvOpINotEqual] = {IR_INE},
    [SpvOpUGreaterThan] = {IR_ULT, .swap = true},
    [SpvOpSGreaterThan] = {IR_ILT, .swap = true},
    [SpvOpUGreaterThanEqual] = {IR_UGE},
    [SpvOpSGreaterThanEqual] = {IR_IGE},
    [SpvOpULessThan] = {IR_ULT},
    [SpvOpSLessThan] = {IR_ILT},
    [SpvOpULessThanEqual] = {IR_UGE, .swap = true},
    [SpvOpSLessThanEqual] = {IR_IGE, .swap = true},
    [SpvOpFOrdEqual] = {IR_FEQ},
    [SpvOpFUnordEqual] = {IR_FEQ},
    [SpvOpFOrdNotEqual] = {IR_FNE},
    [SpvOpFUnordNotEqual] = {IR_FNE},
    [SpvOpFOrdLessThan] = {IR_FLT},
    [SpvOpFUnordLessThan] = {IR_FLT},
    [SpvOpFOrdGreaterThan] = {IR_FLT, .swap = true},
    [SpvOpFUnordGreaterThan] = {IR_FLT, .swap = true},
    [SpvOpFOrdLessThanEqual] = {IR_FGE, .swap = true},
    [SpvOpFUnordLessThanEqual] = {IR_FGE, .swap = true},
    [SpvOpFOrdGreaterThanEqual] = {IR_FGE},
    [SpvOpFUnordGreaterThanEqual] = {IR_FGE},
};

static const struct simple unary[] = {
    [SpvOpFNegate] = {IR_FNEG},    [SpvOpSNegate] = {IR_INEG},    [SpvOpNot] = {IR_INOT},
    [SpvOpLogicalNot] = {IR_BNOT}, [SpvOpConvertFToU] = {IR_F2U}, [SpvOpConvertFToS] = {IR_F2I},
    [SpvOpConvertSToF] = {IR_I2F}, [SpvOpConvertUToF] = {IR_U2F}, [SpvOpDPdx] = {IR_DDX},
    [SpvOpDPdxFine] = {IR_DDX},    [SpvOpDPdxCoarse] = {IR_DDX},  [SpvOpDPdy] = {IR_DDY},
    [SpvOpDPdyFine] = {IR_DDY},    [SpvOpDPdyCoarse] = {IR_DDY},
};

static const struct simple *find(const struct simple *table, size_t count, uint32_t spirv) {
    return spirv < count && table[spirv].op ? &table[spirv] : NULL;
}

/* The type source k of an operation wants, IR_VOID for any. */
static enum ir_type wanted(enum ir_op op, uint32_t k) {
    const char *sources = ir_op_info(op)->sources;
    switch (strlen(sources) > k ? sources[k] : '*') {
    case 'f': return IR_F32;
    case 'i': return IR_I32;
    case 'b': return IR_BOOL;
    }
    return IR_VOID;
}

static struct ir_inst **do_binary(struct fe_reader *r, const struct fe_op *op, const struct simple *how) {
    uint32_t n = op->type->words;
    struct ir_inst **a = fe_value_n(r, op->arg[0], n), **b = fe_value_n(r, op->arg[1], n),
                   **out = fe_words(r, n);
    if (!a || !b || r->failed)
        return NULL;
    for (uint32_t k = 0; k < n; k++) {
        struct ir_inst *x = fe_as(r, a[k], wanted(how->op, 0)),
                       *y = x ? fe_as(r, b[k], wanted(how->op, 1)) : x;
        if (!y)
            return NULL;
        out[k] = ir_op2(&r->b, how->op, how->swap ? y : x, how->swap ? x : y);
        if (how->negate)
            out[k] = ir_op1(&r->b, IR_BNOT, out[k]);
    }
    return out;
}

static struct ir_inst **do_unary(struct fe_reader *r, const struct fe_op *op, enum ir_op how) {
    uint32_t n = op->type->words;
    struct ir_inst **a = fe_value_n(r, op->arg[0], n), **out = fe_words(r, n);
    if (!a || r->failed)
        return NULL;
    for (uint32_t k = 0; k < n; k++) {
        struct ir_inst *x = fe_as(r, a[k], wanted(how, 0));
        if (!x)
            return NULL;
        out[k] = ir_op1(&r->b, how, x);
    }
    return out;
}

/* --- bits ----------------------------------------------------------------------------------------------- */

static struct ir_inst *i2(struct fe_reader *r, enum ir_op op, struct ir_inst *a, uint32_t b) {
    return ir_op2(&r->b, op, a, ir_const_i(&r->b, b));
}

static struct ir_inst *ii(struct fe_reader *r, enum ir_op op, struct ir_inst *a, struct ir_inst *b) {
    return ir_op2(&r->b, op, a, b);
}

static struct ir_inst *bit_count(struct fe_reader *r, struct ir_inst *x) {
    x = ii(r, IR_ISUB, x, i2(r, IR_IAND, i2(r, IR_USHR, x, 1), 0x55555555));
    struct ir_inst *upper = i2(r, IR_IAND, i2(r, IR_USHR, x, 2), 0x33333333);
    x = ii(r, IR_IADD, i2(r, IR_IAND, x, 0x33333333), upper);
    x = i2(r, IR_IAND, ii(r, IR_IADD, x, i2(r, IR_USHR, x, 4)), 0x0f0f0f0f);
    x = ii(r, IR_IADD, x, i2(r, IR_USHR, x, 8));
    return i2(r, IR_IAND, ii(r, IR_IADD, x, i2(r, IR_USHR, x, 16)), 63);
}

static struct ir_inst *bit_reverse(struct fe_reader *r, struct ir_inst *x) {
    static const struct {
        uint32_t shift, mask;
    } step[] = {{1, 0x55555555}, {2, 0x33333333}, {4, 0x0f0f0f0f}, {8, 0x00ff00ff}};
    for (int k = 0; k < 4; k++) {
        struct ir_inst *up = i2(r, IR_ISHL, i2(r, IR_IAND, x, step[k].mask), step[k].shift);
        x = ii(r, IR_IOR, i2(r, IR_IAND, i2(r, IR_USHR, x, step[k].shift), step[k].mask), up);
    }
    return i2(r, IR_IROR, x, 16);
}

/* (1 << count) - 1 for counts 0..32; the hardware's shifts use five bits. */
static struct ir_inst *low_mask(struct fe_reader *r, struct ir_inst *count) {
    struct ir_inst *some = i2(r, IR_ISUB, ii(r, IR_ISHL, ir_const_i(&r->b, 1), count), 1);
    struct ir_inst *all = ir_const_i(&r->b, UINT32_MAX);
    return ir_op3(&r->b, IR_SELECT, i2(r, IR_IGE, count, 32), all, some);
}

static struct ir_inst **bit_field(struct fe_reader *r, const struct fe_op *op) {
    uint32_t n = op->type->words, at = op->op == SpvOpBitFieldInsert ? 2 : 1;
    if (op->nargs < at + 2)
        return fe_malformed(r), NULL;
    struct ir_inst **base = fe_value_n(r, op->arg[0], n), **offset = fe_value_n(r, op->arg[at], 1);
    struct ir_inst **count = fe_value_n(r, op->arg[at + 1], 1),
                   **insert = at == 2 ? fe_value_n(r, op->arg[1], n) : base;
    struct ir_inst **out = fe_words(r, n);
    if (!base || !offset || !count || !insert || r->failed)
        return NULL;
    struct ir_inst *mask = low_mask(r, count[0]);
    for (uint32_t k = 0; k < n; k++) {
        if (base[k]->type != IR_I32 || insert[k]->type != IR_I32)
            return fe_malformed(r), NULL;
        if (at == 2) {
            struct ir_inst *there = ii(r, IR_ISHL, mask, offset[0]);
            struct ir_inst *bits = ii(r, IR_IAND, ii(r, IR_ISHL, insert[k], offset[0]), there);
            out[k] = ii(r, IR_IOR, ii(r, IR_IAND, base[k], ir_op1(&r->b, IR_INOT, there)), bits);
            continue;
        }
        out[k] = ii(r, IR_IAND, ii(r, IR_USHR, base[k], offset[0]), mask);
        if (op->op == SpvOpBitFieldSExtract) { /* (x ^ sign) - sign, sign being the field's top bit */
            struct ir_inst *sign = ii(r, IR_IXOR, mask, i2(r, IR_USHR, mask, 1));
            out[k] = ii(r, IR_ISUB, ii(r, IR_IXOR, out[k], sign), sign);
        }
    }
    return out;
}

/* High word of the product, from 16-bit halves. */
static struct ir_inst *umul_high(struct fe_reader *r, struct ir_inst *a, struct ir_inst *b) {
    struct ir_inst *al = i2(r, IR_IAND, a, 0xffff), *ah = i2(r, IR_USHR, a, 16);
    struct ir_inst *bl = i2(r, IR_IAND, b, 0xffff), *bh = i2(r, IR_USHR, b, 16);
    struct ir_inst *ll = ii(r, IR_UMUL24, al, bl), *lh = ii(r, IR_UMUL24, al, bh);
    struct ir_inst *hl = ii(r, IR_UMUL24, ah, bl), *hh = ii(r, IR_UMUL24, ah, bh);
    struct ir_inst *hl_low = i2(r, IR_IAND, hl, 0xffff), *lh_low = i2(r, IR_IAND, lh, 0xffff);
    struct ir_inst *mid = ii(r, IR_IADD, ii(r, IR_IADD, i2(r, IR_USHR, ll, 16), lh_low), hl_low);
    struct ir_inst *hl_high = i2(r, IR_USHR, hl, 16),
                   *outer = ii(r, IR_IADD, i2(r, IR_USHR, lh, 16), hl_high);
    return ii(r, IR_IADD, ii(r, IR_IADD, hh, i2(r, IR_USHR, mid, 16)), outer);
}

/* Results of two parts: a structure of low word (or sum) and high word (or carry). */
static struct ir_inst **wide(struct fe_reader *r, const struct fe_op *op) {
    uint32_t n = op->type->words / 2;
    struct ir_inst **a = fe_value_n(r, op->arg[0], n), **b = fe_value_n(r, op->arg[1], n),
                   **out = fe_words(r, 2 * n);
    if (!a || !b || r->failed)
        return NULL;
    for (uint32_t k = 0; k < n; k++) {
        struct ir_inst *x = a[k], *y = b[k];
        if (x->type != IR_I32 || y->type != IR_I32)
            return fe_malformed(r), NULL;
        switch (op->op) {
        case SpvOpIAddCarry:
            out[k] = ii(r, IR_IADD, x, y);
            out[n + k] = ir_op1(&r->b, IR_B2I, ii(r, IR_ULT, out[k], x));
            break;
        case SpvOpISubBorrow:
            out[k] = ii(r, IR_ISUB, x, y);
            out[n + k] = ir_op1(&r->b, IR_B2I, ii(r, IR_ULT, x, y));
            break;
        default:
            out[k] = ii(r, IR_IMUL, x, y);
            out[n + k] = umul_high(r, x, y);
            if (op->op == SpvOpSMulExtended) { /* a negative factor stands for itself plus 2^32 */
                struct ir_inst *more = ii(r, IR_IAND, i2(r, IR_IASR, y, 31), x);
                more = ii(r, IR_IADD, ii(r, IR_IAND, i2(r, IR_IASR, x, 31), y), more);
                out[n + k] = ii(r, IR_ISUB, out[n + k], more);
            }
        }
    }
    return out;
}

/* --- other shapes --------------------------------------------------------------------------------------- */

static struct ir_inst **any_all(struct fe_reader *r, const struct fe_op *op) {
    const struct fe_type *type = fe_value_type(r, op->arg[0]);
    struct ir_inst **a = type ? fe_value(r, op->arg[0]) : NULL, **out = fe_words(r, 1);
    if (!a || r->failed)
        return NULL;
    out[0] = a[0];
    for (uint32_t k = 0; k < type->words; k++) {
        if (a[k]->type != IR_BOOL)
            return fe_malformed(r), NULL;
        if (k)
            out[0] = ir_op2(&r->b, op->op == SpvOpAny ? IR_BOR : IR_BAND, out[0], a[k]);
    }
    return out;
}

static struct ir_inst **select_op(struct fe_reader *r, const struct fe_op *op) {
    const struct fe_type *ct = fe_value_type(r, op->arg[0]);
    uint32_t n = op->type->words;
    if (!ct || op->type->kind == FE_POINTER)
        return ct ? (fe_unsupported(r, "choice among pointers"), NULL) : NULL;
    struct ir_inst **c = fe_value(r, op->arg[0]), **a = fe_value_n(r, op->arg[1], n),
                   **b = fe_value_n(r, op->arg[2], n);
    struct ir_inst **out = fe_words(r, n);
    if (!c || !a || !b || r->failed)
        return NULL;
    for (uint32_t k = 0; k < n; k++) {
        struct ir_inst *cond = ct->words == 1 ? c[0] : ct->words == n ? c[k] : NULL;
        if (!cond || cond->type != IR_BOOL || a[k]->type != b[k]->type)
            return fe_malformed(r), NULL;
        out[k] = ir_op3(&r->b, IR_SELECT, cond, a[k], b[k]);
    }
    return out;
}

static struct ir_inst **bitcast(struct fe_reader *r, const struct fe_op *op) {
    struct ir_inst **a = fe_value_n(r, op->arg[0], op->type->words), **out = fe_words(r, op->type->words);
    if (!a || r->failed)
        return NULL;
    for (uint32_t k = 0; k < op->type->words; k++) {
        enum ir_type to = fe_word_type(op->type, k);
        if (a[k]->type == IR_BOOL || to == IR_BOOL)
            return fe_malformed(r), NULL;
        out[k] = a[k]->type == to ? a[k] : ir_op1(&r->b, to == IR_F32 ? IR_IBITS : IR_FBITS, a[k]);
    }
    return out;
}

static struct ir_inst **per_word(struct fe_reader *r, const struct fe_op *op) {
    uint32_t n = op->type->words;
    struct ir_inst **a = fe_value_n(r, op->arg[0], n), **out = fe_words(r, n);
    if (!a || r->failed)
        return NULL;
    bool integer = op->op == SpvOpBitCount || op->op == SpvOpBitReverse;
    for (uint32_t k = 0; k < n; k++) {
        if (a[k]->type != (integer ? IR_I32 : IR_F32))
            return fe_malformed(r), NULL;
        switch (op->op) {
        case SpvOpBitCount: out[k] = bit_count(r, a[k]); break;
        case SpvOpBitReverse: out[k] = bit_reverse(r, a[k]); break;
        case SpvOpFwidth:
        case SpvOpFwidthFine:
        case SpvOpFwidthCoarse: {
            struct ir_inst *x = ir_op1(&r->b, IR_FABS, ir_op1(&r->b, IR_DDX, a[k]));
            out[k] = ir_op2(&r->b, IR_FADD, x, ir_op1(&r->b, IR_FABS, ir_op1(&r->b, IR_DDY, a[k])));
            break;
        }
        case SpvOpIsNan: /* by the bits: values from outside may be NaN, the ALU makes none */
        case SpvOpIsInf: {
            struct ir_inst *bits = i2(r, IR_IAND, ir_op1(&r->b, IR_FBITS, a[k]), 0x7fffffff);
            out[k] = op->op == SpvOpIsInf ? i2(r, IR_IEQ, bits, 0x7f800000)
                                          : ii(r, IR_ILT, ir_const_i(&r->b, 0x7f800000), bits);
            break;
        }
        default: { /* SpvOpQuantizeToF16 */
            struct ir_inst *half = ir_op2(&r->b, IR_PACK_16F, a[k], a[k]);
            out[k] = ir_emit(&r->b, IR_UNPACK_16F, IR_F32, 1, &half, 0, 0);
        }
        }
    }
    return out;
}

/* --- composites ----------------------------------------------------------------------------------------- */

static struct ir_inst **construct(struct fe_reader *r, const struct fe_op *op) {
    struct ir_inst **out = fe_words(r, op->type->words);
    uint32_t filled = 0;
    for (uint32_t k = 0; k < op->nargs; k++) {
        const struct fe_type *type = fe_value_type(r, op->arg[k]);
        struct ir_inst **part = type ? fe_value(r, op->arg[k]) : NULL;
        if (!part)
            return NULL;
        if (type->words > op->type->words - filled)
            return fe_malformed(r), NULL;
        memcpy(out + filled, part, type->words * sizeof *out);
        filled += type->words;
    }
    if (filled != op->type->words)
        fe_malformed(r);
    return r->failed ? NULL : out;
}

/* Where the literal indices lead in a value of `type`: first word; *type becomes the part's. */
static bool follow_indices(struct fe_reader *r, const struct fe_type **type, const uint32_t *index,
                           uint32_t count, uint32_t *word) {
    *word = 0;
    for (uint32_t k = 0; k < count; k++) {
        const struct fe_type *t = *type;
        if (index[k] >= t->count)
            return fe_malformed(r);
        if (t->kind == FE_STRUCT) {
            *word += t->member_word[index[k]];
            *type = t->member[index[k]];
        } else if (t->kind == FE_ARRAY || t->kind == FE_VECTOR || t->kind == FE_MATRIX) {
            *word += index[k] * t->elem->words;
            *type = t->elem;
        } else {
            return fe_malformed(r);
        }
    }
    return true;
}

static struct ir_inst **extract(struct fe_reader *r, const struct fe_op *op) {
    const struct fe_type *type = fe_value_type(r, op->arg[0]);
    struct ir_inst **from = type ? fe_value(r, op->arg[0]) : NULL;
    uint32_t word;
    if (!from || !follow_indices(r, &type, op->arg + 1, op->nargs - 1, &word))
        return NULL;
    return type->words == op->type->words ? from + word : (fe_malformed(r), NULL);
}

static struct ir_inst **insert(struct fe_reader *r, const struct fe_op *op) {
    if (op->nargs < 2)
        return fe_malformed(r), NULL;
    const struct fe_type *type = fe_value_type(r, op->arg[1]), *part = fe_value_type(r, op->arg[0]);
    struct ir_inst **from = type ? fe_value(r, op->arg[1]) : NULL,
                   **object = part ? fe_value(r, op->arg[0]) : NULL;
    uint32_t word;
    if (!from || !object || type->words != op->type->words)
        return r->failed ? NULL : (fe_malformed(r), NULL);
    struct ir_inst **out = fe_words(r, op->type->words);
    if (!follow_indices(r, &type, op->arg + 2, op->nargs - 2, &word) || r->failed)
        return NULL;
    if (type->words != part->words)
        return fe_malformed(r), NULL;
    memcpy(out, from, op->type->words * sizeof *out);
    memcpy(out + word, object, part->words * sizeof *out);
    return out;
}

static struct ir_inst **shuffle(struct fe_reader *r, const struct fe_op *op) {
    if (op->nargs < 2 || op->nargs - 2 != op->type->words)
        return fe_malformed(r), NULL;
    const struct fe_type *at = fe_value_type(r, op->arg[0]), *bt = fe_value_type(r, op->arg[1]);
    struct ir_inst **a = at ? fe_value(r, op->arg[0]) : NULL, **b = bt ? fe_value(r, op->arg[1]) : NULL;
    struct ir_inst **out = fe_words(r, op->type->words);
    if (!a || !b || r->failed)
        return NULL;
    for (uint32_t k = 0; k < op->type->words; k++) {
        uint32_t index = op->arg[2 + k];
        if (index < at->words)
            out[k] = a[index];
        else if (index - at->words < bt->words)
            out[k] = b[index - at->words];
        else if (index == UINT32_MAX)
            out[k] = ir_emit(&r->b, IR_UNDEF, fe_word_type(op->type, k), 0, NULL, 0, 0);
        else
            return fe_malformed(r), NULL;
    }
    return out;
}

static struct ir_inst **dynamic(struct fe_reader *r, const struct fe_op *op) {
    bool put = op->op == SpvOpVectorInsertDynamic;
    const struct fe_type *type = fe_value_type(r, op->arg[0]);
    if (!type || op->nargs < (put ? 3u : 2u) || !type->words)
        return r->failed ? NULL : (fe_malformed(r), NULL);
    struct ir_inst **from = fe_value(r, op->arg[0]), **index = fe_value_n(r, op->arg[put ? 2 : 1], 1);
    struct ir_inst **what = put ? fe_value_n(r, op->arg[1], 1) : from, **out = fe_words(r, op->type->words);
    if (!from || !index || !what || r->failed)
        return NULL;
    if (index[0]->type != IR_I32 || op->type->words != (put ? type->words : 1))
        return fe_malformed(r), NULL;
    if (!put) {
        out[0] = fe_select_index(r, from, type->words, index[0]);
        return out;
    }
    for (uint32_t k = 0; k < type->words; k++) {
        if (what[0]->type != from[k]->type)
            return fe_malformed(r), NULL;
        struct ir_inst *here = ir_op2(&r->b, IR_IEQ, index[0], ir_const_i(&r->b, k));
        out[k] = ir_op3(&r->b, IR_SELECT, here, what[0], from[k]);
    }
    return out;
}

/* --- the way in ----------------------------------------------------------------------------------------- */

struct ir_inst **fe_arithmetic(struct fe_reader *r, const struct fe_op *op, bool *known) {
    const struct simple *how;
    *known = true;
    if (!op->type || !op->nargs) {
        *known = op->op == SpvOpCompositeConstruct && op->type;
        return *known ? construct(r, op) : NULL;
    }
    if (op->nargs >= 2 && (how = find(binary, sizeof binary / sizeof *binary, op->op)))
        return do_binary(r, op, how);
    if ((how = find(unary, sizeof unary / sizeof *unary, op->op))) {
        if ((how->op == IR_DDX || how->op == IR_DDY) && r->shader->stage != QPUCC_FRAGMENT)
            return fe_malformed(r), NULL;
        return do_unary(r, op, how->op);
    }
    switch (op->op) {
    case SpvOpCompositeConstruct: return construct(r, op);
    case SpvOpCompositeExtract: return extract(r, op);
    case SpvOpCompositeInsert: return insert(r, op);
    case SpvOpVectorShuffle: return shuffle(r, op);
    case SpvOpVectorExtractDynamic:
    case SpvOpVectorInsertDynamic: return dynamic(r, op);
    case SpvOpCopyObject:
    case SpvOpCopyLogical:
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpFConvert: return fe_value_n(r, op->arg[0], op->type->words);
    case SpvOpBitcast: return bitcast(r, op);
    case SpvOpAny:
    case SpvOpAll: return any_all(r, op);
    case SpvOpSelect: return op->nargs >= 3 ? select_op(r, op) : (fe_malformed(r), NULL);
    case SpvOpBitCount:
    case SpvOpBitReverse:
    case SpvOpIsNan:
    case SpvOpIsInf:
    case SpvOpQuantizeToF16: return per_word(r, op);
    case SpvOpFwidth:
    case SpvOpFwidthFine:
    case SpvOpFwidthCoarse:
        return r->shader->stage == QPUCC_FRAGMENT ? per_word(r, op) : (fe_malformed(r), NULL);
    case SpvOpBitFieldInsert:
    case SpvOpBitFieldSExtract:
    case SpvOpBitFieldUExtract: return bit_field(r, op);
    case SpvOpIAddCarry:
    case SpvOpISubBorrow:
    case SpvOpUMulExtended:
    case SpvOpSMulExtended: return op->nargs >= 2 ? wide(r, op) : (fe_malformed(r), NULL);
    case SpvOpVectorTimesScalar:
    case SpvOpMatrixTimesScalar:
    case SpvOpVectorTimesMatrix:
    case SpvOpMatrixTimesVector:
    case SpvOpMatrixTimesMatrix:
    case SpvOpOuterProduct:
    case SpvOpDot:
    case SpvOpTranspose: return fe_matrix_op(r, op);
    }
    *known = false;
    return NULL;
}

static bool copy_memory(struct fe_reader *r, const uint32_t *words) {
    struct fe_pointer *to = fe_get_pointer(r, words[1]), *from = fe_get_pointer(r, words[2]);
    if (!to || !from)
        return false;
    if (to->type->words != from->type->words)
        return fe_malformed(r);
    struct ir_inst **value = fe_load(r, from);
    return value && fe_store(r, to, value);
}

bool fe_translate(struct fe_reader *r, const struct fe_inst *inst) {
    const uint32_t *words = fe_operands(r, inst);
    switch (inst->op) {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain: return fe_access_chain(r, inst);
    case SpvOpStore: {
        struct fe_pointer *to = fe_get_pointer(r, words[1]);
        struct ir_inst **value = to ? fe_value_n(r, words[2], to->type->words) : NULL;
        return value && fe_store(r, to, value);
    }
    case SpvOpCopyMemory: return copy_memory(r, words);
    }
    if (!inst->type || !inst->result)
        return fe_fail(r, "unsupported", "%s: not supported on this hardware", fe_opcode_name(inst->op));
    const struct fe_type *type = fe_type(r, inst->type);
    if (!type)
        return false;
    if (inst->op == SpvOpCopyObject && type->kind == FE_POINTER) {
        r->id[inst->result].pointer = fe_get_pointer(r, words[3]);
        return !r->failed;
    }
    struct ir_inst **value = NULL;
    struct fe_op op = {
        .op = inst->op, .type = type, .result = inst->result, .arg = words + 3, .nargs = inst->count - 3};
    if (type->kind == FE_VOID && inst->op != SpvOpExtInst)
        return fe_malformed(r);
    if (inst->op == SpvOpLoad) {
        struct fe_pointer *from = fe_get_pointer(r, words[3]);
        if (from && from->type->words != type->words)
            return fe_malformed(r);
        value = from ? fe_load(r, from) : NULL;
        if (value && type->kind == FE_SAMPLED_IMAGE && from->leaf < from->object->nleaves) {
            r->id[inst->result].first_sampler = from->object->leaf[from->leaf].base;
            r->id[inst->result].samplers = from->object->leaf[from->leaf].words;
        }
    } else if (inst->op == SpvOpUndef) {
        value = fe_undef(r, type);
    } else if (inst->op == SpvOpExtInst) {
        if (words[3] != r->glsl_set) {
            if (type->kind == FE_VOID) /* debug information */
                return true;
            return fe_unsupported(r, "extended instruction set other than GLSL.std.450");
        }
        value = fe_extended(r, &op);
    } else if (inst->op == SpvOpSampledImage || inst->op == SpvOpImage ||
               (inst->op >= SpvOpImageSampleImplicitLod && inst->op <= SpvOpImageQuerySamples) ||
               (inst->op >= SpvOpImageSparseSampleImplicitLod && inst->op <= SpvOpImageSparseRead)) {
        value = fe_image_op(r, &op);
    } else {
        bool known;
        value = fe_arithmetic(r, &op, &known);
        if (!known)
            return fe_fail(r, "unsupported", "%s: not supported on this hardware", fe_opcode_name(inst->op));
    }
    if (!value || r->failed)
        return r->failed ? false : fe_malformed(r);
    fe_set(r, inst->result, type, value);
    return true;
}
