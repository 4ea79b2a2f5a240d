/* lower_stage's position: screen coordinates, 1/W and clip coordinates from gl_Position.
 *
 * Where the position is a matrix times a vector, the viewport goes into the rows of the matrix, and all rows
 * are divided by one of the factors of W, whose product is no operation then: both happen in the uniforms.
 * The vertex and the coordinate shader are cut from what is made here, so X, Y and 1/W agree bit for bit. */
#include "passes/lower_position.h"
#include "passes/lower_math.h"
#include "passes/lower_stage.h"

/* What was known per draw when it was asked, by id: twice the nodes that it took to find out, which it takes
 * the next time, too, plus one for yes; 0: not asked yet. */
struct answers {
    uint32_t *by_id, size;
};

/* What coordinates are divided by: W, or W in a unit that is known per draw. */
struct divisor {
    val w;        /* gl_Position's */
    val row, rw;  /* W in this unit, and the reciprocal of that */
    val unit, by; /* the unit and its reciprocal; NULL: none */
    val own;      /* W taken back from the row; behind it rows have all they need */
    struct answers known;
};

/* The scale before the reciprocal: it need not wait for it. A constant reciprocal goes with the scale. */
static val viewport(struct ir_builder *b, val p, const struct divisor *d, enum ir_state scale) {
    val by = lower_stage_state(b, scale);
    if (d->unit)
        by = mul(b, by, d->by);
    return ir_is_const(d->rw) ? mul(b, p, mul(b, by, d->rw)) : mul(b, mul(b, p, by), d->rw);
}

/* How many nodes a question may still look at. */
struct budget {
    uint32_t nodes;
    struct answers known;
};

static bool per_draw(const struct ir_inst *x, struct budget *budget) {
    if (budget->nodes == 0)
        return false;
    uint32_t before = budget->nodes--;
    if (x->op == IR_CONST || x->op == IR_UNIFORM)
        return true;
    uint32_t *answer = x->id < budget->known.size ? &budget->known.by_id[x->id] : NULL;
    if (answer && *answer) {
        budget->nodes = before > *answer / 2 ? before - *answer / 2 : 0;
        return before >= *answer / 2 && *answer % 2;
    }
    bool known = ir_ops[x->op].folds;
    for (uint32_t k = x->nsrc; known && k--;) /* sums lean to the left: this way it is decided sooner */
        known = per_draw(ir_value(x->src[k]), budget);
    if (answer && budget->nodes) /* not cut short */
        *answer = (before - budget->nodes) * 2 + known;
    return known;
}

/* u v with u known per draw, v not. */
static bool split_product(const struct ir_inst *x, val *u, val *v, struct budget *budget) {
    if (x->op != IR_FMUL)
        return false;
    for (uint32_t k = 0; k < 2; k++) {
        *u = ir_value(x->src[k]);
        *v = ir_value(x->src[1 - k]);
        if (per_draw(*u, budget))
            return true;
    }
    return false;
}

#define SCALED_NODES 1000

/* How a value is scaled: a step for each node of it, which comes before those of its sources. */
struct plan {
    struct budget budget;
    uint32_t at;                /* the next one */
    uint8_t step[SCALED_NODES]; /* enum step */
};

enum step {
    IS_KNOWN = 1,   /* per draw */
    SECOND_X = 2,   /* a product's second source is known per draw */
    SECOND_W = 4,   /* and that of w's */
    IS_CROSSED = 2, /* a sum whose first source goes with w, or with w's second one */
    IS_PARALLEL = 4 /* w is such a sum, too */
};

/* What of w goes with a source of a sum. */
static val part_of(val w, unsigned step, uint32_t source) {
    uint32_t at = source ^ ((step & IS_CROSSED) != 0);
    return step & IS_PARALLEL ? ir_value(w->src[at]) : at ? w : NULL;
}

static unsigned second_if_known(const struct ir_inst *product, val known, enum step second) {
    return known == ir_value(product->src[0]) ? 0 : second;
}

