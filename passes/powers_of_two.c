/* powers_of_two: propagates factors that are powers of two past sums, products and roots to operations that
 * take them for free.
 *
 * requires: accurate use counts, so after dce; before lower_math, whose sums round on purpose.
 * keeps:    the CFG, every effect, `exact` instructions; values to the bit, because such a factor changes the
 *           exponent alone (as long as that does not run over).
 * breaks:   nothing; leaves dead code.
 *
 *     x = 2 s - 1   y = 2 t - 1        x = s - 0.5   y = t - 0.5
 *     dot = x a + y b               →  dot = 2 (x a + y b)
 *     unit = x rsq(x x + y y)          unit = x rsq(x x + y y)
 *
 * A value that is 2^k times what follows from the bare values in the same way is a part of the form, k its
 * power. Constants and what is known per draw take any power. Where the powers cancel, and in a product with
 * something known, the factor is gone; where else a value with a power is needed, its bare form is
 * multiplied. That is done where it takes fewer operations. */
#include "passes/algebraic.h"
#include "passes/known.h"

#include <math.h>

enum {
    REACH = 600,   /* instructions that are looked at together */
    MAX_POWER = 8, /* of two */
};

enum form {
    OUTSIDE, /* has no bare form */
    PART,    /* 2^power times its bare form */
    SINK,    /* the same value from bare forms */
};

struct value {
    uint8_t form;
    int8_t power;
    int8_t inner; /* of the operands, where the result has another one */
    bool bare_use, true_use;
    struct ir_inst *bare;
};

struct doubles {
    const uint32_t *uses;
    const bool *known;   /* by id: the same for a whole draw */
    struct value *value; /* by id; all zero between windows */
    uint32_t size;       /* of these three */
    struct ir_inst *list[REACH];
    uint32_t count;
};

static const struct value *value_of(const struct doubles *d, const struct ir_inst *x) {
    static const struct value outside;
    return x->id < d->size ? &d->value[x->id] : &outside;
}

static bool is_part(const struct doubles *d, const struct ir_inst *x) {
    return value_of(d, x)->form == PART;
}

static int power_of(const struct doubles *d, const struct ir_inst *x) {
    return is_part(d, x) ? value_of(d, x)->power : 0;
}

static bool is_known(const struct doubles *d, const struct ir_inst *x) {
    return x->id < d->size && d->known[x->id];
}

/* Takes any power at no cost: something known, or the only use of a product with it. */
static bool is_free(const struct doubles *d, const struct ir_inst *x) {
    if (is_known(d, x))
        return true;
    return x->op == IR_FMUL && !x->exact && !is_part(d, x) && x->id < d->size && d->uses[x->id] == 1 &&
           value_of(d, x)->form == OUTSIDE && (is_known(d, x->src[0]) || is_known(d, x->src[1]));
}

/* x doubled, or times a power of two: which, and x. */
static int factor_of(const struct doubles *d, const struct ir_inst *x, uint32_t *other) {
    *other = 0;
    if (x->op == IR_FADD && x->src[0] == x->src[1])
        return is_known(d, x->src[0]) ? 0 : 1;
    for (uint32_t k = 0; x->op == IR_FMUL && k < 2; k++) {
        int exponent;
        if (!ir_is_const(x->src[k]) || is_known(d, x->src[1 - k]) || ir_float(x->src[k]) <= 0)
            continue;
        if (frexpf(ir_float(x->src[k]), &exponent) == 0.5f && exponent - 1 <= 3 && exponent - 1 >= -3) {
            *other = 1 - k;
            return exponent - 1;
        }
    }
    return 0;
}

/* Two operands of a sum, an extreme or a comparison have the same power, or take it. */
static bool agree(const struct doubles *d, const struct ir_inst *a, const struct ir_inst *b, int *power) {
    if (is_part(d, a) && is_part(d, b) && power_of(d, a) != power_of(d, b))
        return false;
    *power = is_part(d, a) ? power_of(d, a) : power_of(d, b);
    return (is_part(d, a) || is_free(d, a)) && (is_part(d, b) || is_free(d, b));
}

