/* The 16 logic operations, on packed words.
 *
 * requires: fragment and tile in the same byte order.
 * keeps:    nothing of the fragment but what the operation says.
 * breaks:   nothing. */
#include "passes/lower_output.h"

/* Does the operation depend on what the tile has? */
bool logic_reads(const struct qpucc_state *state) {
    switch (state->logic_op) {
    case QPUCC_LOGIC_COPY:
    case QPUCC_LOGIC_CLEAR:
    case QPUCC_LOGIC_COPY_INVERTED:
    case QPUCC_LOGIC_SET: return false;
    default: return true;
    }
}

struct ir_inst *lower_logic(struct ir_builder *b, unsigned op, struct ir_inst *s, struct ir_inst *d) {
    switch (op) {
    case QPUCC_LOGIC_CLEAR: return ir_const_i(b, 0);
    case QPUCC_LOGIC_AND: return ir_op2(b, IR_IAND, s, d);
    case QPUCC_LOGIC_AND_REVERSE: return ir_op2(b, IR_IAND, s, ir_op1(b, IR_INOT, d));
    case QPUCC_LOGIC_AND_INVERTED: return ir_op2(b, IR_IAND, d, ir_op1(b, IR_INOT, s));
    case QPUCC_LOGIC_NOOP: return d;
    case QPUCC_LOGIC_XOR: return ir_op2(b, IR_IXOR, s, d);
    case QPUCC_LOGIC_OR: return ir_op2(b, IR_IOR, s, d);
    case QPUCC_LOGIC_NOR: return ir_op1(b, IR_INOT, ir_op2(b, IR_IOR, s, d));
    case QPUCC_LOGIC_EQUIV: return ir_op1(b, IR_INOT, ir_op2(b, IR_IXOR, s, d));
    case QPUCC_LOGIC_INVERT: return ir_op1(b, IR_INOT, d);
    case QPUCC_LOGIC_OR_REVERSE: return ir_op2(b, IR_IOR, s, ir_op1(b, IR_INOT, d));
    case QPUCC_LOGIC_COPY_INVERTED: return ir_op1(b, IR_INOT, s);
    case QPUCC_LOGIC_OR_INVERTED: return ir_op2(b, IR_IOR, d, ir_op1(b, IR_INOT, s));
    case QPUCC_LOGIC_NAND: return ir_op1(b, IR_INOT, ir_op2(b, IR_IAND, s, d));
    case QPUCC_LOGIC_SET: return ir_const_i(b, UINT32_MAX);
    default: return s;
    }
}
