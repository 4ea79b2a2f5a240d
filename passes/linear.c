/* linear: merges linear functions of linear functions into one.
 *
 * requires: accurate use counts; after relax_precision, which marks what may round otherwise; before
 *           lower_math, whose sums round on purpose.
 * keeps:    the CFG; `exact` and highp instructions. Rounding changes.
 * breaks:   nothing; leaves dead code.
 *
 *     p = 2 x + 3 y    q = x - y        r = 5 x + 10 y    (coefficients known per draw)
 *     r = 3 p - q      s = p + q   →    s = 3 x + 2 y
 *
 * Matrix times matrix times vector has this form: colours go through several spaces. A node is a tree of
 * sums, differences and multiples by values known per draw; its leaves are other nodes or any other values.
 * Nodes that only other nodes use (p, q) are substituted into all of them at once, if that makes fewer
 * operations. A node by itself is written anew if that makes fewer: (x + k) u + w is one product and one
 * sum. A known term is the second one, because it is ready at once. Products of coefficients leave the
 * shader. Differences of large terms may then cancel more digits than before, so highp is left alone: see
 * docs/numerics.md. */
#include "passes/algebraic.h"
#include "passes/known.h"

enum { MAX_LEAVES = 8, MAX_GROUP = 16, MAX_DEPTH = 24 };

struct node {
    struct ir_inst *inst;
    uint32_t ops, merging; /* operations, and how many of them go in any case: see merges */
    struct ir_inst *leaf[MAX_LEAVES];
    bool unit[MAX_LEAVES]; /* its coefficient is 1 or -1 */
    uint32_t leaves;
    bool constant; /* a term without leaf */
    bool full;     /* too many leaves */
    bool interior; /* only nodes read it */
    uint32_t first_reader;
};

struct reader {
    uint32_t node, next; /* + 1 */
};

struct linear {
    const uint32_t *uses;
    const bool *known;
    uint32_t *linear_uses, *node_of; /* by id; node + 1 */
    uint32_t size;
    struct node *node;
    uint32_t nodes;
    struct reader *reader;
    uint32_t readers;
    bool *done;      /* by node: rewritten in this run */
    uint32_t margin; /* operations to be saved for a gain */
    /* the group at hand */
    uint32_t inner[MAX_GROUP], outer[MAX_GROUP], inners, outers;
};

static bool is_known(const struct linear *l, const struct ir_inst *x) {
    return x->id < l->size && l->known[x->id];
}

/* Sums may be rounded in another order. */
static bool is_loose(const struct ir_inst *x) {
    return x->type == IR_F32 && !x->exact && x->precision != IR_HIGHP && x->nsrc;
}

/* A step of a linear function; the source that is no coefficient is looked through. */
static bool is_step(const struct linear *l, const struct ir_inst *x) {
    if (!is_loose(x) || is_known(l, x))
        return false;
    switch (x->op) {
    case IR_FADD:
    case IR_FSUB:
    case IR_FNEG: return true;
    case IR_FMUL: return is_known(l, x->src[0]) != is_known(l, x->src[1]);
    default: return false;
    }
}

/* Part of its only reader's tree. */
static bool is_inside(const struct linear *l, const struct ir_inst *x) {
    return is_step(l, x) && l->uses[x->id] == 1 && l->linear_uses[x->id] == 1;
}

static void add_leaf(struct node *n, struct ir_inst *leaf, bool unit) {
    for (uint32_t k = 0; k < n->leaves; k++)
        if (n->leaf[k] == leaf) {
            n->unit[k] = false;
            return;
        }
    if (n->leaves == MAX_LEAVES) {
        n->full = true;
        return;
    }
    n->leaf[n->leaves] = leaf;
    n->unit[n->leaves++] = unit;
}

static bool adds_known(const struct linear *l, const struct ir_inst *x) {
    return x->nsrc == 2 && (is_known(l, x->src[0]) || is_known(l, x->src[1]));
}

/* Signs cost nothing in most places, and pass uniforms makes (x k) l a product with k l, (x + k) + l a sum
 * with k + l. */
