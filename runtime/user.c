/* What general-purpose programs have beside a shader: one VPM for all of them, and DMA between it and memory
 * (guide section 7, tables 34 to 37).
 *
 * The guide leaves open how rows that end beyond column 15 go on and where a vertical load's next row lies.
 * Taken here: words of a row follow each other, horizontally into the next row of the VPM, vertically into
 * the next column of the same sixteen rows; a vertical load's rows are VPITCH columns apart. A transfer is
 * complete at once. */
#include "runtime/machine.h"

struct block {
    bool vertical;
    unsigned x, y, sub, width; /* first word; first byte in it; bytes of an element */
};

/* Where byte `at` of the row lies. */
static uint8_t *place(struct sim_user *u, const struct block *b, unsigned at) {
    unsigned byte = b->sub + at, word = byte / 4, row, column;
    if (b->vertical) {
        unsigned along = b->y % 16 + word;
        row = (b->y & ~15u) + along % 16;
        column = (b->x + along / 16) % 16;
    } else {
        unsigned linear = b->y * 16 + b->x + word;
        row = linear / 16;
        column = linear % 16;
    }
    return (uint8_t *)&u->vpm[row % QPUSIM_MAX_VPM_ROWS][column] + byte % 4;
}

/* Modes 0: words, 2 and 3: halfwords, 4 to 7: bytes, with the place of the first one in its word. */
static void set_width(struct block *b, unsigned mode) {
    b->width = mode < 2 ? 4 : mode < 4 ? 2 : 1;
    b->sub = mode < 2 ? 0 : mode < 4 ? 2 * (mode & 1) : mode & 3;
}

static bool outside(struct sim_thread *t, const char *what, uint32_t address, unsigned bytes) {
    return !sim_fail(t, SIM_VPM_DMA, 0, "%s of %u bytes at %08x, which is outside memory", what, bytes,
                     (unsigned)address);
}

static bool load(struct sim_thread *t, uint32_t address) {
    uint32_t s = t->dma.load, pitch_code = s >> 24 & 15;
    unsigned length = s >> 20 & 15, rows = s >> 16 & 15, pitch = s >> 12 & 15;
    uint32_t memory_pitch = pitch_code ? 8u << pitch_code : t->dma.pitch;
    struct block b = {.vertical = s >> 11 & 1, .x = s & 15, .y = s >> 4 & 127};
    set_width(&b, s >> 28 & 7);
    length = length ? length : 16;
    rows = rows ? rows : 16;
    pitch = pitch ? pitch : 16;
    for (unsigned r = 0; r < rows; r++) {
        const uint8_t *from = sim_memory_at(t->memory, address, length * b.width);
        if (!from)
            return outside(t, "a VPM load", address, length * b.width);
        for (unsigned i = 0; i < length * b.width; i++)
            *place(t->shared->user, &b, i) = from[i];
        address += memory_pitch;
        if (b.vertical) {
            b.x = (b.x + pitch) % 16;
        } else { /* a place within the word carries into the row */
            unsigned parts = 4 / b.width, at = b.y * parts + b.sub / b.width + pitch;
            b.y = at / parts;
            b.sub = at % parts * b.width;
        }
    }
    return true;
}

static bool store(struct sim_thread *t, uint32_t address) {
    uint32_t s = t->dma.store;
    unsigned rows = s >> 23 & 127, length = s >> 16 & 127;
    bool packed = t->dma.stride >> 16 & 1;
    struct block b = {.vertical = !(s >> 14 & 1), .x = s >> 3 & 15, .y = s >> 7 & 127};
    set_width(&b, s & 7);
    rows = rows ? rows : 128;
    length = length ? length : 128;
    unsigned bytes = length * b.width;
    for (unsigned r = 0; r < rows; r++) {
        uint8_t *to = sim_memory_at(t->memory, address, bytes);
        if (!to)
            return outside(t, "a VPM store", address, bytes);
        for (unsigned i = 0; i < bytes; i++)
            to[i] = *place(t->shared->user, &b, i + (packed ? r * bytes : 0));
        address += bytes + (t->dma.stride & 0xffff);
        if (!packed)
            *(b.vertical ? &b.x : &b.y) += 1;
    }
    return true;
}

bool sim_user_setup(struct sim_thread *t, bool write, uint32_t word) {
    if (write)
        *(word >> 30 == 2 ? &t->dma.store : &t->dma.stride) = word;
    else if (word >> 28 == 9)
        t->dma.pitch = word & 0x1fff;
    else
        t->dma.load = word;
    return word >> 30 != 1 ||
           !sim_fail(t, SIM_VPM_DMA, 0, "setup word %08x has a reserved number", (unsigned)word);
}

bool sim_user_dma(struct sim_thread *t, bool write, uint32_t address) {
    return write ? store(t, address) : load(t, address);
}

/* Does the next instruction wait for another program? */
bool sim_user_waits(const struct sim_thread *t) {
    if (t->pc >= t->program->count)
        return false;
    const struct sim_inst *in = &t->program->code[t->pc];
    if (in->kind == SIM_K_SEMAPHORE)
        return t->shared->semaphore[in->sem & 15] == (in->sem_down ? 0 : 15);
    return in->kind == SIM_K_ALU && t->shared->mutex &&
           (in->raddr[0] == QPU_R_MUTEX || in->raddr[1] == QPU_R_MUTEX);
}
