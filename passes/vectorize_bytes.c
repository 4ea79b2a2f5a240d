/* vectorize_bytes: colours that are computed from texels and constants are computed four bytes at a time.
 *
 * requires: SSA, lower_stage; before relax_precision, which forgets precision, and factor, which
 *           takes mixes apart.
 * keeps:    the CFG; colours within one step of what their floats would be packed to, see below.
 * breaks:   nothing; leaves dead code.
 *
 * From each packed colour the pass follows four values backwards together, as long as they are computed
 * alike, to words that are already packed: texels, the tile buffer's colour, constants, values known per
 * draw. Sums and differences saturate just as the colour's clamp would, so an inner value that saturates must
 * be known to lie in 0..1 only where it is multiplied. Values of other forms are packed. The change is made
 * only if it saves operations.
 *
 * Errors are tracked under two assumptions, in steps of 1/255. As modelled, v8muld rounds to nearest: each
 * product adds half a step, and each constant its rounding. The sum stays below one and a half; with the half
 * step of packing the true value, the result is within one step of the 8-bit result. That rounding has a
 * single source however (docs/hardware.md, Arithmetic), so operations better than lowp must tolerate one more
 * step for each product, which leaves room for only one product of exact bytes. lowp is eight bits by
 * definition (GLSL ES 1.00 section 4.5.2: 2^-8 absolute). See docs/numerics.md. */
#include "passes/algebraic.h"
#include "passes/passes.h"
#include "passes/tuple.h"

#include <math.h>

#define MAX_DEPTH 12
#define MAX_WORDS 64 /* made for one colour */
#define LIMIT 1.5f   /* steps */

/* Four bytes that stand for a tuple, each clamped to 0..1. */
struct word {
    struct ir_inst *value;
    float model, strict; /* errors */
    bool one_step;       /* within one step of the true value's rounding even if products are one step off */
};

struct bytes {
    struct ir_builder b;
    bool streams; /* what is known per draw can leave the shader */
    struct ir_inst *one, *zero;
    uint32_t cost, count;
    struct {
        struct tuple t;
        struct word w;
    } made[MAX_WORDS];
};

static bool pack_tuple(struct bytes *s, struct tuple t, unsigned depth, struct word *w);

static struct ir_inst *emit(struct bytes *s, enum ir_op op, uint32_t n, struct ir_inst *const *src,
                            uint32_t cost) {
    s->cost += cost;
    return ir_emit(&s->b, op, IR_I32, n, src, 0, 0);
}

static struct ir_inst *emit2(struct bytes *s, enum ir_op op, struct ir_inst *x, struct ir_inst *y) {
    return emit(s, op, 2, (struct ir_inst *[]){x, y}, 1);
}

/* --- words ---------------------------------------------------------------------------------------------- */

static struct word word_of(struct ir_inst *value, float model, float strict, bool one_step) {
    return (struct word){value, model, strict, one_step};
}

static uint32_t byte_of(const struct ir_inst *c, float *error) {
    float v = fminf(fmaxf(ir_float(c), 0), 1) * 255, whole = floorf(v + 0.5f), off = fabsf(v - whole);
    *error = fmaxf(*error, off < 1e-4f ? 0 : off);
    return (uint32_t)whole;
}

static bool known_word(struct bytes *s, const struct tuple *t, struct word *w) {
    uint32_t bits = 0;
    float error = 0;
    bool constant = true;
    struct ir_inst *src[4];
    for (unsigned k = 0; k < 4; k++) {
        constant &= !t->c[k] || t->c[k]->op == IR_CONST;
        src[k] = t->c[k] ? t->c[k] : tuple_any(t);
    }
    if (!constant) {
        *w = word_of(emit(s, IR_PACK_COLOR, 4, src, s->streams ? 0 : 4), 0.5f, 0.5f, true);
        return true;
    }
    for (unsigned k = 0; k < 4; k++)
        bits |= byte_of(src[k], &error) << 8 * k;
    *w = word_of(ir_const_i(&s->b, bits), error, error, true);
    return true;
}

/* A word of which the tuple is the bytes in their order, or the last byte four times. */
static bool is_unpacked(struct bytes *s, const struct tuple *t, struct word *w) {
    if (!tuple_alike(t, IR_UNPACK_8F))
        return false;
    struct ir_inst *word = alg_source(tuple_any(t), 0);
    bool in_place = true, last = true;
    for (unsigned k = 0; k < 4; k++)
        if (t->c[k]) {
            if (alg_source(t->c[k], 0) != word)
                return false;
            in_place &= t->c[k]->imm == k;
            last &= t->c[k]->imm == 3;
        }
    if (!in_place && !last)
        return false;
    *w = word_of(in_place ? word : emit(s, IR_REP_8D, 1, &word, 1), 0, 0, true);
    return true;
}

