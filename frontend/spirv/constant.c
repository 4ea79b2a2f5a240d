/* Whole numbers and truths that are known when a module is read (SPIR-V 1.0, 2.12): constants, and operations
 * on them. Lengths of arrays may be such operations, and so may indices.
 *
 * Requires: the module's constants in their order, in which operands come first; each is folded once, when it
 * is declared. Keeps: the rest, which values.c makes code of. */
#include "frontend/spirv/reader.h"

#include <spirv/unified1/spirv.h>

static bool is_whole(const struct fe_type *type) {
    return type && !type->why && (type->kind == FE_INT || type->kind == FE_UINT || type->kind == FE_BOOL);
}

/* False: undefined (division by zero, the quotient that has no number), or none of these operations. */
static bool divide(uint32_t op, uint32_t a, uint32_t b, uint32_t *out) {
    int32_t x = (int32_t)a, y = (int32_t)b;
    if (!b || (op != SpvOpUDiv && op != SpvOpUMod && x == INT32_MIN && y == -1))
        return false;
    switch (op) {
    case SpvOpUDiv: *out = a / b; return true;
    case SpvOpUMod: *out = a % b; return true;
    case SpvOpSDiv: *out = (uint32_t)(x / y); return true;
    case SpvOpSRem: *out = (uint32_t)(x % y); return true;
    case SpvOpSMod: /* has the divisor's sign */
        *out = (uint32_t)(x % y);
        *out += *out && (x ^ y) < 0 ? b : 0;
        return true;
    }
    return false;
}

/* The same for a shift by as many bits as there are, or more. */
static bool shift(uint32_t op, uint32_t a, uint32_t by, uint32_t *out) {
    if (by > 31)
        return false;
    switch (op) {
    case SpvOpShiftLeftLogical: *out = a << by; return true;
    case SpvOpShiftRightLogical: *out = a >> by; return true;
    case SpvOpShiftRightArithmetic: *out = a >> by | (by && a >> 31 ? ~(UINT32_MAX >> by) : 0); return true;
    }
    return false;
}

static bool fold(uint32_t op, const uint32_t v[3], uint32_t count, uint32_t *out) {
    uint32_t a = v[0], b = v[1];
    int32_t x = (int32_t)a, y = (int32_t)b;
    if (count == 1) {
        switch (op) {
        case SpvOpSNegate: *out = 0 - a; return true;
        case SpvOpNot: *out = ~a; return true;
        case SpvOpLogicalNot: *out = !a; return true;
        case SpvOpUConvert:
        case SpvOpSConvert: *out = a; return true;
        }
        return false;
    }
    if (count == 3) {
        *out = a ? b : v[2];
        return op == SpvOpSelect;
    }
    switch (op) {
    case SpvOpIAdd: *out = a + b; return true;
    case SpvOpISub: *out = a - b; return true;
    case SpvOpIMul: *out = a * b; return true;
    case SpvOpBitwiseOr:
    case SpvOpLogicalOr: *out = a | b; return true;
    case SpvOpBitwiseAnd:
    case SpvOpLogicalAnd: *out = a & b; return true;
    case SpvOpBitwiseXor: *out = a ^ b; return true;
    case SpvOpIEqual:
    case SpvOpLogicalEqual: *out = a == b; return true;
    case SpvOpINotEqual:
    case SpvOpLogicalNotEqual: *out = a != b; return true;
    case SpvOpULessThan: *out = a < b; return true;
    case SpvOpULessThanEqual: *out = a <= b; return true;
    case SpvOpUGreaterThan: *out = a > b; return true;
    case SpvOpUGreaterThanEqual: *out = a >= b; return true;
    case SpvOpSLessThan: *out = x < y; return true;
    case SpvOpSLessThanEqual: *out = x <= y; return true;
    case SpvOpSGreaterThan: *out = x > y; return true;
    case SpvOpSGreaterThanEqual: *out = x >= y; return true;
    }
    return divide(op, a, b, out) || shift(op, a, b, out);
}

/* `words`: the operation and its operands. */
static bool fold_operation(const struct fe_reader *r, const uint32_t *words, uint32_t count, uint32_t *out) {
    uint32_t value[3] = {0}, operands = count - 1;
    if (operands < 1 || operands > 3)
        return false;
    for (uint32_t k = 0; k < operands; k++) {
        uint32_t id = words[1 + k];
        if (id >= r->bound || !r->id[id].known)
            return false;
        value[k] = r->id[id].value;
    }
    return fold(words[0], value, operands, out);
}

void fe_fold_constant(struct fe_reader *r, const struct fe_inst *inst) {
    struct fe_id *id = &r->id[inst->result];
    const uint32_t *words = fe_operands(r, inst);
    if (!is_whole(id->type))
        return;
    switch (inst->op) {
    case SpvOpConstantTrue:
    case SpvOpSpecConstantTrue: id->value = 1; break;
    case SpvOpConstantFalse:
    case SpvOpSpecConstantFalse:
    case SpvOpConstantNull: id->value = 0; break;
    case SpvOpConstant:
    case SpvOpSpecConstant: id->value = words[3]; break;
    case SpvOpSpecConstantOp:
        if (!fold_operation(r, words + 3, inst->count - 3, &id->value))
            return;
        break;
    default: return;
    }
    id->known = true;
}

bool fe_constant_u32(struct fe_reader *r, uint32_t id, uint32_t *value) {
    if (id >= r->bound)
        return fe_malformed(r);
    *value = r->id[id].value;
    return r->id[id].known && r->id[id].type->kind != FE_BOOL;
}
