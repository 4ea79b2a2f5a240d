/* The rule checker: what code may rely on only where the chip is known to do it (options->chip).
 *
 * Requires: effects and reached instructions. It reads bits alone, and the constants of the stream that it is
 * told of, because a set-up word says what an instruction does. */
#include "backend/isa/check.h"
#include "backend/isa/chip.h"

/* The word that the instruction writes to the VPM's write set-up, if it can be known. */
static bool write_setup(const struct checker *c, size_t index, uint32_t *word) {
    const struct effect *e = &c->effects[index];
    const struct qpu_known_word *taken = c->options->words ? &c->options->words[index] : NULL;
    if (!effect_writes_file(e, QPU_W_VPM_SETUP, true)) {
        return false;
    }
    if (e->inst.type == QPU_LDI) {
        *word = e->inst.imm;
        return true;
    }
    if (!taken || !taken->known) {
        return false;
    }
    *word = taken->value;
    return true;
}

static void check_setup(struct checker *c, size_t index) {
    uint32_t word;
    if (!write_setup(c, index, &word) || word >> 30) {
        return; /* kind 0 is the VPM's own set-up, guide section 7, table 32 */
    }
    unsigned stride = word >> 12 & 63;
    if (stride > 32 || !stride) {
        check_report(c, index, RULE_CHIP_ROWS_FALL, "rows are written with a stride of %u",
                     stride ? stride : 64);
    }
}

static void check_last(struct checker *c, size_t index) {
    const struct effect *e = &c->effects[index];
    bool end = e->thread_end || e->reached & (1u << SLOT_END_1 | 1u << SLOT_END_2);
    if (end && (e->tmu_read >= 0 || e->tlb_read)) {
        check_report(c, index, RULE_CHIP_END_RECEIVES, "%s in the last three instructions",
                     e->tlb_read ? "tile load" : "texture load");
    }
}

void check_chip(struct checker *c) {
    bool falls = chip_relies_on(c->options->chip, QPUCC_ASSUME_vpm_rows_fall);
    bool receives = chip_relies_on(c->options->chip, QPUCC_ASSUME_end_receives_load);
    for (size_t index = 0; index < c->count; index++) {
        if (!c->effects[index].reached) {
            continue;
        }
        if (!falls) {
            check_setup(c, index);
        }
        if (!receives) {
            check_last(c, index);
        }
    }
}
