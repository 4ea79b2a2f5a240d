/* A number for what a shader computes and in what order: the same for two shaders that differ in nothing but
 * the numbers of their values, source places and unused ids, and hence give the same code. Comparing
 * fingerprints only saves work: if two agree by chance, an attempt is left out, but no wrong code results. */
#include "ir/internal.h"

static void mix(uint64_t *hash, uint64_t x) {
    *hash = (*hash ^ x) * 0x9e3779b97f4a7c15u;
    *hash ^= *hash >> 29;
}

/* Places in the program by id. */
struct numbers {
    uint32_t *value, *block;
};

static uint64_t pair(uint32_t a, uint32_t b) {
    return (uint64_t)a << 32 | b;
}

static void mix_inst(uint64_t *hash, const struct ir_inst *inst, const struct numbers *n) {
    mix(hash, (uint64_t)inst->nsrc << 40 | (uint64_t)inst->exact << 32 | (uint32_t)inst->precision << 24 |
                  (uint32_t)inst->type << 16 | inst->op);
    mix(hash, pair(inst->imm, inst->aux));
    for (uint32_t k = 0; inst->op == IR_PHI && k < inst->nsrc; k++)
        mix(hash, pair(n->value[inst->src[k]->id], n->block[inst->phi_block[k]->id]));
    for (uint32_t k = 0; inst->op != IR_PHI && k < inst->nsrc; k += 2)
        mix(hash, pair(n->value[inst->src[k]->id], k + 1 < inst->nsrc ? n->value[inst->src[k + 1]->id] : 0));
}

static void mix_slot(uint64_t *hash, const struct ir_slot *slot) {
    mix(hash, ir_slot_head(slot));
    mix(hash, pair(slot->value, slot->arg[0]));
    if (slot->narg > 1)
        mix(hash, pair(slot->arg[1], slot->arg[2]));
    if (slot->narg > 3)
        mix(hash, slot->arg[3]);
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
    for (uint32_t i = 0; i < shader->nslots; i++)
        mix_slot(&hash, &shader->slots[i]);
    ir_arena_destroy(arena);
    return hash ? hash : 1;
}
