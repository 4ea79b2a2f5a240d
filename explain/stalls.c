/* Where the code waits, as the machine's cycle model counts it (runtime/cycles.c) for one thread alone.
 *
 * Requires: parts and blocks. Each block is a run of its own that begins with nothing under way: what a
 * request of an earlier block makes it wait for depends on the path. Requests take one pass, as all do whose
 * filter reads one mip level. */
#include "explain/analysis.h"

enum { PASS = 4, VPM_SETUP = 3, DEPTH = 64 };

/* The requests of a texture unit that are under way. */
struct queue {
    uint64_t ready[DEPTH], free;
    uint32_t asked[DEPTH];
    unsigned head, count;
};

static void request(struct queue *queue, uint64_t now, uint32_t index) {
    uint64_t start = queue->free > now ? queue->free : now;
    if (queue->count == DEPTH) /* eight fit, else the hardware's rules are broken */
        return;
    unsigned at = (queue->head + queue->count++) % DEPTH;
    queue->ready[at] = start + QPU_LAT_TMU;
    queue->asked[at] = index;
    queue->free = start + PASS;
}

static void wait(struct qpucc_explain_instruction *out, uint64_t *now, uint64_t ready, enum qpucc_stall cause,
                 uint32_t index) {
    if (ready <= *now)
        return;
    out->stall += (unsigned)(ready - *now);
    out->stall_cause = cause;
    out->stall_for = index;
    *now = ready;
}

static void run_block(struct analysis *a, struct qpucc_explain_block *block) {
    struct queue queue[2] = {{.free = 0}, {.free = 0}};
    uint64_t now = 0, vpm = 0;
    uint32_t setup = UINT32_MAX;
    for (uint32_t i = block->first; i < block->first + block->count; i++, now++) {
        struct qpucc_explain_instruction *out = &a->text[i];
        const struct instruction *in = &a->inst[i];
        bool reads_vpm = false;
        for (unsigned k = PART_ADD; k <= PART_MUL; k++)
            reads_vpm |= in->part[k].port[0] == QPU_R_VPM || in->part[k].port[1] == QPU_R_VPM;
        if (reads_vpm && setup != UINT32_MAX)
            wait(out, &now, vpm, QPUCC_STALL_VPM, setup);
        if (in->q.sig == QPU_SIG_LDTMU0 || in->q.sig == QPU_SIG_LDTMU1) {
            struct queue *results = &queue[in->q.sig == QPU_SIG_LDTMU1];
            if (results->count) {
                wait(out, &now, results->ready[results->head], QPUCC_STALL_TMU,
                     results->asked[results->head]);
                results->head = (results->head + 1) % DEPTH;
                results->count--;
            }
        }
        for (unsigned k = PART_ADD; k <= PART_MUL; k++) {
            const struct part *part = &in->part[k];
            if (is_request(part->special))
                request(&queue[part->special == QPU_W_TMU1_S], now, i);
            if (part->special == QPU_W_VPM_SETUP && !part->special_b)
                vpm = now + VPM_SETUP, setup = i;
        }
        block->stalls += out->stall;
    }
}

void explain_stalls(struct analysis *a) {
    for (uint32_t b = 0; b < a->out->block_count; b++)
        run_block(a, &a->block[b]);
}
