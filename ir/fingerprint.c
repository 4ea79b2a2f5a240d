/* A number for what a shader computes and in what order: the same for two shaders that differ in nothing but
 * the numbers of their values, source places and unused ids, and hence give the same code. Comparing
 * fingerprints only saves work: if two agree by chance, an attempt is left out, but no wrong code results. */
#include "ir/ir.h"

static void mix(uint64_t *hash, uint64_t x) {
    *hash = (*hash ^ x) * 0x9e3779b97f4a7c15u;
    *hash ^= *hash >> 29;
}

/* Places in the program by id. */
struct numbers {
    uint32_t *value, *block;
};

static void mix_inst(uint64_t *hash, const struct ir_inst *inst, const struct numbers *n) {
    mix(hash,
        (uint64_t)inst->op << 32 | (uint32_t)inst->type << 16 | (uint32_t)inst->precision << 8 | inst->exact);
    mix(hash, (uint64_t)inst->imm << 32 | inst->aux);
    mix(hash, inst->nsrc);
    for (uint32_t k = 0; k < inst->nsrc; k++) {
        mix(hash, n->value[inst->src[k]->id]);
        if (inst->op == IR_PHI)
            mix(hash, n->block[inst->phi_block[k]->id]);
    }
}

uint64_t ir_fingerprint(const struct ir_shader *shader) {
    uint64_t hash = shader->stage;
    struct ir_arena *arena = ir_arena_beside(shader->arena);
    if (!arena)
        return 0;
    struct numbers n = {ir_alloc_uncleared(arena, (shader->next_id + 1) * sizeof *n.value),
                        ir_alloc_uncleared(arena, (shader->next_block_id + 1) * sizeof *n.block)};
    uint32_t count = 0;
    ir_for_blocks(shader, block) {
        n.block[block->id] = block_i;
        ir_for_insts(block, inst) {
            n.value[inst->id] = count++;
        }
    }
    if (ir_arena_oom(arena)) {
        ir_arena_destroy(arena);
        return 0;
    }
    ir_for_blocks(shader, block) {
        for (int s = 0; s < 2; s++)
            mix(&hash, block->succ[s] ? n.block[block->succ[s]->id] : UINT32_MAX);
        ir_for_insts(block, inst) {
            mix_inst(&hash, inst, &n);
        }
    }
    for (uint32_t i = 0; i < shader->nslots; i++) {
        const struct ir_slot *slot = &shader->slots[i];
        mix(&hash, (uint64_t)slot->kind << 48 | (uint64_t)slot->param << 32 | (uint32_t)slot->op << 16 |
                       (uint32_t)slot->narg << 8 | slot->type);
        mix(&hash, slot->value);
        for (unsigned k = 0; k < slot->narg; k++)
            mix(&hash, slot->arg[k]);
    }
    ir_arena_destroy(arena);
    return hash ? hash : 1;
}
