/* Instructions become words, with the uniform stream beside them.
 *
 * Requires: the whole program's instructions in order. Keeps: them, but for the offsets of resets and
 * branches, which are known only here.
 *
 * The stream is built here and nowhere else, by going through the final code in its static order: one word
 * per instruction that reads one (guide section 3, "Uniforms"), texture set-up words where coordinates are
 * written. */
#include "backend/parts.h"
#include "ir/heap.h"

bool encode_program(struct ir_shader *shader, struct m_code *code, const uint32_t *start,
                    struct be_result *result) {
    uint32_t n = code->count, words = 0;
    bool backward = false;
    const struct qpucc_allocator *from = ir_allocator(shader->arena);
    result->code = ir_heap_get(from, (n + 1) * sizeof *result->code);
    result->lines = ir_heap_get(from, (n + 1) * sizeof *result->lines);
    result->uniforms = ir_heap_get(from, (n + 1) * sizeof *result->uniforms);
    if (!result->code || !result->lines || !result->uniforms)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        struct m_inst *inst = &code->inst[i];
        if (inst->slot != M_NO_VALUE)
            result->uniforms[words++].slot = inst->slot;
        if (inst->offset) { /* the next instruction reads the address: the stream goes on after that word */
            inst->q.imm = 4 * (words + 1);
            backward = false;
        }
        if (inst->target >= 0) {
            inst->q.imm = (start[inst->target] - (i + 1 + QPU_BRANCH_SLOTS)) * 8u;
            backward |= start[inst->target] <= i;
        }
        result->code[i] = qpu_encode(&inst->q);
        result->lines[i] = inst->loc.line;
    }
    /* The reset that a branch back leads to reads the word that the stream has reached: the address before
     * the block after the branch, or one word more where a loop has no later reset (docs/hardware.md,
     * Kernel). */
    if (backward)
        result->uniforms[words++].slot =
            ir_slot(shader, (struct ir_slot){.kind = IR_SLOT_STREAM, .type = IR_I32});
    result->uniform_count = words;
    result->count = n;
    return true;
}
