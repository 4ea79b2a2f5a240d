/* product: a product of two factors that several products have in common is computed once.
 *
 * requires: accurate use counts, so after dce; before lower_math, whose products round on purpose.
 * keeps:    the CFG, every effect; `exact` instructions. Rounding changes.
 * breaks:   nothing; leaves dead code. Vertex shaders stay as they are: there a word of the stream is read
 *           in nearly every instruction, and the few products that were found made them longer.
 *
 *     (x * r) * 0.5, (y * r) * 0.5  →  x * t, y * t with t = r * 0.5
 *     (x * u) * y * v               →  x * y * (u * v), where u and v are known per draw
 *
 * A product is a tree of multiplications in one block whose inner results have no other use. Normalised
 * vectors that are scaled next, and light times colour times shade, have this form. */
#include "passes/eval.h"
#include "passes/known.h"

enum { MAX_FACTORS = 8 };

struct tree {
    struct ir_inst *root;
    struct ir_inst *factor[MAX_FACTORS];
    uint32_t count;
    bool done;
};

/* Two factors, and how many trees would lose a multiplication if they were one. */
struct pair {
    struct ir_inst *a, *b;
    uint32_t longer, whole; /* trees with more factors; with just these two */
    uint32_t last;          /* tree that was counted last, + 1 */
};

struct products {
    struct ir_shader *shader;
    const uint32_t *uses;
    const bool *known; /* by id: the same for a whole draw */
    bool *inside;      /* by id: part of another tree */
    uint32_t size;     /* of uses[], known[] and inside[] */
    struct tree *tree;
    uint32_t trees;
    struct pair *pair; /* hash table, never more than half full */
    uint32_t mask;
};

static bool is_known(const struct products *p, const struct ir_inst *x) {
    return x->id < p->size && p->known[x->id];
}

static bool is_product(const struct products *p, const struct ir_inst *x) {
    return x->op == IR_FMUL && !x->exact && !is_known(p, x);
}

static bool same(const struct ir_inst *a, const struct ir_inst *b) {
    return a == b || (ir_is_const(a) && ir_is_const(b) && a->imm == b->imm);
}

static void find_inside(struct products *p, struct ir_block *block) {
    ir_for_insts(block, inst) {
        for (uint32_t k = 0; is_product(p, inst) && k < 2; k++) {
            const struct ir_inst *x = inst->src[k];
            if (is_product(p, x) && x->block == block && p->uses[x->id] == 1)
                p->inside[x->id] = true;
        }
    }
}

/* False: too many factors. */
static bool add_factors(const struct products *p, struct tree *t, struct ir_inst *x, unsigned depth) {
    for (uint32_t k = 0; k < 2; k++) {
        struct ir_inst *y = x->src[k];
        if (y->id < p->size && p->inside[y->id]) {
            if (depth == 0 || !add_factors(p, t, y, depth - 1))
                return false;
        } else if (t->count == MAX_FACTORS) {
            return false;
        } else {
            t->factor[t->count++] = y;
        }
    }
    return true;
}

static uint32_t hash_of(const struct ir_inst *x) {
    return (ir_is_const(x) ? x->imm : x->id) * 0x9e3779b1u;
}

static struct pair *find_pair(struct products *p, struct ir_inst *a, struct ir_inst *b) {
    uint32_t h = hash_of(a) + hash_of(b);
    for (uint32_t at = (h ^ h >> 15) & p->mask;; at = (at + 1) & p->mask) {
        struct pair *q = &p->pair[at];
        if (!q->a)
            *q = (struct pair){.a = a, .b = b};
        if ((same(q->a, a) && same(q->b, b)) || (same(q->a, b) && same(q->b, a)))
            return q;
    }
}

static void count_pairs(struct products *p, uint32_t number) {
    const struct tree *t = &p->tree[number];
    for (uint32_t i = 0; i < t->count; i++)
        for (uint32_t j = i + 1; j < t->count; j++) {
            struct pair *q = find_pair(p, t->factor[i], t->factor[j]);
            if (q->last == number + 1)
                continue;
            q->last = number + 1;
            *(t->count > 2 ? &q->longer : &q->whole) += 1;
        }
}

/* The factors of the pair in the tree. */
static bool has(const struct tree *t, const struct pair *q, uint32_t *i, uint32_t *j) {
    for (*i = 0; *i < t->count; ++*i)
        for (*j = *i + 1; *j < t->count; ++*j) {
            const struct ir_inst *a = t->factor[*i], *b = t->factor[*j];
            if ((same(a, q->a) && same(b, q->b)) || (same(a, q->b) && same(b, q->a)))
                return true;
        }
    return false;
}

