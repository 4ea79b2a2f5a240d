/* Blending (GL 2.1 section 4.1.8): of packed words, four channels at a time, or of floats.
 *
 * requires: a valid key. In bytes, fragment and tile in the target's order; in floats, clamped to 0..1 unless
 *           the target has floats.
 * keeps:    in bytes, an error of half a step (1/510) for each product, see docs/state-keys.md.
 * breaks:   the alpha of a target that has none.
 *
 * Factors that are zero or one cost nothing; 1 - x of a byte is its complement; sums and differences saturate
 * as GL clamps. Where colour and alpha differ, both are computed and merged, unless one word has both. */
#include "passes/lower_output.h"

#include <string.h>

typedef struct ir_inst *val;

/* One of the two halves of the state. */
struct half {
    unsigned equation, source, target;
};

static unsigned complement(unsigned factor) {
    return factor >= QPUCC_FACTOR_SRC_COLOR && factor <= QPUCC_FACTOR_ONE_MINUS_SRC1_ALPHA && factor & 1;
}

/* Names a factor of alpha as its own kind: colour's alpha is alpha. A tile without alpha has 1. */
static unsigned alpha_factor(unsigned factor) {
    if (factor == QPUCC_FACTOR_SRC_ALPHA_SATURATE)
        return QPUCC_FACTOR_ONE;
    switch (factor - complement(factor)) {
    case QPUCC_FACTOR_SRC_COLOR: return QPUCC_FACTOR_SRC_ALPHA + complement(factor);
    case QPUCC_FACTOR_DST_COLOR: return QPUCC_FACTOR_DST_ALPHA + complement(factor);
    case QPUCC_FACTOR_CONSTANT_COLOR: return QPUCC_FACTOR_CONSTANT_ALPHA + complement(factor);
    case QPUCC_FACTOR_SRC1_COLOR: return QPUCC_FACTOR_SRC1_ALPHA + complement(factor);
    default: return factor;
    }
}

static unsigned without_alpha(unsigned factor) {
    switch (factor) {
    case QPUCC_FACTOR_DST_ALPHA: return QPUCC_FACTOR_ONE;
    case QPUCC_FACTOR_ONE_MINUS_DST_ALPHA:
    case QPUCC_FACTOR_SRC_ALPHA_SATURATE: return QPUCC_FACTOR_ZERO; /* min(source, 1 - 1) */
    default: return factor;
    }
}

static bool ignores_factors(unsigned equation) {
    return equation >= QPUCC_BLEND_MIN;
}

static struct half half_of(const struct qpucc_state *state, bool alpha) {
    const struct qpucc_blend_state *s = &state->blend;
    struct half h = {s->rgb_equation, s->rgb_source, s->rgb_target};
    if (alpha && !out_opaque(state)) /* nobody sees the alpha of an opaque target */
        h = (struct half){s->alpha_equation, alpha_factor(s->alpha_source), alpha_factor(s->alpha_target)};
    if (out_opaque(state)) {
        h.source = without_alpha(h.source);
        h.target = without_alpha(h.target);
    }
    if (ignores_factors(h.equation))
        h.source = h.target = QPUCC_FACTOR_ONE;
    return h;
}

static bool factor_reads(unsigned factor) {
    return (factor >= QPUCC_FACTOR_DST_COLOR && factor <= QPUCC_FACTOR_ONE_MINUS_DST_COLOR) ||
           factor == QPUCC_FACTOR_DST_ALPHA || factor == QPUCC_FACTOR_ONE_MINUS_DST_ALPHA ||
           factor == QPUCC_FACTOR_SRC_ALPHA_SATURATE;
}

bool blend_reads(const struct qpucc_state *state) {
    bool reads = false;
    for (int alpha = 0; state->blend.enable && alpha < 2; alpha++) {
        struct half h = half_of(state, alpha);
        reads |= factor_reads(h.source) || h.target != QPUCC_FACTOR_ZERO;
    }
    return reads;
}

static bool is_second(unsigned factor) {
    return factor >= QPUCC_FACTOR_SRC1_COLOR && factor <= QPUCC_FACTOR_ONE_MINUS_SRC1_ALPHA;
}

bool blend_uses_second(const struct qpucc_state *state) {
    const struct qpucc_blend_state *s = &state->blend;
    return s->enable && (is_second(s->rgb_source) || is_second(s->rgb_target) || is_second(s->alpha_source) ||
                         is_second(s->alpha_target));
}

/* --- bytes ---------------------------------------------------------------------------------------------- */

struct bytes {
    struct output *o;
    uint32_t alpha_bytes;
    val source, target;
};

static val four_times(struct output *o, val a) {
    return ir_emit(&o->b, IR_PACK_COLOR, IR_I32, 4, (val[]){a, a, a, a}, 0, 0);
}