static bool merges(const struct linear *l, const struct ir_inst *x) {
    for (uint32_t k = 0; adds_known(l, x) && k < x->nsrc; k++) {
        const struct ir_inst *y = x->src[k];
        if (!is_known(l, y) && is_inside(l, y) && adds_known(l, y) &&
            (x->op == IR_FMUL) == (y->op == IR_FMUL))
            return true;
    }
    return x->op == IR_FNEG;
}

static void read_tree(const struct linear *l, struct node *n, struct ir_inst *x, bool unit, unsigned depth) {
    n->ops++;
    n->merging += merges(l, x);
    n->full |= depth == 0;
    for (uint32_t k = 0; !n->full && k < x->nsrc; k++) {
        struct ir_inst *y = x->src[k];
        bool product = x->op == IR_FMUL;
        if (is_known(l, y))
            n->constant |= !product;
        else if (is_inside(l, y))
            read_tree(l, n, y, unit && !product, depth - 1);
        else
            add_leaf(n, y, unit && !product);
    }
}

static void find_nodes(struct linear *l, struct ir_shader *shader) {
    uint32_t steps = 0;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            if (!is_step(l, inst))
                continue;
            steps++;
            for (uint32_t k = 0; k < inst->nsrc; k++)
                l->linear_uses[inst->src[k]->id] += inst->src[k]->block == block;
        }
    }
    l->node = ir_alloc_uncleared(shader->arena, (steps + 1) * sizeof *l->node);
    l->done = ir_alloc(shader->arena, steps + 1);
    l->reader = ir_alloc_uncleared(shader->arena, ((size_t)steps + 1) * MAX_LEAVES * sizeof *l->reader);
    if (ir_arena_oom(shader->arena))
        return;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            if (!is_step(l, inst) || is_inside(l, inst))
                continue;
            struct node *n = &l->node[l->nodes++];
            *n = (struct node){.inst = inst, .interior = l->uses[inst->id] == l->linear_uses[inst->id]};
            read_tree(l, n, inst, true, MAX_DEPTH);
            l->node_of[inst->id] = l->nodes;
            for (uint32_t k = 0; !n->full && k < n->leaves; k++) {
                uint32_t of = l->node_of[n->leaf[k]->id];
                if (!of || n->leaf[k]->block != block)
                    continue;
                l->reader[l->readers] = (struct reader){l->nodes - 1, l->node[of - 1].first_reader};
                l->node[of - 1].first_reader = ++l->readers;
            }
        }
    }
}

static bool in_list(const uint32_t *list, uint32_t count, uint32_t x) {
    for (uint32_t k = 0; k < count; k++)
        if (list[k] == x)
            return true;
    return false;
}

/* The readers of an interior node, and all interior nodes that nothing else reads. */
static bool find_group(struct linear *l, uint32_t start) {
    l->inners = l->outers = 0;
    for (uint32_t r = l->node[start].first_reader; r; r = l->reader[r - 1].next) {
        if (l->outers == MAX_GROUP)
            return false;
        l->outer[l->outers++] = l->reader[r - 1].node;
    }
    for (uint32_t k = 0; k < l->outers; k++) {
        const struct node *n = &l->node[l->outer[k]];
        if (n->full || l->done[l->outer[k]])
            return false;
        for (uint32_t j = 0; j < n->leaves; j++) {
            uint32_t i = l->node_of[n->leaf[j]->id] - 1;
            if (l->node_of[n->leaf[j]->id] == 0 || !l->node[i].interior || l->node[i].full || l->done[i] ||
                in_list(l->inner, l->inners, i))
                continue;
            bool ours = true;
            uint32_t count = 0;
            for (uint32_t r = l->node[i].first_reader; r; r = l->reader[r - 1].next, count++)
                ours &= in_list(l->outer, l->outers, l->reader[r - 1].node);
            if (!ours || !count || l->inners == MAX_GROUP || in_list(l->outer, l->outers, i))
                continue;
            l->inner[l->inners++] = i;
        }
    }
    return l->inners && in_list(l->inner, l->inners, start);
}

