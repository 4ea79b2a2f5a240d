/* VPM addressing: where the sixteen elements of a vector lie (guide section 7, figures 8 and 9, tables 32 and
 * 33). */
#include "runtime/machine.h"

struct sim_vpm_block sim_vpm_decode(uint32_t setup) {
    struct sim_vpm_block b = {
        .addr = setup & 0xff,
        .size = setup >> 8 & 3,
        .laned = setup >> 10 & 1,
        .horizontal = setup >> 11 & 1,
        .stride = setup >> 12 & 63,
        .remaining = setup >> 20 & 15,
    };
    if (!b.stride)
        b.stride = 64;
    if (!b.remaining)
        b.remaining = 16;
    return b;
}

unsigned sim_vpm_elements(const struct sim_vpm_block *b, uint16_t offset[SIM_LANES]) {
    unsigned width = 1u << b->size; /* bytes */
    unsigned parts = 4 / width;     /* sub-vectors in a vector of words */
    unsigned part = b->addr % parts, word = b->addr / parts % 64;
    for (unsigned i = 0; i < SIM_LANES; i++) {
        /* Which word along the vector, and which bytes of it. */
        unsigned along = i, byte = part * width;
        if (!b->laned && parts > 1) {
            along = part * (SIM_LANES / parts) + i / parts;
            byte = i % parts * width;
        }
        unsigned row = b->horizontal ? word : (word & 48) + along;
        unsigned column = b->horizontal ? along : word & 15;
        offset[i] = (uint16_t)(row * 64 + column * 4 + byte);
    }
    return width;
}
