/* The user program queue (guide section 10, tables 65 to 68): general-purpose programs on up to twelve QPUs.
 *
 * Programs start as QPUs are free and run in turns, so that semaphores and the mutex work between them. One
 * that waits for others stays where it is until later requests bring them. */
#include <stdlib.h>

#include "runtime/front/block.h"

#define TURN 64 /* instructions */

/* Nibbles of SQRSV0 and 1: bit 0 keeps user programs off the QPU. */
static bool may_run(const struct qpusim_block *b, unsigned qpu) {
    return !(b->reserve[qpu / 8] >> 4 * (qpu % 8) & 1);
}

static bool start(struct qpusim_block *b, unsigned qpu, const struct sim_request *r) {
    struct sim_user_queue *u = &b->user;
    struct qpusim_program *program = sim_program_find(b, r->code, QPUSIM_VERTEX, false);
    if (!program)
        return false;
    if (!u->thread[qpu])
        u->thread[qpu] = aligned_alloc(_Alignof(struct sim_thread), sizeof *u->thread[qpu]);
    if (!u->thread[qpu])
        return sim_block_no_memory(b);
    struct sim_thread *t = u->thread[qpu];
    size_t words = sim_memory_rest(b->memory, r->uniforms & ~3u) / 4;
    words = words < SIM_MAX_STREAM ? words : SIM_MAX_STREAM;
    if (!r->uniforms || !r->length)
        words = 0;
    else if (r->length <= 1023)
        words = words < r->length ? words : r->length;
    u->shared.user = &u->vpm;
    sim_thread_init(t, program, b->options, b->error, &u->shared, &b->clock, b->counters);
    sim_thread_set_uniforms(t, &(struct qpusim_stream){NULL, words, r->uniforms & ~3u}, b->memory);
    t->fragments = NULL;
    t->number = qpu;
    u->busy |= 1u << qpu;
    return true;
}

/* Lets the program run for a turn. False after an error; *moved when it did anything. */
static bool advance(struct qpusim_block *b, unsigned qpu, bool *moved) {
    struct sim_user_queue *u = &b->user;
    struct sim_thread *t = u->thread[qpu];
    enum sim_stop stop;
    t->options = b->options;
    t->error = b->error;
    t->counters = b->counters;
    for (unsigned n = 0; n < TURN; n++) {
        if (sim_user_waits(t))
            return true;
        *moved = true;
        if (sim_thread_step(t, &stop))
            continue;
        if (stop == SIM_STOP_SWITCH)
            continue;
        if (stop == SIM_STOP_ERROR || sim_thread_finish(t, 0, true) != SIM_STOP_END)
            return false;
        u->busy &= ~(1u << qpu);
        u->done++;
        b->counters->batches++;
        b->counters->instructions += t->executed;
        if (b->timing)
            sim_timing_user(b->timing, qpu, t->executed, sim_code_address(b, t->program));
        return true;
    }
    return true;
}

bool sim_user_run(struct qpusim_block *b, bool wait) {
    struct sim_user_queue *u = &b->user;
    bool moved;
    (void)wait;
    u->vpm.rows = 4 * b->vpmbase;
    u->vpm.interrupts = &b->qpu_interrupts;
    do {
        moved = false;
        for (unsigned qpu = 0; qpu < SIM_QPUS; qpu++) {
            if (!(u->busy >> qpu & 1) && u->queued && may_run(b, qpu)) {
                const struct sim_request r = u->queue[0];
                memmove(u->queue, u->queue + 1, --u->queued * sizeof *u->queue);
                if (!start(b, qpu, &r))
                    return false;
                moved = true;
            }
            if (u->busy >> qpu & 1 && !advance(b, qpu, &moved)) {
                u->busy = u->queued = 0;
                return false;
            }
        }
    } while (moved);
    return true;
}

bool sim_user_request(struct qpusim_block *b, uint32_t code) {
    struct sim_user_queue *u = &b->user;
    u->made++;
    u->full |= u->queued == SIM_REQUESTS;
    if (!u->full)
        u->queue[u->queued++] = (struct sim_request){code, u->uniforms, u->length};
    return !u->full;
}

void sim_user_free(struct qpusim_block *b) {
    for (unsigned qpu = 0; qpu < SIM_QPUS; qpu++)
        free(b->user.thread[qpu]);
}