static bool put_in(const struct linear *l, const struct ir_inst *x) {
    uint32_t of = x->id < l->size ? l->node_of[x->id] : 0;
    return of && in_list(l->inner, l->inners, of - 1);
}

/* The leaves of an outer node with the inner ones put in. */
static struct node expanded(const struct linear *l, const struct node *n) {
    struct node e = {.inst = n->inst, .constant = n->constant};
    for (uint32_t k = 0; k < n->leaves; k++) {
        if (!put_in(l, n->leaf[k])) {
            add_leaf(&e, n->leaf[k], n->unit[k]);
            continue;
        }
        const struct node *i = &l->node[l->node_of[n->leaf[k]->id] - 1];
        e.constant |= i->constant;
        for (uint32_t j = 0; j < i->leaves; j++)
            add_leaf(&e, i->leaf[j], n->unit[k] && i->unit[j]);
    }
    e.ops = e.leaves + e.constant - 1;
    for (uint32_t k = 0; k < e.leaves; k++)
        e.ops += !e.unit[k];
    return e;
}

/* --- coefficients --------------------------------------------------------------------------------------- */

static struct ir_inst *plus(struct ir_builder *b, struct ir_inst *x, struct ir_inst *y, bool minus) {
    if (!y)
        return x;
    if (!x)
        return !minus ? y : ir_is_const(y) ? ir_const_f(b, -ir_float(y)) : ir_op1(b, IR_FNEG, y);
    if (ir_is_const(x) && ir_is_const(y))
        return ir_const_f(b, minus ? ir_float(x) - ir_float(y) : ir_float(x) + ir_float(y));
    return ir_op2(b, minus ? IR_FSUB : IR_FADD, x, y);
}

static struct ir_inst *times(struct ir_builder *b, struct ir_inst *x, struct ir_inst *y) {
    if (!x || alg_one(y))
        return x;
    if (alg_one(x))
        return y;
    if (ir_is_const(x) && ir_is_const(y))
        return ir_const_f(b, ir_float(x) * ir_float(y));
    return ir_op2(b, IR_FMUL, x, y);
}

/* What `leaf` is multiplied by in x, NULL: nothing; leaf NULL: the constant term. */
static struct ir_inst *coefficient(const struct linear *l, struct ir_builder *b, struct ir_inst *x,
                                   const struct ir_inst *leaf, bool top) {
    if (x == leaf)
        return ir_const_f(b, 1);
    if (is_known(l, x))
        return leaf ? NULL : x;
    if (!top && !is_inside(l, x) && !put_in(l, x))
        return NULL;
    struct ir_inst *p = x->src[0], *q = x->nsrc > 1 ? x->src[1] : NULL;
    switch (x->op) {
    case IR_FMUL:
        return is_known(l, p) ? times(b, coefficient(l, b, q, leaf, false), p)
                              : times(b, coefficient(l, b, p, leaf, false), q);
    case IR_FNEG: return plus(b, NULL, coefficient(l, b, p, leaf, false), true);
    default: { /* a sum or a difference: is_step has no others */
        struct ir_inst *second = coefficient(l, b, q, leaf, false);
        return plus(b, coefficient(l, b, p, leaf, false), second, x->op == IR_FSUB);
    }
    }
}

