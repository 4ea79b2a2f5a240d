/* Vertex attributes: from the words that the vertex fetch puts into the VPM to a shader's components; a part
 * of lower_stage.
 *
 * requires: the words of the attribute, read from the VPM in order.
 * keeps:    everything else.
 * breaks:   nothing.
 *
 * The fetch copies bytes and converts nothing (guide section 9, "Attribute Array"): a component of 8 or 16
 * bits, or a field of 2_10_10_10, is unpacked here. Unpacking a register of file A costs nothing where one
 * operation reads it, so bytes and halves are left to selection as unpacks. */
#include "passes/lower_attribute.h"
#include "passes/eval.h"

typedef struct ir_inst *val;

static bool is_packed(uint8_t type) {
    return type == QPUCC_ATTR_INT_2_10_10_10_REV || type == QPUCC_ATTR_UINT_2_10_10_10_REV;
}

static bool is_signed(uint8_t type) {
    return type == QPUCC_ATTR_BYTE || type == QPUCC_ATTR_SHORT || type == QPUCC_ATTR_INT ||
           type == QPUCC_ATTR_INT_2_10_10_10_REV;
}

static uint32_t bits_of(uint8_t type, uint32_t component) {
    switch (type) {
    case QPUCC_ATTR_BYTE:
    case QPUCC_ATTR_UBYTE: return 8;
    case QPUCC_ATTR_HALF:
    case QPUCC_ATTR_SHORT:
    case QPUCC_ATTR_USHORT: return 16;
    case QPUCC_ATTR_INT_2_10_10_10_REV:
    case QPUCC_ATTR_UINT_2_10_10_10_REV: return component == 3 ? 2 : 10;
    default: return 32;
    }
}

uint32_t lower_attribute_bytes(const struct qpucc_attribute_state *a, uint32_t components) {
    uint32_t stored = a->components ? a->components : 4;
    if (is_packed(a->type) || a->bgra)
        return 4;
    return bits_of(a->type, 0) / 8 * (components < stored ? components : stored);
}

/* A component's field of its word as a whole number. */
static val field(struct ir_builder *b, uint8_t type, const val *words, uint32_t component) {
    uint32_t bits = bits_of(type, component), first = component * bits % 32;
    val word = words[is_packed(type) ? 0 : component * bits / 32];
    if (is_packed(type))
        first = 10 * component;
    if (bits == 32)
        return word;
    if (type == QPUCC_ATTR_UBYTE)
        return ir_emit(b, IR_UNPACK_8I, IR_I32, 1, &word, component, 0);
    if (type == QPUCC_ATTR_SHORT)
        return ir_emit(b, IR_UNPACK_16I, IR_I32, 1, &word, component % 2, 0);
    if (is_signed(type)) {
        if (first + bits < 32)
            word = ir_op2(b, IR_ISHL, word, ir_const_i(b, 32 - first - bits));
        return ir_op2(b, IR_IASR, word, ir_const_i(b, 32 - bits));
    }
    if (first)
        word = ir_op2(b, IR_USHR, word, ir_const_i(b, first));
    return first + bits < 32 ? ir_op2(b, IR_IAND, word, ir_const_i(b, (1u << bits) - 1)) : word;
}

/* `most` becomes 1: the factor's error is less than half a unit, and the product rounds to nearest. */
static val reciprocal(struct ir_builder *b, double most) {
    return ir_const_f(b, (float)(1 / most));
}

static val normalized(struct ir_builder *b, const struct qpucc_attribute_state *a, val whole, uint32_t bits) {
    bool legacy = a->normalized == QPUCC_ATTR_NORMALIZED_LEGACY;
    double most = (double)(1ull << bits) - 1; /* unsigned, and of 2 c + 1 */
    if (!is_signed(a->type)) {
        val number = ir_op1(b, bits == 32 ? IR_U2F : IR_I2F, whole);
        return ir_op2(b, IR_FMUL, number, reciprocal(b, most));
    }
    if (legacy && bits == 32) { /* 2 c + 1 has a bit too many */
        val half = ir_const_f(b, 0.5f);
        val number = ir_op2(b, IR_FADD, ir_op1(b, IR_I2F, whole), half);
        return ir_op2(b, IR_FMUL, number, reciprocal(b, most / 2));
    }
    if (legacy) {
        val twice = ir_op2(b, IR_IADD, whole, whole);
        val number = ir_op1(b, IR_I2F, ir_op2(b, IR_IADD, twice, ir_const_i(b, 1)));
        return ir_op2(b, IR_FMUL, number, reciprocal(b, most));
    }
    val scale = reciprocal(b, (double)(1ull << (bits - 1)) - 1);
    val number = ir_op2(b, IR_FMUL, ir_op1(b, IR_I2F, whole), scale);
    return ir_op2(b, IR_FMAX, number, ir_const_f(b, -1.0f));
}

static val as_float(struct ir_builder *b, const struct qpucc_attribute_state *a, const val *words,
                    uint32_t component) {
    uint32_t bits = bits_of(a->type, component);
    val word = words[component * bits / 32 % 4];
    switch (a->type) {
    case QPUCC_ATTR_FLOAT: return word;
    case QPUCC_ATTR_HALF: return ir_emit(b, IR_UNPACK_16F, IR_F32, 1, &word, component % 2, 0);
    case QPUCC_ATTR_FIXED: {
        val scale = ir_const_f(b, 1.0f / 65536);
        return ir_op2(b, IR_FMUL, ir_op1(b, IR_I2F, word), scale);
    }
    case QPUCC_ATTR_UBYTE:
        if (a->normalized)
            return ir_emit(b, IR_UNPACK_8F, IR_F32, 1, &word, component, 0);
        break;
    default: break;
    }
    val whole = field(b, a->type, words, component);
    if (a->normalized)
        return normalized(b, a, whole, bits);
    return ir_op1(b, a->type == QPUCC_ATTR_UINT ? IR_U2F : IR_I2F, whole);
}

static val as_integer(struct ir_builder *b, const struct qpucc_attribute_state *a, const val *words,
                      uint32_t component) {
    if (a->type == QPUCC_ATTR_HALF || a->type == QPUCC_ATTR_FIXED) /* GL leaves it open */
        return ir_op1(b, IR_F2I, as_float(b, a, words, component));
    return field(b, a->type, words, component);
}

val lower_attribute_component(struct ir_builder *b, const struct qpucc_attribute_state *a, const val *words,
                              uint32_t component, bool integer) {
    uint32_t stored = a->components ? a->components : 4;
    if (component >= stored)
        return integer ? ir_const_i(b, component == 3) : ir_const_f(b, component == 3 ? 1.0f : 0.0f);
    if (a->bgra && component < 3)
        component = 2 - component;
    return integer ? as_integer(b, a, words, component) : as_float(b, a, words, component);
}
