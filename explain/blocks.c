/* Basic blocks of a stage's code: edges, loops, delay slots.
 *
 * Requires: decoded instructions (parts.c). A block begins at a branch target and after a branch's delay
 * slots, which belong to the block of the branch (guide section 3, "Branch Instruction"). */
#include "explain/analysis.h"

static bool is_branch(const struct analysis *a, uint32_t i) {
    return a->inst[i].q.type == QPU_BRANCH;
}

static bool is_thread_switch(const struct analysis *a, uint32_t i) {
    const struct qpu_inst *q = &a->inst[i].q;
    return q->sig == QPU_SIG_THRSW || q->sig == QPU_SIG_LTHRSW;
}

static bool is_thread_end(const struct analysis *a, uint32_t i) {
    return a->inst[i].q.sig == QPU_SIG_THREND;
}

/* Marks thread switches, delay slots and branch targets. Returns the instructions that begin a block. */
static bool *find_leaders(struct analysis *a) {
    bool *leader = ir_alloc(a->arena, a->count + 1);
    leader[0] = true;
    for (uint32_t i = 0; i < a->count; i++) {
        const struct qpu_inst *q = &a->inst[i].q;
        unsigned delay_slots = is_branch(a, i)                                 ? QPU_BRANCH_SLOTS
                               : is_thread_switch(a, i) || is_thread_end(a, i) ? QPU_THREAD_SLOTS
                                                                               : 0;
        a->text[i].thread_switch = is_thread_switch(a, i);
        for (uint32_t k = i + 1; k <= i + delay_slots && k < a->count; k++)
            a->text[k].delay_slot = true;
        if (!is_branch(a, i) && !is_thread_end(a, i))
            continue;
        if (i + delay_slots + 1 < a->count)
            leader[i + delay_slots + 1] = true;
        int64_t target = (int64_t)i + 1 + QPU_BRANCH_SLOTS + (int32_t)q->imm / 8;
        if (is_branch(a, i) && q->br_rel && !q->br_reg && (int32_t)q->imm % 8 == 0 && target >= 0 &&
            target < a->count) {
            a->text[i].target = (uint32_t)target;
            leader[target] = true;
        }
    }
    return leader;
}

static void find_edges(struct analysis *a, uint32_t b) {
    struct qpucc_explain_block *block = &a->block[b];
    uint32_t n = 0, branch = UINT32_MAX, end = block->first + block->count;
    bool ends_program = false;
    for (uint32_t i = block->first; i < end; i++) {
        branch = is_branch(a, i) ? i : branch;
        ends_program |= is_thread_end(a, i);
    }
    block->edge[0] = block->edge[1] = UINT32_MAX;
    if (ends_program)
        return;
    bool is_unconditional = branch != UINT32_MAX && a->inst[branch].q.cond_br == QPU_BR_ALWAYS;
    if (branch != UINT32_MAX && a->text[branch].target != UINT32_MAX)
        block->edge[n++] = a->text[a->text[branch].target].block;
    if (!is_unconditional && b + 1 < a->out->block_count && !(n && block->edge[0] == b + 1))
        block->edge[n++] = b + 1;
}

/* The compiler lays out a loop as consecutive blocks, from its header to its last branch back. */
static void find_loops(struct analysis *a) {
    uint32_t count = a->out->block_count;
    uint32_t *ends = ir_alloc(a->arena, (count + 1) * sizeof *ends); /* loops whose last block it is */
    unsigned depth = 0;
    a->last_back = ir_alloc(a->arena, (count + 1) * sizeof *a->last_back);
    for (uint32_t b = 0; b < count; b++) {
        a->last_back[b] = UINT32_MAX;
        for (unsigned e = 0; e < 2; e++)
            if (a->block[b].edge[e] <= b)
                a->last_back[a->block[b].edge[e]] = b;
    }
    for (uint32_t b = 0; b < count; b++) {
        if (a->last_back[b] != UINT32_MAX) {
            a->block[b].loop_header = true;
            a->out->loops++;
            ends[a->last_back[b]]++;
            depth++;
        }
        a->block[b].loop_depth = depth;
        depth -= ends[b];
    }
}

void explain_blocks(struct analysis *a) {
    const bool *leader = find_leaders(a);
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < a->count; i++)
        blocks += leader[i];
    a->block = ir_alloc(a->arena, (blocks + 1) * sizeof *a->block);
    a->out->block = a->block;
    for (uint32_t i = 0; i < a->count; i++) {
        if (leader[i])
            a->block[a->out->block_count++].first = i;
        a->text[i].block = a->out->block_count - 1;
        a->block[a->out->block_count - 1].count++;
    }
    for (uint32_t b = 0; b < blocks; b++)
        find_edges(a, b);
    find_loops(a);
}