static void rewrite(const struct linear *l, const struct node *e) {
    struct ir_builder b = ir_builder_before(e->inst);
    struct ir_inst *sum = NULL, *late = NULL;
    for (uint32_t i = 0; i <= e->leaves; i++) { /* the constant term is the second one */
        uint32_t k = i == 0 ? 0 : i == 1 ? e->leaves : i - 1;
        struct ir_inst *leaf = k < e->leaves ? e->leaf[k] : NULL;
        struct ir_inst *c = leaf || e->constant ? coefficient(l, &b, e->inst, leaf, true) : NULL;
        if (!c || alg_zero(c))
            continue;
        bool minus = alg_bits(c, 0xbf800000u);
        struct ir_inst *term = !leaf ? c : minus || alg_one(c) ? leaf : ir_op2(&b, IR_FMUL, leaf, c);
        minus &= leaf != NULL;
        if (!sum && minus && !late) /* waits for something to be taken away from */
            late = term;
        else
            sum = sum     ? ir_op2(&b, minus ? IR_FSUB : IR_FADD, sum, term)
                  : minus ? ir_op1(&b, IR_FNEG, term)
                          : term;
        if (sum && late && late != term) {
            sum = ir_op2(&b, IR_FSUB, sum, late);
            late = NULL;
        }
    }
    ir_replace(e->inst, sum ? sum : late ? ir_op1(&b, IR_FNEG, late) : ir_const_f(&b, 0));
}

static bool put_together(struct linear *l, uint32_t start) {
    uint32_t before = 0, after = 0;
    struct node e[MAX_GROUP];
    if (!find_group(l, start))
        return false;
    for (uint32_t k = 0; k < l->inners; k++)
        before += l->node[l->inner[k]].ops;
    for (uint32_t k = 0; k < l->outers; k++) {
        e[k] = expanded(l, &l->node[l->outer[k]]);
        before += l->node[l->outer[k]].ops;
        after += e[k].ops;
        if (e[k].full)
            return false;
    }
    if (after + l->margin >= before)
        return false;
    for (uint32_t k = 0; k < l->outers; k++) {
        rewrite(l, &e[k]);
        l->done[l->outer[k]] = true;
    }
    for (uint32_t k = 0; k < l->inners; k++)
        l->done[l->inner[k]] = true;
    return true;
}

static bool shortened(const struct linear *l, const struct node *n) {
    if (n->full)
        return false;
    struct node e = expanded(l, n);
    if (e.full || e.ops + l->margin >= n->ops - n->merging)
        return false;
    rewrite(l, &e);
    return true;
}

/* A node by itself: (x + k) u + w, x + (k - x) u; or what a factor of the whole is multiplied with. */
static bool shorten(struct linear *l, uint32_t number) {
    struct node *n = &l->node[number], part = {.inst = n->inst};
    l->inners = 0;
    bool done = shortened(l, n);
    while (!done && part.inst->op == IR_FMUL) {
        struct ir_inst *inside = part.inst->src[is_known(l, part.inst->src[0])];
        if (!is_inside(l, inside))
            break;
        part = (struct node){.inst = inside};
        read_tree(l, &part, inside, true, MAX_DEPTH);
        done = shortened(l, &part);
    }
    l->done[number] = done;
    return done;
}

static bool has_loose(const struct ir_shader *shader) {
    ir_for_blocks(shader, block) {
        for (const struct ir_inst *inst = block->first; inst; inst = inst->next)
            if (is_loose(inst))
                return true;
    }
    return false;
}

bool pass_linear(struct ir_shader *shader, const struct pass_options *options) {
    if (options->level < 1 || options->lean || !has_loose(shader))
        return false;
    struct linear l = {.uses = ir_facts(shader)->uses, .size = shader->next_id};
    l.known = known_per_draw(shader, options);
    l.linear_uses = ir_alloc(shader->arena, l.size * sizeof *l.linear_uses);
    l.node_of = ir_alloc(shader->arena, l.size * sizeof *l.node_of);
    if (ir_arena_oom(shader->arena))
        return false;
    l.margin = shader->stage !=
               QPUCC_FRAGMENT; /* where coefficients are words of a stream that is read all the time */
    find_nodes(&l, shader);
    if (ir_arena_oom(shader->arena))
        return false;
    bool changed = false;
    for (uint32_t i = 0; i < l.nodes; i++)
        if (l.node[i].interior && !l.done[i] && l.node[i].first_reader)
            changed |= put_together(&l, i);
    for (uint32_t i = 0; i < l.nodes; i++)
        if (!l.done[i])
            changed |= shorten(&l, i);
    if (changed)
        ir_resolve(shader);
    return changed;
}