static val replicate(struct output *o, val word, uint32_t byte) {
    struct ir_builder *b = &o->b;
    if (byte == 3)
        return ir_op1(b, IR_REP_8D, word);
    val alpha = ir_emit(b, IR_UNPACK_8F, IR_F32, 1, &word, byte, 0);
    return four_times(o, alpha);
}

static val constant_color(struct output *o, bool alpha) {
    static const enum ir_state name[4] = {IR_STATE_BLEND_RED, IR_STATE_BLEND_GREEN, IR_STATE_BLEND_BLUE,
                                          IR_STATE_BLEND_ALPHA};
    val color[4];
    for (int i = 0; i < 4; i++)
        color[i] = lower_stage_state(&o->b, name[alpha ? 3 : i]);
    return out_pack(o, color);
}

/* Not of zero or one. */
static val factor_word(struct bytes *s, unsigned factor) {
    struct ir_builder *b = &s->o->b;
    uint32_t alpha = out_byte(s->o->state, 3);
    val word;
    if (factor == QPUCC_FACTOR_SRC_ALPHA_SATURATE) {
        val own = four_times(s->o, s->o->color[3]),
            rest = ir_op1(b, IR_INOT, replicate(s->o, s->target, alpha));
        return ir_op2(b, IR_V8MIN, own, rest);
    }
    switch (factor - complement(factor)) {
    case QPUCC_FACTOR_SRC_COLOR: word = s->source; break;
    case QPUCC_FACTOR_DST_COLOR: word = s->target; break;
    case QPUCC_FACTOR_SRC_ALPHA: word = four_times(s->o, s->o->color[3]); break;
    case QPUCC_FACTOR_SRC1_COLOR: word = out_pack(s->o, s->o->second); break;
    case QPUCC_FACTOR_SRC1_ALPHA: word = four_times(s->o, s->o->second[3]); break;
    case QPUCC_FACTOR_DST_ALPHA: word = replicate(s->o, s->target, alpha); break;
    default: word = constant_color(s->o, factor >= QPUCC_FACTOR_CONSTANT_ALPHA); break;
    }
    return complement(factor) ? ir_op1(b, IR_INOT, word) : word;
}

/* A word times a factor for colour and one for alpha; NULL: zero. */
static val term(struct bytes *s, val word, unsigned rgb, unsigned alpha) {
    struct ir_builder *b = &s->o->b;
    bool rgb_known = rgb <= QPUCC_FACTOR_ONE, alpha_known = alpha <= QPUCC_FACTOR_ONE;
    if (rgb_known && alpha_known) {
        if (rgb == alpha)
            return rgb ? word : NULL;
        return out_i(b, IR_IAND, word, rgb ? ~s->alpha_bytes : s->alpha_bytes);
    }
    bool one_word = rgb == alpha || (alpha_factor(rgb) == alpha && rgb != QPUCC_FACTOR_SRC_ALPHA_SATURATE);
    val factor;
    if (one_word)
        factor = factor_word(s, rgb);
    else if (rgb_known) {
        factor = factor_word(s, alpha);
        factor = rgb ? out_i(b, IR_IOR, factor, ~s->alpha_bytes) : out_i(b, IR_IAND, factor, s->alpha_bytes);
    } else if (alpha_known) {
        factor = factor_word(s, rgb);
        factor =
            alpha ? out_i(b, IR_IOR, factor, s->alpha_bytes) : out_i(b, IR_IAND, factor, ~s->alpha_bytes);
    } else {
        val of_rgb = factor_word(s, rgb), of_alpha = factor_word(s, alpha);
        factor = out_merge(b, of_rgb, of_alpha, s->alpha_bytes);
    }
    return ir_op2(b, IR_V8MULD, word, factor);
}

static val combine_words(struct ir_builder *b, unsigned equation, val x, val y) {
    switch (equation) {
    case QPUCC_BLEND_MIN: return ir_op2(b, IR_V8MIN, x, y);
    case QPUCC_BLEND_MAX: return ir_op2(b, IR_V8MAX, x, y);
    case QPUCC_BLEND_SUBTRACT: return !x ? ir_const_i(b, 0) : y ? ir_op2(b, IR_V8SUBS, x, y) : x;
    case QPUCC_BLEND_REVERSE_SUBTRACT: return !y ? ir_const_i(b, 0) : x ? ir_op2(b, IR_V8SUBS, y, x) : y;
    default: return !x && !y ? ir_const_i(b, 0) : !x ? y : !y ? x : ir_op2(b, IR_V8ADDS, x, y);
    }
}

static val blend_words(struct bytes *s, const struct half *rgb, const struct half *alpha) {
    val x = term(s, s->source, rgb->source, alpha->source);
    val y = term(s, s->target, rgb->target, alpha->target);
    return combine_words(&s->o->b, rgb->equation, x, y);
}