static bool find_steps(val x, val w, struct plan *plan) {
    struct budget *budget = &plan->budget;
    if (budget->nodes == 0)
        return false;
    budget->nodes--;
    uint32_t at = plan->at++;
    val u, v, t, q;
    if (per_draw(x, budget) && (!w || per_draw(w, budget))) {
        plan->step[at] = IS_KNOWN;
        return true;
    }
    if (x->op == IR_FADD || x->op == IR_FSUB) {
        unsigned parallel = w && w->op == x->op && !per_draw(w, budget) ? IS_PARALLEL : 0;
        for (uint32_t k = 0; k < 2; k++) { /* a w known per draw goes with either side */
            unsigned step = parallel | (k ? IS_CROSSED : 0);
            val wy = part_of(w, step, 0), wz = part_of(w, step, 1);
            if (x->op == IR_FSUB && (parallel ? k == 1 : wz != NULL))
                continue;
            plan->step[at] = (uint8_t)step;
            plan->at = at + 1;
            if (find_steps(ir_value(x->src[0]), wy, plan) && find_steps(ir_value(x->src[1]), wz, plan))
                return true;
        }
        return false;
    }
    if (!split_product(x, &u, &v, budget))
        return false;
    plan->step[at] = (uint8_t)second_if_known(x, u, SECOND_X);
    if (!w)
        return true;
    if (!split_product(w, &t, &q, budget) || q != v)
        return false;
    plan->step[at] |= second_if_known(w, t, SECOND_W);
    return true;
}

/* Can x s + w h be had in as many operations as x takes, and how? x is a sum of products with uniforms, a
 * matrix' row most often, and w one of the same values (NULL: 0): factors and sum go into the uniforms, which
 * leave the shader. This is decided by how x and w are made and by nothing else, so that all programs with
 * this position agree on it. */
static bool can_scale(val x, val w, struct answers known, struct plan *plan) {
    plan->budget = (struct budget){SCALED_NODES, known};
    plan->at = 0;
    bool can = find_steps(x, w, plan);
    plan->at = 0;
    return can;
}

/* x s + w h as planned. */
static val scaled(struct ir_builder *b, val x, val s, val w, val h, struct plan *plan) {
    unsigned step = plan->step[plan->at++];
    if (step & IS_KNOWN) {
        val more = w ? mul(b, w, h) : NULL;
        return w ? add(b, mul(b, x, s), more) : mul(b, x, s);
    }
    if (x->op != IR_FMUL) {
        val y = scaled(b, ir_value(x->src[0]), s, part_of(w, step, 0), h, plan);
        val z = scaled(b, ir_value(x->src[1]), s, part_of(w, step, 1), h, plan);
        return ir_op2(b, (enum ir_op)x->op, y, z);
    }
    uint32_t known = (step & SECOND_X) != 0;
    val u = ir_value(x->src[known]), v = ir_value(x->src[1 - known]);
    if (!w)
        return mul(b, mul(b, u, s), v);
    val more = mul(b, ir_value(w->src[(step & SECOND_W) != 0]), h);
    return mul(b, add(b, mul(b, u, s), more), v);
}

/* One of the position's two coordinates on the screen. */
struct screen {
    val fixed;       /* sixteenths of pixels above the point, with the half that rounds; or NULL */
    uint32_t places; /* bits of `fixed` below the point */
    val at;          /* sixteenths of pixels as they are */
    val clip;        /* the clip coordinate, which only the coordinate shader writes */
    val exact;       /* the same for whoever else reads it */
};

/* Behind x and w, where a coordinate made of both can stand; false: there is no such place. */
static bool behind(struct ir_builder *b, val x, val w) {
    val last = x;
    if (w && w->block == x->block)
        for (val i = x; i; i = i->next)
            last = i == w ? w : last;
    else if (w && !ir_is_const(w))
        return false;
    b->block = last->block;
    b->before = last->next;
    return true;
}

/* x S, S the viewport's scale, with S in the uniforms of x's row. The coordinate shader takes it back. */
static bool in_row(struct screen *s, struct ir_builder *b, val x, const struct divisor *d,
                   enum ir_state scale) {
    struct plan plan;
    struct ir_builder at = *b;
    if (!can_scale(x, NULL, d->known, &plan) || !behind(&at, x, d->unit ? d->own : NULL))
        return false;
    val by = lower_stage_state(&at, scale);
    if (ir_is_const(d->rw))
        by = mul(&at, by, flt(&at, ir_float(d->rw)));
    if (d->unit)
        by = mul(&at, by, d->by);
    val row = scaled(&at, x, by, NULL, NULL, &plan);
    s->clip = s->exact = mul(&at, row, ir_op1(&at, IR_FRCP, by));
    s->at = ir_is_const(d->rw) ? row : mul(b, row, d->rw);
    return true;
}