static bool packed(struct bytes *s, const struct tuple *t, struct word *w) {
    struct ir_inst *src[4];
    uint32_t distinct = 0;
    for (unsigned k = 0; k < 4; k++) {
        src[k] = t->c[k] ? t->c[k] : tuple_any(t);
        bool seen = false;
        for (unsigned j = 0; j < k; j++)
            seen |= tuple_same(src[j], src[k]);
        distinct += !seen;
    }
    *w = word_of(emit(s, IR_PACK_COLOR, 4, src, distinct), 0.5f, 0.5f, true);
    return true;
}

/* Constants in some bytes over what the others make. */
static bool with_constants(struct bytes *s, const struct tuple *t, unsigned depth, struct word *w) {
    struct tuple rest = *t;
    uint32_t mask = 0, bits = 0;
    float error = 0;
    for (unsigned k = 0; k < 4; k++)
        if (t->c[k] && t->c[k]->op == IR_CONST) {
            rest.c[k] = NULL;
            mask |= 255u << 8 * k;
            bits |= byte_of(t->c[k], &error) << 8 * k;
        }
    if (!mask || !pack_tuple(s, rest, depth, w))
        return false;
    if (bits != mask)
        w->value = emit2(s, IR_IAND, w->value, ir_const_i(&s->b, ~mask));
    if (bits)
        w->value = emit2(s, IR_IOR, w->value, ir_const_i(&s->b, bits));
    w->model = fmaxf(w->model, error);
    w->strict = fmaxf(w->strict, error);
    return true;
}

static struct word multiply(struct bytes *s, struct word a, struct word b, float most_a, float most_b,
                            bool lowp) {
    float model = a.model * most_b + b.model * most_a + 0.5f;
    float strict = a.strict * most_b + b.strict * most_a + (lowp ? 0.5f : 1.5f);
    return word_of(emit2(s, IR_V8MULD, a.value, b.value), model, strict, a.strict == 0 && b.strict == 0);
}

/* Sums, differences, extremes, choices of words. */
static struct word combine(struct bytes *s, enum ir_op op, struct word a, struct word b) {
    bool adds = op == IR_V8ADDS || op == IR_V8SUBS;
    bool one_step = a.one_step && b.one_step && (!adds || a.strict == 0 || b.strict == 0);
    return word_of(emit2(s, op, a.value, b.value), adds ? a.model + b.model : fmaxf(a.model, b.model),
                   adds ? a.strict + b.strict : fmaxf(a.strict, b.strict), one_step);
}

static struct word inverted(struct bytes *s, struct word a) {
    return word_of(emit(s, IR_INOT, 1, &a.value, 1), a.model, a.strict, a.one_step);
}

static bool select_words(struct bytes *s, const struct tuple *t, unsigned depth, struct word *w) {
    struct ir_inst *cond = NULL;
    struct tuple x = *t, y = *t;
    struct word a, b;
    unsigned count = 0;
    for (unsigned k = 0; k < 4; k++) {
        if (!t->c[k] || t->c[k]->op != IR_SELECT || (cond && alg_source(t->c[k], 0) != cond))
            continue;
        cond = alg_source(t->c[k], 0);
        x.c[k] = alg_source(t->c[k], 1), y.c[k] = alg_source(t->c[k], 2);
        count++;
    }
    if (count < 2 || !pack_tuple(s, x, depth, &a) || !pack_tuple(s, y, depth, &b))
        return false;
    struct ir_inst *src[3] = {cond, a.value, b.value};
    *w = word_of(emit(s, IR_SELECT, 3, src, 1), fmaxf(a.model, b.model), fmaxf(a.strict, b.strict),
                 a.one_step && b.one_step);
    return true;
}

/* Two products of which one is zero in each byte, a + c (b - a) or a - c (a - b): one rounding. In lowp two
 * that round, a (1 - c) + b c, are less work. */
