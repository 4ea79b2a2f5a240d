/* Tile lists: what the binner leaves in memory for the renderer (guide sections 8 and 9).
 *
 * A tile's list begins in its initial block at the base of the tile allocation memory and goes on in blocks
 * from the memory behind these, or from overspill memory. State is written into a list only when a primitive
 * is that needs it: each tile remembers up to which state change its list is complete. Primitives are
 * compressed (records 48 and 49); a block that is full ends with a relative branch within the compressed list
 * when the next one is near enough, with an absolute one otherwise.
 *
 * At the flush each tile's 48 bytes of the tile state data array tell where its list would go on. Binning
 * that does not initialise the array goes on there: over the return, in the format that the list has, with
 * all state that is set anew. The guide gives the size, and not what is in it:
 *
 *   word 0: address of the next byte; 0: the tile begins with its initial block
 *   word 1: end of the block
 *   word 2: primitive list format, as record 56 has it
 *   words 3 to 11: 0 */
#include "runtime/front/block.h"

#define ALIGN 32
#define STATE 48      /* bytes of a tile in the tile state data array */
#define BRANCH_ROOM 6 /* escape code and absolute branch */

static bool take_overspill(struct qpusim_block *b) {
    struct sim_bin *bin = &b->bin;
    if (!b->overflow_size) {
        b->out_of_memory = true;
        b->interrupts |= SIM_INT_OUT_OF_MEMORY;
        if (!b->overflow || !b->overflow(b->overflow_user, b) || !b->overflow_size)
            return sim_block_fail(
                b, QPUSIM_BAD_LIST, "binner-memory",
                "the binner needs more memory, and there is no overspill memory (BPOS is 0)");
    }
    uint32_t skip = -b->overflow_address & (ALIGN - 1);
    uint8_t *bytes = sim_memory_at(b->memory, b->overflow_address, b->overflow_size);
    if (!bytes)
        return sim_block_fail_address(b, "overspill memory", b->overflow_address, b->overflow_size);
    skip = skip < b->overflow_size ? skip : b->overflow_size;
    bin->pool = bytes + skip;
    bin->pool_address = b->overflow_address + skip;
    bin->pool_left = b->overflow_size - skip;
    b->overflow_size = 0;
    b->out_of_memory = false;
    b->interrupts |= SIM_INT_OVERSPILL;
    return true;
}

uint8_t *sim_tile_list_alloc(struct qpusim_block *b, uint32_t size, uint32_t *address) {
    struct sim_bin *bin = &b->bin;
    while (bin->pool_left < size)
        if (!sim_block_item(b) || !take_overspill(b))
            return NULL;
    uint8_t *bytes = bin->pool;
    *address = bin->pool_address;
    bin->pool += size;
    bin->pool_address += size;
    bin->pool_left -= size;
    return bytes;
}

/* What binning before left of a tile; false after an error. */
static bool resume(struct qpusim_block *b, struct sim_bin_tile *t, const uint8_t *state) {
    uint32_t word[3];
    memcpy(word, state, sizeof word);
    if (!word[0])
        return true;
    uint32_t left = word[1] - word[0];
    uint8_t *at = left >= BRANCH_ROOM + 2 && left <= 256 ? sim_memory_at(b->memory, word[0], left) : NULL;
    if (!at)
        return sim_block_fail(b, QPUSIM_BAD_LIST, "tile-state",
                              "the tile state data array was not initialised: a list from 0x%08x to 0x%08x",
                              (unsigned)word[0], (unsigned)word[1]);
    t->at = at;
    t->end = at + left;
    t->address = word[0];
    t->coder.primitive = word[2] & 15;
    t->coder.data = word[2] >> 4 & 15;
    return true;
}

static void leave(const struct sim_bin_tile *t, uint8_t *state) {
    const uint32_t word[12] = {t->address, t->address + (uint32_t)(t->end - t->at),
                               (uint32_t)t->coder.primitive | (uint32_t)t->coder.data << 4};
    memcpy(state, word, sizeof word);
}

bool sim_tile_lists_begin(struct qpusim_block *b) {
    struct sim_bin *bin = &b->bin;
    const struct qpusim_cl_binning_mode *m = &bin->mode;
    uint32_t initial = 32u << m->initial_block, base = m->allocation;
    uint64_t needed = (uint64_t)initial * bin->tiles;
    if (base & (ALIGN - 1))
        return sim_block_fail(b, QPUSIM_BAD_LIST, "alignment",
                              "tile allocation memory at 0x%08x is not on a 32-byte boundary",
                              (unsigned)base);
    if (needed > m->allocation_size)
        return sim_block_fail(b, QPUSIM_BAD_LIST, "binner-memory",
                              "%u tiles of %u bytes do not fit tile allocation memory of %u bytes",
                              bin->tiles, (unsigned)initial, (unsigned)m->allocation_size);
    uint8_t *bytes = sim_memory_at(b->memory, base, m->allocation_size);
    if (!bytes)
        return sim_block_fail_address(b, "tile allocation memory", base, m->allocation_size);
    for (unsigned i = 0; i < bin->tiles; i++)
        bin->tile[i] = (struct sim_bin_tile){
            .at = bytes + i * initial, .end = bytes + (i + 1) * initial, .address = base + i * initial};
    const uint8_t *state = sim_memory_at(b->memory, m->tile_state, (size_t)STATE * bin->tiles);
    for (unsigned i = 0; i < bin->tiles && !m->initialise; i++)
        if (!resume(b, &bin->tile[i], state + (size_t)STATE * i))
            return false;
    bin->pool = bytes + needed;
    bin->pool_address = base + (uint32_t)needed;
    bin->pool_left = m->allocation_size - (uint32_t)needed;
    bin->block_size = 32u << m->block;
    return true;
}