/* --- both ----------------------------------------------------------------------------------------------- */

val lower_blend_bytes(struct output *o, val target) {
    struct bytes s = {.o = o, .alpha_bytes = out_bytes(o->state, 8), .target = target};
    s.source = out_pack(o, o->color);
    if (!o->state->blend.enable)
        return s.source;
    struct half rgb = half_of(o->state, false), alpha = half_of(o->state, true);
    if (rgb.equation == alpha.equation || out_opaque(o->state))
        return blend_words(&s, &rgb, &alpha);
    val of_rgb = blend_words(&s, &rgb, &rgb), of_alpha = blend_words(&s, &alpha, &alpha);
    return out_merge(&o->b, of_rgb, of_alpha, s.alpha_bytes);
}

/* --- floats --------------------------------------------------------------------------------------------- */

struct floats {
    struct output *o;
    val const *source, *target;
};

static val second_value(struct floats *s, unsigned channel) {
    val value = s->o->second[channel];
    return out_is_float(s->o->state) ? value : ir_op1(&s->o->b, IR_FSAT, value);
}

static val factor_value(struct floats *s, unsigned factor, unsigned channel) {
    static const enum ir_state name[4] = {IR_STATE_BLEND_RED, IR_STATE_BLEND_GREEN, IR_STATE_BLEND_BLUE,
                                          IR_STATE_BLEND_ALPHA};
    struct ir_builder *b = &s->o->b;
    val value;
    if (factor == QPUCC_FACTOR_SRC_ALPHA_SATURATE)
        return ir_op2(b, IR_FMIN, s->source[3], out_rest(b, s->target[3]));
    switch (factor - complement(factor)) {
    case QPUCC_FACTOR_SRC_COLOR: value = s->source[channel]; break;
    case QPUCC_FACTOR_DST_COLOR: value = s->target[channel]; break;
    case QPUCC_FACTOR_SRC_ALPHA: value = s->source[3]; break;
    case QPUCC_FACTOR_SRC1_COLOR: value = second_value(s, channel); break;
    case QPUCC_FACTOR_SRC1_ALPHA: value = second_value(s, 3); break;
    case QPUCC_FACTOR_DST_ALPHA: value = s->target[3]; break;
    default:
        value = lower_stage_state(b, name[factor < QPUCC_FACTOR_CONSTANT_ALPHA ? channel : 3]);
        value = out_is_float(s->o->state) ? value : ir_op1(b, IR_FSAT, value);
        break;
    }
    return complement(factor) ? out_rest(b, value) : value;
}

static val product(struct floats *s, val x, unsigned factor, unsigned channel) {
    if (factor <= QPUCC_FACTOR_ONE)
        return factor ? x : NULL;
    val y = factor_value(s, factor, channel);
    return ir_op2(&s->o->b, IR_FMUL, x, y);
}

static val combine(struct ir_builder *b, unsigned equation, val x, val y) {
    if (equation == QPUCC_BLEND_MIN || equation == QPUCC_BLEND_MAX)
        return ir_op2(b, equation == QPUCC_BLEND_MIN ? IR_FMIN : IR_FMAX, x, y);
    val first = equation == QPUCC_BLEND_REVERSE_SUBTRACT ? y : x,
        second = equation == QPUCC_BLEND_REVERSE_SUBTRACT ? x : y;
    if (!second)
        return first ? first : ir_const_f(b, 0.0f);
    if (equation == QPUCC_BLEND_ADD)
        return first ? ir_op2(b, IR_FADD, first, second) : second;
    first = first ? first : ir_const_f(b, 0.0f);
    return ir_op2(b, IR_FSUB, first, second);
}

/* Advanced equations divide and compare; floats need no order of bytes. */
bool blend_in_floats(const struct qpucc_state *state) {
    return out_is_float(state) || state->srgb_write ||
           (state->blend.enable && state->blend.rgb_equation >= QPUCC_BLEND_MULTIPLY);
}

void lower_blend_floats(struct output *o, val const source[4], val const target[4], val result[4]) {
    struct ir_builder *b = &o->b;
    struct floats s = {o, source, target};
    val mixed[4];
    if (!o->state->blend.enable)
        memcpy(mixed, source, sizeof mixed);
    else if (o->state->blend.rgb_equation >= QPUCC_BLEND_MULTIPLY)
        lower_blend_advanced(b, o->state->blend.rgb_equation, source, target, mixed);
    else
        for (unsigned i = 0; i < 4; i++) {
            struct half h = half_of(o->state, i == 3);
            val x = product(&s, source[i], h.source, i), y = product(&s, target[i], h.target, i);
            mixed[i] = combine(b, h.equation, x, y);
        }
    memcpy(result, mixed, sizeof mixed);
}