static bool mix_words(struct bytes *s, const struct tuple *t, unsigned depth, struct word *w) {
    struct tuple x, y, share;
    struct word a, b, c;
    if (!tuple_mixes(t, &x, &y, &share) || !tuple_is_unit(&x) || !tuple_is_unit(&y) || !tuple_is_unit(&share))
        return false;
    if (!pack_tuple(s, x, depth, &a) || !pack_tuple(s, y, depth, &b) || !pack_tuple(s, share, depth, &c))
        return false;
    bool lowp = tuple_is_lowp(t), exact = a.strict == 0 && b.strict == 0 && c.strict == 0;
    float operands = fmaxf(a.model, b.model) + c.model, strict = fmaxf(a.strict, b.strict) + c.strict;
    if (lowp) {
        struct ir_inst *first = emit2(s, IR_V8MULD, a.value, inverted(s, c).value);
        struct ir_inst *second = emit2(s, IR_V8MULD, b.value, c.value);
        *w = word_of(emit2(s, IR_V8ADDS, first, second), operands + 1, strict + 1, false);
    } else {
        struct ir_inst *up = emit2(s, IR_V8MULD, c.value, emit2(s, IR_V8SUBS, b.value, a.value));
        struct ir_inst *down = emit2(s, IR_V8MULD, c.value, emit2(s, IR_V8SUBS, a.value, b.value));
        struct ir_inst *raised = emit2(s, IR_V8ADDS, a.value, up);
        *w = word_of(emit2(s, IR_V8SUBS, raised, down), operands + 0.5f, strict + 1.5f, exact);
    }
    return true;
}

/* Constant bytes join words that are constant anyway: choices with such an arm. */
static bool takes_constants(const struct tuple *t) {
    if (tuple_op(t) != IR_SELECT)
        return false;
    bool arm[2] = {true, true};
    for (unsigned k = 0; k < 4; k++)
        for (unsigned j = 0; t->c[k] && t->c[k]->op == IR_SELECT && j < 2; j++)
            arm[j] &= tuple_known(alg_source(t->c[k], 1 + j));
    return arm[0] || arm[1];
}

/* By what makes most of them; false: nothing does, or a range is not known. */
static bool computed(struct bytes *s, const struct tuple *t, unsigned depth, struct word *w) {
    enum ir_op op = tuple_op(t);
    if (op == IR_SELECT)
        return select_words(s, t, depth, w);
    if (op != IR_FADD && op != IR_FSUB && op != IR_FMUL && op != IR_FMIN && op != IR_FMAX)
        return false;
    if (mix_words(s, t, depth, w))
        return true;
    struct tuple x, y;
    struct word a, b;
    if (!tuple_operands(t, op, op == IR_FMUL || op == IR_FMIN ? s->one : s->zero, &x, &y))
        return false;
    bool fits = op == IR_FMUL   ? tuple_is_unit(&x) && tuple_is_unit(&y)
                : op == IR_FSUB ? tuple_is_unit(&x) && tuple_not_negative(&y)
                : op == IR_FADD ? tuple_not_negative(&x) && tuple_not_negative(&y)
                                : true;
    if (!fits || !pack_tuple(s, x, depth, &a) || !pack_tuple(s, y, depth, &b))
        return false;
    switch (op) {
    case IR_FMUL: *w = multiply(s, a, b, tuple_most(&x), tuple_most(&y), tuple_is_lowp(t)); break;
    case IR_FADD: *w = combine(s, IR_V8ADDS, a, b); break;
    case IR_FMIN: *w = combine(s, IR_V8MIN, a, b); break;
    case IR_FMAX: *w = combine(s, IR_V8MAX, a, b); break;
    case IR_FSUB:
        *w = a.value->op == IR_CONST && a.value->imm == 0xffffffffu ? inverted(s, b)
                                                                    : combine(s, IR_V8SUBS, a, b);
        break;
    default: return false;
    }
    return true;
}

static bool pack_tuple(struct bytes *s, struct tuple t, unsigned depth, struct word *w) {
    for (unsigned k = 0; k < 4; k++)
        if (t.c[k])
            t.c[k] = tuple_unclamped(t.c[k]);
    if (depth == 0 || s->count == MAX_WORDS || !tuple_any(&t))
        return false;
    for (uint32_t i = 0; i < s->count; i++) {
        bool equal = true;
        for (unsigned k = 0; k < 4; k++)
            equal &= s->made[i].t.c[k] == t.c[k] ||
                     (s->made[i].t.c[k] && t.c[k] && tuple_same(s->made[i].t.c[k], t.c[k]));
        if (equal) {
            *w = s->made[i].w;
            return true;
        }
    }
    uint32_t cost = s->cost;
    bool ok = tuple_is_known(&t)
                  ? known_word(s, &t, w)
                  : is_unpacked(s, &t, w) || (!takes_constants(&t) && with_constants(s, &t, depth - 1, w)) ||
                        computed(s, &t, depth - 1, w);
    if (!ok) {
        s->cost = cost; /* what was begun has no reader */
        ok = packed(s, &t, w);
    }
    if (s->count == MAX_WORDS)
        return false;
    s->made[s->count].t = t;
    s->made[s->count++].w = *w;
    return ok;
}

