/* The dynamic cycle model of a QPU on its own; front/timing.c puts twelve of them together. Unit: one
 * instruction slot, the four clocks in which a QPU passes one instruction through its four-wide SIMD array
 * (guide section 2).
 *
 * - Every executed instruction takes one slot: nops, delay slots of branches, thread ends and switches
 * included. That is the whole cost of a branch (three slots); instruction fetch is taken to hit.
 * - SFU, accumulator and register file latencies take no extra time: code that reads too early is an error in
 *   strict
 * mode, so the code itself waits with nops.
 * - A texture or memory lookup is answered QPU_LAT_TMU slots after its S write at best (hit). Each TMU takes
 * a new request of 16 lanes every 4 slots (one bilinear sample a clock), 8 when two mip levels are blended; a
 * load signal waits for its answer (stall_tmu).
 * - Data of a VPM read setup can be read three slots later (guide section 7); earlier reads wait
 * (stall_fifo). Varyings (guide section 6) and uniforms keep up with one read per slot.
 * - Two threads of a QPU share its time. When one switches, the other continues at once. Both run on the same
 *   clock, so
 * the instructions of one hide the waiting of the other. A thread alone resumes at once and then waits at its
 * load signal.
 * - The scoreboard, the tile buffer and sharing a TMU with the slice's other QPUs cost nothing here.
 *
 * struct sim_clock can make the TMUs slower: bench/cycles.c also compares programs with answers from outside
 * the cache, and with the slice's usual four QPUs to two TMUs. */
#include "runtime/machine.h"

#include <stddef.h>

#define TMU_SLOTS_PER_PASS 4
#define VPM_SETUP_SLOTS 3

uint64_t sim_clock_tmu_request(struct sim_clock *c, unsigned unit, unsigned passes) {
    uint64_t start = c->tmu_free[unit] > c->now ? c->tmu_free[unit] : c->now;
    uint64_t busy = (uint64_t)passes * TMU_SLOTS_PER_PASS;
    c->tmu_free[unit] = start + busy * (c->tmu_sharers ? c->tmu_sharers : 1);
    return start + (c->tmu_latency ? c->tmu_latency : QPU_LAT_TMU) + busy - TMU_SLOTS_PER_PASS;
}

uint64_t sim_clock_wait(struct sim_clock *c, uint64_t t) {
    if (t <= c->now)
        return 0;
    uint64_t lost = t - c->now;
    c->now = t;
    return lost;
}

uint64_t sim_clock_vpm_ready(const struct sim_clock *c) {
    return c->now + VPM_SETUP_SLOTS;
}

void sim_counters_add(struct qpusim_counters *to, const struct qpusim_counters *from,
                      const size_t instructions[3]) {
    /* All members before the pointers are sums. */
    uint64_t sums[offsetof(struct qpusim_counters, branches) / sizeof(uint64_t)], more[sizeof sums / 8];
    memcpy(sums, to, sizeof sums);
    memcpy(more, from, sizeof more);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        sums[i] += more[i];
    memcpy(to, sums, sizeof sums);
    for (unsigned stage = 0; stage < 3; stage++) {
        uint64_t *branches = from->branches[stage];
        for (size_t i = 0; branches && i < instructions[stage]; i++) {
            to->branches[stage][i] += branches[i];
            branches[i] = 0;
        }
    }
}