/* (x S + w/2) 2^places in the same way: divided by w and made whole that is fixed point, whose bits above
 * the point are the coordinate rounded. What stays in the clip coordinate is half a sixteenth of a pixel,
 * by which the screen coordinate is rounded as well. */
static bool in_fixed_row(struct screen *s, struct ir_builder *b, val x, const struct divisor *d,
                         enum ir_state scale, uint32_t places) {
    struct plan plan;
    struct ir_builder at = *b;
    float one = (float)(1u << places);
    val w = d->w;
    if (!can_scale(x, w, d->known, &plan) || !behind(&at, x, d->own))
        return false;
    val unit = flt(&at, one), by = mul(&at, lower_stage_state(&at, scale), unit), half = flt(&at, one / 2);
    if (ir_is_const(d->rw)) {
        by = mul(&at, by, flt(&at, ir_float(d->rw)));
        half = flt(&at, one / 2 * ir_float(d->rw));
        w = flt(&at, ir_float(w));
    }
    if (d->unit)
        by = mul(&at, by, d->by), half = mul(&at, half, d->by);
    val row = scaled(&at, x, by, w, half, &plan), back = ir_op1(&at, IR_FRCP, by);
    s->clip = mul(&at, row, back);
    val excess = mul(&at, half, back);
    if (d->unit)
        w = d->row, excess = mul(&at, excess, d->unit);
    s->exact = sub(&at, s->clip, mul(&at, w, excess));
    s->fixed = ir_is_const(d->rw) ? row : mul(b, row, d->rw);
    s->places = places;
    return true;
}

/* Whether the viewport may go into the rows of the matrix, which rounds in other places. */
static bool folds(const struct pass_options *options) {
    return options->level > 0 && !options->no_uniform_expressions && options->policy != QPUCC_POLICY_PRECISE;
}

/* A position's X or Y on the screen. Y's sixteen bits are the upper half of a word of 16.16, over whose
 * lower half the pack writes X's. X is shifted, by 15: the largest count that is a small immediate without
 * the claim that a shift takes -16 for 16 (assumption shift_count_five_bits). Points on the very edge of
 * the view are in it, so their clip coordinates stay as they are. */
static struct screen on_screen(struct ir_builder *b, val x, const struct divisor *d, enum ir_state scale,
                               const struct pass_options *options) {
    struct screen s = {.clip = x, .exact = x};
    struct budget budget = {SCALED_NODES, d->known};
    bool fold = folds(options) && !per_draw(x, &budget);
    uint32_t places = scale == IR_STATE_VIEWPORT_X_SCALE ? 15 : 16;
    if (fold && options->state.primitive != QPUCC_POINTS && in_fixed_row(&s, b, x, d, scale, places))
        return s;
    if (!fold || !in_row(&s, b, x, d, scale))
        s.at = viewport(b, x, d, scale);
    return s;
}

struct depth {
    val z, own; /* Zs; own: the vertex shader's, NULL: the same */
    val clip;
};

/* (z S + w O) / w in the same way, S and O the depth range's. Only the vertex shader has it: the
 * coordinate shader needs z itself to clip, and would have to take it back out of the row. So their Zs
 * differ in the last bits; the binner uses its own only where it clips. */
static val depth_in_row(struct ir_builder *b, val z, const struct divisor *d) {
    struct plan plan;
    struct ir_builder at = *b;
    val w = d->w;
    if (!can_scale(z, w, d->known, &plan) || !behind(&at, z, d->own))
        return NULL;
    val by = lower_stage_state(&at, IR_STATE_VIEWPORT_Z_SCALE),
        offset = lower_stage_state(&at, IR_STATE_VIEWPORT_Z_OFFSET);
    if (ir_is_const(d->rw)) {
        by = mul(&at, by, flt(&at, ir_float(d->rw)));
        offset = mul(&at, offset, flt(&at, ir_float(d->rw)));
        w = flt(&at, ir_float(w));
    }
    if (d->unit)
        by = mul(&at, by, d->by), offset = mul(&at, offset, d->by);
    val row = scaled(&at, z, by, w, offset, &plan);
    return ir_is_const(d->rw) ? row : mul(b, row, d->rw);
}