/* The tree without factors i and j, times `both`, which comes last because it is the youngest. */
static void rewrite(struct tree *t, uint32_t i, uint32_t j, struct ir_inst *both) {
    struct ir_builder b = ir_builder_before(t->root);
    struct ir_inst *rest = NULL;
    for (uint32_t k = 0; k < t->count; k++)
        if (k != i && k != j)
            rest = rest ? ir_op2(&b, IR_FMUL, rest, ir_value(t->factor[k])) : ir_value(t->factor[k]);
    ir_replace(t->root, ir_op2(&b, IR_FMUL, rest, both));
    t->done = true;
}

/* Two factors known per draw side by side, so that their product leaves the shader. */
static bool gather_known(const struct products *p, struct tree *t) {
    uint32_t first = UINT32_MAX;
    for (uint32_t k = 0; t->count > 2 && k < t->count; k++) {
        if (!is_known(p, t->factor[k]))
            continue;
        if (first == UINT32_MAX) {
            first = k;
            continue;
        }
        struct ir_builder b = ir_builder_before(t->root);
        rewrite(t, first, k, ir_op2(&b, IR_FMUL, ir_value(t->factor[first]), ir_value(t->factor[k])));
        return true;
    }
    return false;
}

/* The trees with the best of this tree's pairs, which come after it, together with it. */
static bool share(struct products *p, uint32_t number) {
    const struct tree *t = &p->tree[number];
    const struct pair *best = NULL;
    uint32_t most = 1, i, j;
    for (i = 0; i < t->count; i++)
        for (j = i + 1; j < t->count; j++) {
            const struct pair *q = find_pair(p, t->factor[i], t->factor[j]);
            uint32_t worth = q->longer ? q->longer + (q->whole > 0) : 0;
            if (worth > most) {
                most = worth;
                best = q;
            }
        }
    uint32_t trees = 0;
    for (uint32_t k = number; best && k < p->trees; k++)
        trees += !p->tree[k].done && has(&p->tree[k], best, &i, &j);
    if (trees < 2)
        return false;
    struct ir_builder b = ir_builder_before(t->root);
    struct ir_inst *both = ir_op2(&b, IR_FMUL, ir_value(best->a), ir_value(best->b));
    for (uint32_t k = number; k < p->trees; k++) {
        struct tree *u = &p->tree[k];
        if (u->done || !has(u, best, &i, &j))
            continue;
        if (u->count > 2)
            rewrite(u, i, j, both);
        else
            ir_replace(u->root, both);
        if (u->root->precision < both->precision)
            both->precision = u->root->precision;
        u->done = true;
    }
    return true;
}

static bool in_block(struct products *p, struct ir_block *block) {
    uint32_t roots = 0, pairs = 0;
    bool changed = false;
    find_inside(p, block);
    ir_for_insts(block, count) {
        roots += is_product(p, count);
    }
    p->tree = ir_alloc(p->shader->arena, (roots + 1) * sizeof *p->tree);
    p->trees = 0;
    if (ir_arena_oom(p->shader->arena))
        return false;
    ir_for_insts(block, inst) {
        struct tree *t = &p->tree[p->trees];
        *t = (struct tree){.root = inst};
        if (!is_product(p, inst) || p->inside[inst->id] || !add_factors(p, t, inst, MAX_FACTORS))
            continue;
        if (gather_known(p, t)) {
            changed = true;
            continue;
        }
        pairs += t->count * (t->count - 1) / 2;
        p->trees++;
    }
    for (p->mask = 15; p->mask < 2 * pairs;)
        p->mask = p->mask * 2 + 1;
    p->pair = ir_alloc(p->shader->arena, ((size_t)p->mask + 1) * sizeof *p->pair);
    if (ir_arena_oom(p->shader->arena))
        return changed;
    for (uint32_t k = 0; k < p->trees; k++)
        count_pairs(p, k);
    for (uint32_t k = 0; k < p->trees; k++)
        if (!p->tree[k].done)
            changed |= share(p, k);
    return changed;
}

bool pass_product(struct ir_shader *shader, const struct pass_options *options) {
    if (options->level < 1 || options->lean || shader->stage != QPUCC_FRAGMENT)
        return false;
    struct products p = {.shader = shader, .uses = ir_facts(shader)->uses, .size = shader->next_id};
    p.known = known_per_draw(shader, options);
    p.inside = ir_alloc(shader->arena, p.size);
    if (ir_arena_oom(shader->arena))
        return false;
    bool changed = false;
    ir_for_blocks(shader, block) {
        changed |= in_block(&p, block);
    }
    if (changed)
        ir_resolve(shader);
    return changed;
}
