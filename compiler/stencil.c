/* The stencil set-up words from GL's stencil state (guide section 5, tables 27 and 28). */
#include <qpucc/qpucc.h>

/* Guide table 27: the hardware's number of each comparison. */
static uint32_t stencil_func(unsigned func) {
    static const uint8_t number[QPUCC_FUNC_COUNT] = {7, 0, 1, 2, 3, 4, 5, 6};
    return func < QPUCC_FUNC_COUNT ? number[func] : 7;
}

static const uint8_t coded_masks[4] = {0x01, 0x03, 0x0f, 0xff};

static uint32_t mask_code(unsigned mask) {
    uint32_t code = 0;
    while (code < 3 && coded_masks[code] != mask)
        code++;
    return code;
}

static uint32_t stencil_word(const struct qpucc_stencil_side *s, uint32_t sides) {
    return sides << 30 | mask_code(s->write_mask) << 28 | (s->depth_fail & 7u) << 25 |
           (s->depth_pass & 7u) << 22 | (s->fail & 7u) << 19 | stencil_func(s->func) << 16 |
           (uint32_t)s->reference << 8 | s->mask;
}

void qpucc_stencil(const struct qpucc_stencil_side *front, const struct qpucc_stencil_side *back,
                   struct qpucc_state *state, struct qpucc_draw_state *draw) {
    bool alike = stencil_word(front, 0) == stencil_word(back, 0);
    state->stencil = alike ? QPUCC_STENCIL_BOTH : QPUCC_STENCIL_SEPARATE;
    state->stencil_masks = coded_masks[mask_code(front->write_mask)] != front->write_mask ||
                           coded_masks[mask_code(back->write_mask)] != back->write_mask;
    draw->stencil_setup[0] = stencil_word(front, alike ? 3 : 1);
    draw->stencil_setup[1] = stencil_word(back, 2);
    draw->stencil_setup[2] = (uint32_t)back->write_mask << 8 | front->write_mask;
}