static struct value form_of(const struct doubles *d, const struct ir_inst *x) {
    struct value none = {0}, v = {.form = PART};
    struct ir_inst *a = x->src[0], *b = x->nsrc > 1 ? x->src[1] : NULL;
    uint32_t other;
    int factor = x->exact ? 0 : factor_of(d, x, &other), power = 0, inner = 0;
    bool any = false;
    for (uint32_t k = 0; k < x->nsrc; k++)
        any |= is_part(d, x->src[k]);
    if (factor) {
        power = power_of(d, x->src[other]) + factor;
        v.power = (int8_t)power;
        v.form = power ? PART : SINK;
        return power > MAX_POWER || power < -MAX_POWER ? none : v;
    }
    if (!any || x->exact)
        return none;
    switch (x->op) {
    case IR_FMUL:
        if (is_known(d, a) || is_known(d, b)) {
            v.form = SINK;
            v.inner = (int8_t) - (power_of(d, a) + power_of(d, b));
            return v;
        }
        power = power_of(d, a) + power_of(d, b);
        break;
    case IR_FRCP: power = -power_of(d, a); break;
    case IR_FSQRT:
    case IR_FRSQ:
        if (power_of(d, a) % 2)
            return none;
        power = x->op == IR_FSQRT ? power_of(d, a) / 2 : -(power_of(d, a) / 2);
        break;
    case IR_FNEG:
    case IR_FABS: power = power_of(d, a); break;
    case IR_FADD:
    case IR_FSUB:
    case IR_FMIN:
    case IR_FMAX:
    case IR_FMINABS:
    case IR_FMAXABS:
        if (!agree(d, a, b, &power))
            return none;
        inner = power;
        break;
    case IR_FLT:
    case IR_FGE:
    case IR_FEQ:
    case IR_FNE:
        if (!agree(d, a, b, &inner))
            return none;
        break;
    case IR_SELECT:
        if (x->type != IR_F32 || !agree(d, b, x->src[2], &power))
            return none;
        inner = power;
        break;
    default: return none;
    }
    if (power > MAX_POWER || power < -MAX_POWER)
        return none;
    v.power = (int8_t)power;
    v.inner = (int8_t)inner;
    v.form = power ? PART : SINK;
    return v;
}

static bool is_dropped(const struct doubles *d, const struct ir_inst *x, const struct value *v) {
    uint32_t parts = 0;
    for (uint32_t k = 0; k < x->nsrc; k++)
        parts += is_part(d, x->src[k]);
    return v->form == PART && !v->bare_use && parts < 2;
}

/* Operations that the bare forms save. */
static int find_forms(struct doubles *d, const bool *outlives) {
    int gain = 0;
    for (uint32_t k = 0; k < d->count; k++)
        d->value[d->list[k]->id] = form_of(d, d->list[k]);
    for (uint32_t k = d->count; k-- > 0;) {
        const struct ir_inst *x = d->list[k];
        struct value *v = &d->value[x->id];
        uint32_t other;
        v->true_use |= outlives[x->id];
        if (is_dropped(d, x, v))
            *v = (struct value){0};
        for (uint32_t i = 0; i < x->nsrc; i++) {
            if (!is_part(d, x->src[i]))
                continue;
            struct value *of = &d->value[x->src[i]->id];
            *(v->form == OUTSIDE ? &of->true_use : &of->bare_use) = true;
        }
        if (v->form != OUTSIDE)
            gain += (factor_of(d, x, &other) != 0) - (v->form == PART && v->true_use);
    }
    return gain;
}

static struct ir_inst *times(struct ir_builder *b, struct ir_inst *x, int power) {
    float factor = ldexpf(1.0f, power);
    if (power == 0 || alg_zero(x))
        return x;
    if (ir_is_const(x))
        return ir_const_f(b, ir_float(x) * factor);
    struct ir_inst *by = ir_const_f(b, factor);
    return ir_op2(b, IR_FMUL, x, by);
}