/* u, or 2^-60 where that is larger: so little changes neither a depth nor a W that can be seen. */
static val nonzero(struct ir_builder *b, val u) {
    val least = flt(b, 0x1p-60f), small = ir_op2(b, IR_FLT, absolute(b, u), least);
    return pick(b, small, least, u);
}

/* z S, for a coordinate shader that divides all rows by a unit anyway, and takes z back. */
static bool depth_in_units(struct depth *s, struct ir_builder *b, val z, const struct divisor *d) {
    struct plan plan;
    struct ir_builder at = *b;
    if (!d->unit || !can_scale(z, NULL, d->known, &plan) || !behind(&at, z, d->own))
        return false;
    val by = mul(&at, nonzero(&at, lower_stage_state(&at, IR_STATE_VIEWPORT_Z_SCALE)), d->by);
    val row = scaled(&at, z, by, NULL, NULL, &plan);
    s->clip = mul(&at, row, ir_op1(&at, IR_FRCP, by));
    val offset = lower_stage_state(b, IR_STATE_VIEWPORT_Z_OFFSET);
    s->z = add(b, mul(b, row, d->rw), offset);
    return true;
}

static struct depth depth_on_screen(struct ir_builder *b, val z, const struct divisor *d, bool fold) {
    struct depth s = {.clip = z};
    struct budget budget = {SCALED_NODES, d->known};
    val offset = lower_stage_state(b, IR_STATE_VIEWPORT_Z_OFFSET);
    if (fold && z == d->w && !ir_is_const(z)) { /* at the far end, whatever it is */
        s.z = add(b, lower_stage_state(b, IR_STATE_VIEWPORT_Z_SCALE), offset);
        return s;
    }
    fold = fold && !per_draw(z, &budget);
    if (!fold || !depth_in_units(&s, b, z, d))
        s.z = add(b, viewport(b, z, d, IR_STATE_VIEWPORT_Z_SCALE), offset);
    s.own = fold ? depth_in_row(b, z, d) : NULL;
    return s;
}

/* The n-th product in a sum of products with uniforms, or the last one before it. */
static val find_term(val x, uint32_t *n, struct budget *budget) {
    val u, v;
    if (per_draw(x, budget) || !*n)
        return NULL;
    if (x->op == IR_FADD || x->op == IR_FSUB) {
        val y = find_term(ir_value(x->src[0]), n, budget), z = find_term(ir_value(x->src[1]), n, budget);
        return z ? z : y;
    }
    if (!split_product(x, &u, &v, budget))
        return NULL;
    --*n;
    return x;
}

/* A sum of products with uniforms over the unit; `term` is its product with that. */
static val in_units(struct ir_builder *b, val x, val term, val by, struct answers known) {
    struct budget budget = {SCALED_NODES, known};
    val u, v;
    if (per_draw(x, &budget))
        return mul(b, x, by);
    if (x->op == IR_FADD || x->op == IR_FSUB) {
        u = in_units(b, ir_value(x->src[0]), term, by, known);
        v = in_units(b, ir_value(x->src[1]), term, by, known);
        return ir_op2(b, (enum ir_op)x->op, u, v);
    }
    split_product(x, &u, &v, &budget);
    return x == term ? v : mul(b, mul(b, u, by), v);
}

/* X, Y or Z are made from W: its own row would be needed, too. Who reads W besides does not matter, so all
 * programs with this position agree. */
static bool is_made_from(struct ir_shader *shader, val const p[3], val w) {
    val *work = ir_alloc_uncleared(shader->arena, shader->next_id * sizeof *work);
    uint32_t count = 0;
    if (ir_arena_oom(shader->arena))
        return true;
    for (uint32_t i = 0; i < 3; i++)
        if (p[i] != w && !p[i]->mark)
            p[i]->mark = true, work[count++] = p[i];
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < work[k]->nsrc; i++)
            if (!work[k]->src[i]->mark)
                work[k]->src[i]->mark = true, work[count++] = work[k]->src[i];
    bool found = w->mark;
    while (count)
        work[--count]->mark = false;
    return found;
}

/* Whoever else wants a coordinate, and comes later, takes it from the row with the viewport in it: two rows
 * would cost more. What was asked about them remains true: neither is known per draw. */