/* --- colours -------------------------------------------------------------------------------------------- */

static bool reads_two_texels(const struct ir_inst *x) {
    if (x->nsrc != 2)
        return false;
    const struct ir_inst *a = alg_source(x, 0), *b = alg_source(x, 1);
    return a->op == IR_UNPACK_8F && b->op == IR_UNPACK_8F && a != b;
}

static bool is_scalar(const struct ir_inst *x) {
    switch (x->op) {
    case IR_FADD:
    case IR_FSUB:
    case IR_FMUL:
    case IR_FMIN:
    case IR_FMAX:
    case IR_FSAT:
    case IR_SELECT:
    case IR_UNPACK_8F: return true;
    default: return false;
    }
}

/* Operations that go with the last use of x. */
static uint32_t release(struct ir_inst *x, uint32_t *uses) {
    if (--uses[x->id] || !is_scalar(x))
        return 0;
    uint32_t saved = x->op == IR_FSAT || x->op == IR_UNPACK_8F ? 0 : 1u + reads_two_texels(x);
    for (uint32_t k = 0; k < x->nsrc; k++)
        saved += release(ir_value(x->src[k]), uses);
    return saved;
}

/* Operations that the colour takes as it is. */
static uint32_t cost_now(struct ir_shader *shader, struct ir_inst *pack) {
    uint32_t *uses = ir_count_uses(shader), cost = 0, kept = 0;
    for (unsigned k = 0; k < 4; k++) {
        struct ir_inst *x = tuple_unclamped(pack->src[k]);
        bool first = true;
        for (unsigned j = 0; j < k; j++)
            first &= !tuple_same(tuple_unclamped(pack->src[j]), x);
        bool in_place = x->op == IR_UNPACK_8F && x->imm == k;
        cost += first && !(x->op == IR_FMUL && uses[x->id] == 1) && !in_place;
        kept += in_place;
    }
    cost += kept != 0; /* a copy of the word */
    for (unsigned k = 0; k < 4; k++)
        cost += release(ir_value(pack->src[k]), uses);
    return cost;
}

static bool within_one_step(const struct word *w) {
    return w->model < LIMIT && (w->strict < LIMIT || w->one_step);
}

/* Bytes `lanes` of the colour as a word, the others packed into it. */
static bool rewrite(struct ir_shader *shader, struct ir_inst *pack, unsigned lanes, bool streams) {
    struct bytes s = {.b = ir_builder_before(pack), .streams = streams};
    struct ir_inst *before = pack->prev;
    struct tuple t = {{NULL}};
    struct word w;
    bool constant = true;
    for (unsigned k = 0; k < 4; k++) {
        if (lanes >> k & 1)
            t.c[k] = ir_value(pack->src[k]);
        constant &= tuple_known(tuple_unclamped(pack->src[k]));
    }
    if (constant)
        return false;
    s.one = ir_const_f(&s.b, 1);
    s.zero = ir_const_f(&s.b, 0);
    bool ok = pack_tuple(&s, t, MAX_DEPTH, &w) && within_one_step(&w);
    for (unsigned k = 0; ok && k < 4; k++)
        if (!(lanes >> k & 1)) {
            struct ir_inst *src[2] = {w.value, ir_value(pack->src[k])};
            w.value = emit(&s, IR_PACK_8F, 2, src, 1);
            w.value->imm = k;
        }
    if (ok && s.cost < cost_now(shader, pack)) {
        ir_replace(pack, w.value);
        return true;
    }
    while (pack->prev != before)
        ir_remove(pack->prev);
    return false;
}

bool pass_vectorize_bytes(struct ir_shader *shader, const struct pass_options *options) {
    if (!shader->lowered || shader->stage != QPUCC_FRAGMENT || options->level < 1)
        return false;
    bool changed = false;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            if (inst->op == IR_PACK_COLOR && !inst->exact)
                changed |= rewrite(shader, inst, 15, !options->no_uniform_expressions) ||
                           rewrite(shader, inst, 7, !options->no_uniform_expressions);
        }
    }
    if (changed)
        ir_resolve(shader);
    return changed;
}
