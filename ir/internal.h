/* What the files of ir/ share among themselves. */
#ifndef QPUCC_IR_INTERNAL_H
#define QPUCC_IR_INTERNAL_H

#include "ir/ir.h"

#include <string.h>

/* pack.c */
struct ir_packed {
    uint32_t users; /* those that will free it, of any thread */
    uint32_t size;  /* of all of this */
    uint32_t blocks, insts, sources, slots;
    struct ir_unrolled unrolled;
    uint8_t data[];
};

/* ir_verify that also names the instruction at fault (NULL: the shader or a block as a whole). */
bool ir_verify_where(struct ir_shader *shader, char *error, size_t size, const struct ir_inst **where);

/* Links inst into block before `before`, or at the end (before a terminator that is already there) when NULL.
 */
void ir_link(struct ir_inst *inst, struct ir_block *block, struct ir_inst *before);
/* Room for count sources; phis also get phi_block and spare capacity for ir_phi_add. */
void ir_alloc_sources(struct ir_arena *arena, struct ir_inst *inst, uint32_t count);
/* Fills every block's pred from the succ of all others, in block order; an edge pair counts once. */
void ir_fill_preds(struct ir_shader *shader);
/* Grows an arena array of elements to hold one more; returns the (perhaps moved) array. */
void *ir_grow(struct ir_arena *arena, void *array, uint32_t count, uint32_t *capacity, size_t element);

/* All of a slot before its value, as one word. */
static inline uint64_t ir_slot_head(const struct ir_slot *slot) {
    uint64_t head;
    memcpy(&head, slot, sizeof head);
    return head;
}
_Static_assert(offsetof(struct ir_slot, value) == sizeof(uint64_t), "the head is one word");

extern const char *const ir_builtin_names[IR_BUILTIN_COUNT];
/* Type of source k of an operation as ops.def writes it: 'f', 'i', 'b', '*', '?', or 0 if there is no such
 * source. */
char ir_source_kind(const struct ir_op_info *info, uint32_t k);
/* The type a builtin has. */
enum ir_type ir_builtin_type(enum ir_builtin builtin);

#endif