static void share(struct ir_shader *shader, val *value, val p, val instead) {
    if (p == instead)
        return;
    for (uint32_t w = 0; w < shader->outputs.words; w++)
        if (value[w] == p)
            value[w] = instead;
    ir_for_blocks(shader, block) {
        struct ir_inst *inst = block == instead->block ? instead->next : block->first;
        for (; inst; inst = inst->next)
            for (uint32_t k = 0; k < inst->nsrc; k++)
                if (inst->src[k] == p && !inst->exact)
                    inst->src[k] = instead;
    }
}

static struct divisor divide_by(struct ir_shader *shader, struct ir_builder *b, val *value, val const p[4],
                                bool fold) {
    enum { TERM = 3 };
    val w = p[3];
    struct divisor d = {.w = w, .row = w, .own = w};
    d.known.by_id = ir_alloc(shader->arena, shader->next_id * sizeof *d.known.by_id);
    d.known.size = ir_arena_oom(shader->arena) ? 0 : shader->next_id;
    struct budget budget = {SCALED_NODES, d.known};
    uint32_t n = TERM;
    if (ir_is_const(w) && ir_float(w) != 0.0f) { /* in two dimensions, most often 1 */
        d.rw = flt(b, 1.0f / ir_float(w));
        return d;
    }
    struct plan plan;
    fold = fold && can_scale(w, NULL, d.known, &plan);
    val u, v, term = fold ? find_term(w, &n, &budget) : NULL;
    if (term && !is_made_from(shader, p, w)) {
        struct ir_builder at = *b;
        at.block = w->block, at.before = w;
        budget.nodes = UINT32_MAX;
        split_product(term, &u, &v, &budget);
        d.unit = nonzero(&at, u);
        d.by = ir_op1(&at, IR_FRCP, d.unit);
        behind(&at, w, NULL);
        d.row = in_units(&at, w, term, d.by, d.known);
        d.own = mul(&at, d.row, d.unit);
        share(shader, value, w, d.own);
    }
    d.rw = lower_rcp_newton(b, d.row);
    return d;
}

/* Viewport-relative pixels in 12.4 (section 12; guide section 7, figure 10), to the nearest sixteenth.
 * Negative ones occur and f2i truncates, so without the fixed point 2^16 goes with the half that rounds: the
 * pack keeps the low 16 bits only. Beyond +-2048 pixels the word is nothing; what lies that far outside is
 * clipped before anybody uses it. */
static val whole(struct ir_builder *b, const struct screen *s) {
    if (!s->fixed)
        return ir_op1(b, IR_F2I, add(b, s->at, flt(b, 65536.5f)));
    val places = num(b, s->places);
    return ir_op2(b, IR_USHR, ir_op1(b, IR_F2I, s->fixed), places);
}

struct lower_position lower_position(struct ir_shader *shader, struct ir_builder *b, val *value,
                                     val const p[4], const struct pass_options *options) {
    static const enum ir_state scale[2] = {IR_STATE_VIEWPORT_X_SCALE, IR_STATE_VIEWPORT_Y_SCALE};
    bool fold = folds(options), points = options->state.primitive == QPUCC_POINTS;
    /* without a search the scheduler makes more of a multiplication more: -O1 would be 1.008 */
    struct divisor d = divide_by(shader, b, value, p, fold && !points && options->level > 1);
    struct screen on[2];
    for (uint32_t i = 0; i < 2; i++)
        on[i] = on_screen(b, p[i], &d, scale[i], options);
    val x = whole(b, &on[0]), y = whole(b, &on[1]);
    for (uint32_t i = 0; i < 2; i++)
        share(shader, value, p[i], on[i].exact);
    struct depth depth = depth_on_screen(b, p[2], &d, fold);
    struct lower_position s = {.clip = {on[0].clip, on[1].clip, depth.clip, d.w}, .w = d.own, .rw = d.rw};
    s.z = depth.z, s.own_z = depth.own;
    s.xy = ir_op2(b, IR_PACK_16I, x, y);
    if (!d.unit)
        return s;
    /* Roundings are not to push what lies on the edge of the view out of it. */
    s.clip[3] = mul(b, d.row, mul(b, d.unit, flt(b, 0x1.00001p0f)));
    s.clip[2] = depth.clip == d.w ? s.clip[3] : depth.clip;
    s.rw = mul(b, d.rw, d.by);
    return s;
}
