/* From the fragment's colour to the tile buffer, for one sample or four: blending, the target's format, the
 * logic operation, the mask, the writes.
 *
 * requires: everything that drops fragments is known; the Z write, if any, is emitted.
 * keeps:    what keep_channels says; the order of the tile buffer's words: samples, and in 64-bit mode red
 *           and green before blue and alpha.
 * breaks:   nothing.
 *
 * Opaque writes go to all samples at once; what depends on the tile's colour is done for each sample. A
 * format of fewer bits is kept in 8888 words as it will read back, its bits repeated below, so that blending
 * and logic operations see the target's colour and the final conversion loses nothing. */
#include "passes/lower_output.h"

#include <string.h>

typedef struct ir_inst *val;

/* --- bytes ---------------------------------------------------------------------------------------------- */

uint32_t out_byte(const struct qpucc_state *state, unsigned channel) {
    static const uint8_t place[QPUCC_TARGET_COUNT][4] = {
        [QPUCC_TARGET_RGBA8888] = {0, 1, 2, 3}, [QPUCC_TARGET_BGRA8888] = {2, 1, 0, 3},
        [QPUCC_TARGET_ARGB8888] = {1, 2, 3, 0}, [QPUCC_TARGET_ABGR8888] = {3, 2, 1, 0},
        [QPUCC_TARGET_RGB565] = {0, 1, 2, 3},   [QPUCC_TARGET_RGBA4444] = {0, 1, 2, 3},
        [QPUCC_TARGET_RGBA5551] = {0, 1, 2, 3}, [QPUCC_TARGET_RGBA16F] = {0, 1, 2, 3},
    };
    return place[state->target < QPUCC_TARGET_COUNT ? state->target : 0][channel];
}

uint32_t out_bytes(const struct qpucc_state *state, unsigned channels) {
    uint32_t mask = 0;
    for (unsigned i = 0; i < 4; i++)
        mask |= channels >> i & 1 ? 255u << 8 * out_byte(state, i) : 0;
    return mask;
}

val out_pack(struct output *o, val const color[4]) {
    val bytes[4];
    for (unsigned i = 0; i < 4; i++)
        bytes[out_byte(o->state, i)] = color[i];
    return ir_emit(&o->b, IR_PACK_COLOR, IR_I32, 4, bytes, 0, 0);
}

val out_merge(struct ir_builder *b, val value, val other, uint32_t mask) {
    val kept = out_i(b, IR_IAND, value, ~mask), taken = out_i(b, IR_IAND, other, mask);
    return ir_op2(b, IR_IOR, kept, taken);
}

static val byte_value(struct ir_builder *b, val word, uint32_t byte) {
    return ir_emit(b, IR_UNPACK_8F, IR_F32, 1, &word, byte, 0);
}

val target_as_rgba(struct ir_builder *b, const struct qpucc_state *state, val word) {
    val color[4];
    for (unsigned i = 0; i < 4 && out_byte(state, 2) != 2; i++)
        color[i] = byte_value(b, word, out_byte(state, i));
    if (out_byte(state, 2) != 2)
        word = ir_emit(b, IR_PACK_COLOR, IR_I32, 4, color, 0, 0);
    return out_opaque(state) ? out_i(b, IR_IOR, word, 0xff000000) : word;
}

/* --- sRGB ----------------------------------------------------------------------------------------------- */

static val to_linear(struct ir_builder *b, val x) {
    val straight = out_f(b, IR_FMUL, x, 1 / 12.92f);
    val base = out_f(b, IR_FMUL, out_f(b, IR_FADD, x, 0.055f), 1 / 1.055f);
    val curve = out_f(b, IR_FPOW, base, 2.4f);
    val dark = out_f(b, IR_FLT, x, 0.04045f);
    return ir_op3(b, IR_SELECT, dark, straight, curve);
}

static val to_srgb(struct ir_builder *b, val x) {
    val straight = out_f(b, IR_FMUL, x, 12.92f);
    val power = out_f(b, IR_FPOW, x, 1 / 2.4f);
    val curve = out_f(b, IR_FSUB, out_f(b, IR_FMUL, power, 1.055f), 0.055f);
    val dark = out_f(b, IR_FLT, x, 0.0031308f);
    return ir_op3(b, IR_SELECT, dark, straight, curve);
}

/* --- fewer bits ----------------------------------------------------------------------------------------- */

/* 0..15 at each pixel, so that any four neighbours differ as far as they can. */
static val threshold(struct ir_builder *b) {
    val x = ir_emit(b, IR_FRAG_X, IR_I32, 0, NULL, 0, 0), y = ir_emit(b, IR_FRAG_Y, IR_I32, 0, NULL, 0, 0);
    val both = ir_op2(b, IR_IXOR, x, y);
    val eight = out_i(b, IR_ISHL, out_i(b, IR_IAND, both, 1), 3), four = out_i(b, IR_IAND, y, 1);
    val two = out_i(b, IR_IAND, both, 2), one = out_i(b, IR_IAND, y, 2);
    four = out_i(b, IR_ISHL, four, 2);
    one = out_i(b, IR_USHR, one, 1);
    eight = ir_op2(b, IR_IOR, eight, four);
    two = ir_op2(b, IR_IOR, two, one);
    return ir_op2(b, IR_IOR, eight, two);
}

