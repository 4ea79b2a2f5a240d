/* last_factor: a colour that ends as a sum ends as a product, which goes to its byte by its own operation.
 *
 * requires: accurate use counts, so after dce; after factor; before lower_math, whose sums round on purpose.
 * keeps:    the CFG; `exact` instructions. Rounding changes.
 * breaks:   nothing; leaves dead code.
 *
 *     byte a u + b 0.3 + 0.1  →  byte (a (u / 0.3) + b + 0.1 / 0.3) 0.3
 *
 * The mul ALU packs: a product needs no operation more for that, a sum needs a move. So a constant factor k
 * of a term is drawn out where all other terms can be divided by it for nothing: constants, values known per
 * draw and products with one of those. What cannot be divided costs a multiplication, each further term with
 * a factor k or -k saves one. A sum is what factor.c says. */
#include "passes/known.h"

#include <math.h>

#define MAX_TERMS 24

struct last {
    const uint32_t *uses;
    const bool *known; /* by id: the same for a whole draw */
    uint32_t size;     /* of both */
    struct ir_block *block;
    struct ir_inst *term[MAX_TERMS];
    uint32_t count;
};

static bool is_known(const struct last *l, const struct ir_inst *x) {
    return x->id < l->size && l->known[x->id];
}

static bool inner(const struct last *l, const struct ir_inst *x) {
    return !x->exact && x->block == l->block && x->id < l->size && l->uses[x->id] == 1 && !is_known(l, x);
}

static bool is_sum(const struct last *l, const struct ir_inst *x) {
    return (x->op == IR_FADD || x->op == IR_FSUB) && inner(l, x);
}

/* `depth`: of x below the root. A deeper tree has too many terms, and a long one would take much stack. */
static bool find_terms(struct last *l, struct ir_inst *x, uint32_t depth) {
    if (depth >= MAX_TERMS)
        return false;
    if (!depth || is_sum(l, x))
        return find_terms(l, ir_value(x->src[0]), depth + 1) && find_terms(l, ir_value(x->src[1]), depth + 1);
    if (l->count == MAX_TERMS)
        return false;
    l->term[l->count++] = x;
    return true;
}

/* Which operand of a product is known per draw; 2: none, or this is no product that can be taken apart. */
static uint32_t known_factor(const struct last *l, const struct ir_inst *x) {
    for (uint32_t k = 0; x->op == IR_FMUL && inner(l, x) && k < 2; k++)
        if (is_known(l, ir_value(x->src[k])))
            return k;
    return 2;
}

/* The constant factor of a term, 0 where there is none that could be drawn out. */
static float constant_factor(const struct last *l, const struct ir_inst *x) {
    uint32_t k = known_factor(l, x);
    const struct ir_inst *c = k < 2 ? ir_value(x->src[k]) : NULL;
    float v = c && ir_is_const(c) ? ir_float(c) : 0.0f;
    return fabsf(v) > 0x1p-40f && fabsf(v) < 0x1p40f ? v : 0.0f;
}

/* By how many operations fewer it takes with k drawn out; the product at the end takes the move's place. */
static int gain(const struct last *l, float k) {
    int saved = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const struct ir_inst *x = l->term[i];
        if (fabsf(constant_factor(l, x)) == fabsf(k))
            saved++;
        else if (!is_known(l, x) && known_factor(l, x) == 2)
            saved--;
    }
    return saved;
}

/* x / k, but for the sign where x is -k times something. */
static struct ir_inst *divided(const struct last *l, struct ir_builder *b, struct ir_inst *x, float k,
                               bool *minus) {
    uint32_t at = known_factor(l, x);
    float c = constant_factor(l, x);
    *minus = c == -k;
    if (fabsf(c) == fabsf(k))
        return ir_value(x->src[1 - at]);
    struct ir_inst *by = ir_const_f(b, 1.0f / k);
    if (at == 2)
        return ir_op2(b, IR_FMUL, x, by);
    by = c != 0.0f ? ir_const_f(b, c / k) : ir_op2(b, IR_FMUL, ir_value(x->src[at]), by);
    return ir_op2(b, IR_FMUL, ir_value(x->src[1 - at]), by);
}

/* The sum over k, up to its sign. */
static struct ir_inst *rebuilt(const struct last *l, struct ir_builder *b, struct ir_inst *x, float k,
                               bool root, bool *minus) {
    if (!root && !is_sum(l, x))
        return divided(l, b, x, k, minus);
    bool first, second;
    struct ir_inst *p = rebuilt(l, b, ir_value(x->src[0]), k, false, &first);
    struct ir_inst *q = rebuilt(l, b, ir_value(x->src[1]), k, false, &second);
    second ^= x->op == IR_FSUB;
    *minus = first && second;
    if (first && !second)
        return ir_op2(b, IR_FSUB, q, p);
    return ir_op2(b, first == second ? IR_FADD : IR_FSUB, p, q);
}

static struct ir_inst *as_product(struct last *l, struct ir_inst *sum) {
    float best = 0.0f;
    int most = 0;
    l->count = 0;
    if (!find_terms(l, sum, 0))
        return NULL;
    for (uint32_t i = 0; i < l->count; i++) {
        float k = constant_factor(l, l->term[i]);
        int g = k != 0.0f ? gain(l, k) : 0;
        if (g > most || (g == most && most > 0))
            most = g, best = k;
    }
    if (most <= 0)
        return NULL;
    struct ir_builder b = ir_builder_before(sum);
    bool minus;
    struct ir_inst *inside = rebuilt(l, &b, sum, best, true, &minus);
    return ir_op2(&b, IR_FMUL, inside, ir_const_f(&b, minus ? -best : best));
}

/* A sum that goes to bytes of this colour and nowhere else; the pack clamps by itself. */
static struct ir_inst *packed_sum(const struct last *l, const struct ir_inst *pack, uint32_t channel) {
    struct ir_inst *x = ir_value(pack->src[channel]);
    uint32_t here = 0;
    for (uint32_t k = 0; k < pack->nsrc; k++)
        here += ir_value(pack->src[k]) == x;
    if (x->id >= l->size || l->uses[x->id] != here)
        return NULL;
    if (x->op == IR_FSAT) {
        x = ir_value(x->src[0]);
        if (x->id >= l->size || l->uses[x->id] != 1)
            return NULL;
    }
    bool sum = (x->op == IR_FADD || x->op == IR_FSUB) && !x->exact && x->block == l->block && !is_known(l, x);
    return sum ? x : NULL;
}

bool pass_last_factor(struct ir_shader *shader, const struct pass_options *options) {
    if (options->level < 1 || !ir_has(shader, IR_PACK_COLOR))
        return false;
    struct last *l = ir_alloc(shader->arena, sizeof *l);
    *l = (struct last){
        .uses = ir_facts(shader)->uses, .known = known_per_draw(shader, options), .size = shader->next_id};
    if (ir_arena_oom(shader->arena))
        return false;
    bool changed = false;
    ir_for_blocks(shader, block) {
        l->block = block;
        ir_for_insts(block, inst) {
            for (uint32_t k = 0; inst->op == IR_PACK_COLOR && k < inst->nsrc; k++) {
                struct ir_inst *sum = packed_sum(l, inst, k), *by = sum ? as_product(l, sum) : NULL;
                if (!by)
                    continue;
                ir_replace(sum, by);
                changed = true;
            }
        }
    }
    if (changed)
        ir_resolve(shader);
    return changed;
}