/* An operand of the bare form: `power` is what something known has to make up for. */
static struct ir_inst *operand(const struct doubles *d, struct ir_builder *b, struct ir_inst *x, int power) {
    if (is_part(d, x) && value_of(d, x)->bare)
        return value_of(d, x)->bare;
    if (power == 0 || x->type != IR_F32)
        return ir_value(x);
    if (is_known(d, x))
        return times(b, ir_value(x), -power);
    uint32_t known = is_known(d, x->src[1]);
    struct ir_inst *factor = times(b, ir_value(x->src[known]), -power);
    return ir_op2(b, IR_FMUL, ir_value(x->src[1 - known]), factor);
}

static struct ir_inst *bare_form(const struct doubles *d, struct ir_builder *b, const struct ir_inst *x) {
    uint32_t other;
    if (factor_of(d, x, &other))
        return operand(d, b, x->src[other], 0);
    struct ir_inst *source[3];
    for (uint32_t k = 0; k < x->nsrc; k++) {
        bool takes = is_known(d, x->src[k]) || x->op != IR_FMUL;
        source[k] = operand(d, b, x->src[k], takes ? value_of(d, x)->inner : 0);
    }
    return ir_emit(b, (enum ir_op)x->op, (enum ir_type)x->type, x->nsrc, source, x->imm, x->aux);
}

static void rewrite(struct doubles *d) {
    for (uint32_t k = 0; k < d->count; k++) {
        struct ir_inst *x = d->list[k];
        struct value *v = &d->value[x->id];
        if (v->form == OUTSIDE)
            continue;
        struct ir_builder b = ir_builder_before(x);
        v->bare = bare_form(d, &b, x);
        if (v->form == SINK || v->true_use)
            ir_replace(x, v->form == SINK ? v->bare : times(&b, v->bare, v->power));
    }
}

/* Values that something outside of the window reads. */
static void find_outliving(struct ir_shader *shader, const uint32_t *window, bool *outlives) {
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            for (uint32_t k = 0; k < inst->nsrc; k++)
                outlives[inst->src[k]->id] |=
                    window[inst->src[k]->id] != window[inst->id] || inst->op == IR_PHI;
        }
    }
}

/* Numbers the instructions of a block's windows. */
static uint32_t *find_windows(struct ir_shader *shader) {
    uint32_t *window = ir_alloc(shader->arena, shader->next_id * sizeof *window), number = 0, count;
    if (ir_arena_oom(shader->arena))
        return NULL;
    ir_for_blocks(shader, block) {
        number++;
        count = 0;
        ir_for_insts(block, inst) {
            if (inst->nsrc && ++count > REACH)
                number++, count = 1;
            window[inst->id] = number;
        }
    }
    return window;
}

static bool in_window(struct doubles *d, const bool *outlives) {
    uint32_t factors = 0, other;
    for (uint32_t k = 0; k < d->count; k++)
        factors += factor_of(d, d->list[k], &other) != 0;
    bool worth = factors && find_forms(d, outlives) > 0;
    if (worth)
        rewrite(d);
    for (uint32_t k = 0; k < d->count; k++)
        d->value[d->list[k]->id] = (struct value){0};
    d->count = 0;
    return worth;
}

bool pass_powers_of_two(struct ir_shader *shader, const struct pass_options *options) {
    if (options->level < 1 || shader->stage != QPUCC_FRAGMENT)
        return false;
    struct doubles *d = ir_alloc_uncleared(shader->arena, sizeof *d);
    uint32_t *window = find_windows(shader);
    bool *outlives = ir_alloc(shader->arena, shader->next_id);
    d->size = shader->next_id;
    d->uses = ir_facts(shader)->uses;
    d->known = known_per_draw(shader, options);
    d->value = ir_alloc(shader->arena, d->size * sizeof *d->value);
    if (ir_arena_oom(shader->arena))
        return false;
    find_outliving(shader, window, outlives);
    bool changed = false;
    d->count = 0;
    ir_for_blocks(shader, block) {
        uint32_t number = 0;
        ir_for_insts(block, inst) {
            if (inst->id >= d->size)
                continue;
            if (window[inst->id] != number)
                changed |= in_window(d, outlives);
            number = window[inst->id];
            if (inst->nsrc)
                d->list[d->count++] = inst;
        }
        changed |= in_window(d, outlives);
    }
    if (changed)
        ir_resolve(shader);
    return changed;
}