static void write(struct sim_bin_tile *t, const void *bytes, unsigned size) {
    memcpy(t->at, bytes, size);
    t->at += size;
    t->address += size;
}

static void write_word(struct sim_bin_tile *t, uint8_t code, uint32_t value) {
    const uint8_t bytes[5] = {code, (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24)};
    write(t, bytes, sizeof bytes);
}

static void close_list(struct sim_bin_tile *t) {
    if (t->open)
        write(t, &(uint8_t){128}, 1);
    t->open = false;
}

/* Room for `size` bytes with the branch that may follow them. */
static bool has_space(struct qpusim_block *b, struct sim_bin_tile *t, unsigned size) {
    if ((size_t)(t->end - t->at) >= size + BRANCH_ROOM)
        return true;
    uint32_t address;
    uint8_t *block = sim_tile_list_alloc(b, b->bin.block_size, &address);
    if (!block)
        return false;
    int64_t distance = ((int64_t)address - (t->address & ~(uint32_t)(ALIGN - 1))) / ALIGN;
    if (t->open && distance >= INT16_MIN && distance <= INT16_MAX) {
        const uint8_t branch[3] = {130, (uint8_t)distance, (uint8_t)(distance >> 8)};
        write(t, branch, sizeof branch);
    } else {
        close_list(t);
        write_word(t, QPUSIM_CL_BRANCH, address);
    }
    t->at = block;
    t->end = block + b->bin.block_size;
    t->address = address;
    return true;
}

/* Everything that has changed since the list was last brought up to date; all of a new format, for the shader
 * state counts only after it. */
static bool write_state(struct qpusim_block *b, struct sim_bin_tile *t, unsigned type, unsigned data) {
    struct sim_bin *bin = &b->bin;
    bool reformat = data && (t->coder.data != data || t->coder.primitive != type);
    if (t->stamp == bin->stamp && !reformat)
        return true;
    if (t->open && !has_space(b, t, 1))
        return false;
    close_list(t);
    for (unsigned i = 0; i < SIM_ITEMS; i++) {
        if (i == SIM_ITEM_FORMAT) {
            if (reformat) {
                const uint8_t format[2] = {QPUSIM_CL_PRIMITIVE_LIST_FORMAT, (uint8_t)(type | data << 4)};
                if (!has_space(b, t, sizeof format))
                    return false;
                write(t, format, sizeof format);
                t->coder.primitive = type;
                t->coder.data = data;
            }
            continue;
        }
        if (bin->item[i].size && (bin->item[i].stamp > t->stamp || (i == SIM_ITEM_SHADER && reformat))) {
            if (!has_space(b, t, bin->item[i].size))
                return false;
            write(t, bin->item[i].bytes, bin->item[i].size);
        }
    }
    t->stamp = bin->stamp;
    return true;
}

bool sim_tile_list_add(struct qpusim_block *b, unsigned tile, const struct sim_tile_primitive *p) {
    struct sim_bin_tile *t = &b->bin.tile[tile];
    uint8_t bytes[13];
    if (!write_state(b, t, p->type, p->data))
        return false;
    if (p->clip) {
        if (!has_space(b, t, 1 + 5 + sizeof bytes))
            return false;
        close_list(t);
        write_word(t, QPUSIM_CL_CLIPPED_PRIMITIVE, p->clip);
    } else {
        if (!has_space(b, t, 1 + sizeof bytes))
            return false;
        if (!t->open)
            write(t, &(uint8_t){QPUSIM_CL_COMPRESSED_PRIMITIVES}, 1);
    }
    if (!t->open)
        t->coder.started = false;
    t->open = true;
    write(t, bytes, qpusim_write_primitive(&t->coder, p->index, bytes));
    return true;
}

bool sim_tile_lists_end(struct qpusim_block *b, bool all_state) {
    const struct qpusim_cl_binning_mode *m = &b->bin.mode;
    uint8_t *state = sim_memory_at(b->memory, m->tile_state, (size_t)STATE * b->bin.tiles);
    if (!state)
        return sim_block_fail_address(b, "the tile state data array", m->tile_state,
                                      (size_t)STATE * b->bin.tiles);
    for (unsigned i = 0; i < b->bin.tiles; i++) {
        struct sim_bin_tile *t = &b->bin.tile[i];
        if (all_state && !write_state(b, t, 0, 0))
            return false;
        if (!has_space(b, t, 2))
            return false;
        close_list(t);
        leave(t, state + (size_t)STATE * i);
        write(t, &(uint8_t){QPUSIM_CL_RETURN}, 1);
    }
    return true;
}