/* Adds up to a step less one, takes half a step away. Saturation does no harm: white and black stay. */
static val dithered(struct ir_builder *b, val word, bool wide) {
    val step = threshold(b);
    if (!wide)
        step = out_i(b, IR_USHR, step, 1);
    step = out_i(b, IR_UMUL24, step, 0x010101); /* alpha is not dithered */
    word = ir_op2(b, IR_V8ADDS, word, step);
    return out_i(b, IR_V8SUBS, word, wide ? 0x080808 : 0x040404);
}

/* v8muld rounds to the nearest number of this many bits. */
static val quantised(struct output *o, val word) {
    struct ir_builder *b = &o->b;
    bool wide = o->state->target == QPUCC_TARGET_RGBA4444;
    if (!wide && o->state->target != QPUCC_TARGET_RGBA5551)
        return word;
    if (o->state->dither)
        word = dithered(b, word, wide);
    word = out_i(b, IR_V8MULD, word, wide ? 0x0f0f0f0f : 0x011f1f1f);
    if (wide) {
        val upper = out_i(b, IR_ISHL, word, 4);
        return ir_op2(b, IR_IOR, word, upper);
    }
    val upper = out_i(b, IR_IAND, out_i(b, IR_ISHL, word, 3), 0x00f8f8f8);
    val lower = out_i(b, IR_IAND, out_i(b, IR_USHR, word, 2), 0x00070707);
    val alpha = ir_op1(b, IR_INEG, out_i(b, IR_IAND, word, 0x01000000)); /* 0 or 0xff000000 */
    word = ir_op2(b, IR_IOR, upper, lower);
    return ir_op2(b, IR_IOR, word, alpha);
}

/* --- one sample ----------------------------------------------------------------------------------------- */

/* Channels that are kept and that the target has. */
static unsigned kept_channels(const struct qpucc_state *state) {
    return state->keep_channels & (out_opaque(state) ? 7u : 15u);
}

static unsigned all_channels(const struct qpucc_state *state) {
    return out_opaque(state) ? 7u : 15u;
}

static bool reads_target(const struct qpucc_state *state) {
    return blend_reads(state) || logic_reads(state) || kept_channels(state);
}

static void clamped(struct output *o, val color[4]) {
    for (int i = 0; i < 4; i++)
        color[i] = out_is_float(o->state) ? o->color[i] : ir_op1(&o->b, IR_FSAT, o->color[i]);
}

/* `tile`: its two words or one, NULL where nothing asks for them. */
static void result_words(struct output *o, val const tile[2], val words[2]) {
    struct ir_builder *b = &o->b;
    const struct qpucc_state *state = o->state;
    val source[4], target[4], result[4];
    if (!blend_in_floats(state)) {
        words[0] = lower_blend_bytes(o, tile[0]);
    } else {
        clamped(o, source);
        for (unsigned i = 0; tile[0] && i < 4; i++) {
            if (out_is_float(state))
                target[i] = ir_emit(b, IR_UNPACK_16F, IR_F32, 1, &tile[i / 2], i & 1, 0);
            else
                target[i] = byte_value(b, tile[0], out_byte(state, i));
            if (state->srgb_write && i < 3)
                target[i] = to_linear(b, target[i]);
        }
        if (out_opaque(state))
            target[3] = ir_const_f(b, 1.0f);
        lower_blend_floats(o, source, target, result);
        for (unsigned i = 0; i < 3 && state->srgb_write; i++)
            result[i] = to_srgb(b, ir_op1(b, IR_FSAT, result[i]));
        for (unsigned i = 0; out_is_float(state) && i < 2; i++)
            words[i] = ir_op2(b, IR_PACK_16F, result[2 * i], result[2 * i + 1]);
        if (!out_is_float(state))
            words[0] = out_pack(o, result);
    }
    if (out_is_float(state)) {
        unsigned kept = kept_channels(state);
        for (unsigned i = 0; i < 2; i++, kept >>= 2)
            if (kept & 3)
                words[i] =
                    out_merge(b, words[i], tile[i], (kept & 1 ? 0xffffu : 0) | (kept & 2 ? 0xffff0000u : 0));
        return;
    }
    words[0] = lower_logic(b, state->logic_op, quantised(o, words[0]), tile[0]);
    if (kept_channels(state))
        words[0] = out_merge(b, words[0], tile[0], out_bytes(state, kept_channels(state)));
}

static void write_word(struct output *o, enum ir_op op, val word, val keep) {
    ir_emit(&o->b, op, IR_VOID, keep ? 2 : 1, (val[]){word, keep}, 0, 0);
}

static bool writes_target(const struct qpucc_state *state) {
    return kept_channels(state) != all_channels(state);
}

static unsigned words_of(const struct qpucc_state *state) {
    return out_is_float(state) ? 2 : 1;
}

static unsigned samples_of(const struct qpucc_state *state) {
    return reads_target(state) && state->multisample ? 4 : 1;
}

void lower_target_reads(struct output *o, val first) {
    bool reads = writes_target(o->state) && reads_target(o->state);
    for (unsigned i = 0; reads && i < words_of(o->state) * samples_of(o->state); i++)
        o->tile[i] = !i && first ? first : ir_emit(&o->b, IR_TLB_READ, IR_I32, 0, NULL, 0, 0);
}

void lower_target(struct output *o, val keep) {
    unsigned words = words_of(o->state), samples = samples_of(o->state);
    if (!writes_target(o->state))
        return;
    for (unsigned s = 0; s < samples; s++) {
        val result[2];
        result_words(o, o->tile + s * words, result);
        for (unsigned i = 0; i < words; i++)
            write_word(o, samples > 1 ? IR_TLB_SAMPLE : IR_TLB_COLOR, result[i], keep);
    }
}
