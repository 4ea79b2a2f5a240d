/* factor: a common factor of several terms of a sum is multiplied once.
 *
 * requires: accurate use counts, so after dce; before lower_math, whose sums round on purpose.
 * keeps:    the CFG, every effect; `exact` instructions. Rounding changes.
 * breaks:   nothing; leaves dead code.
 *
 *     a * f + b * g + c * f  →  (a + c) * f + b * g
 *
 * A sum is a tree of additions and subtractions in one block whose inner results have no other use. A term is
 * the tree of products below it. Multiplications are counted as they will be once arithmetic on uniforms has
 * left the shader: everything known per draw in a product counts as one factor. So f is factored out only
 * where that saves multiplications. Inner sums follow in the next run. */
#include "passes/eval.h"
#include "passes/known.h"

#define MAX_TERMS 64
#define MAX_FACTORS 8

struct term {
    struct ir_inst *factor[MAX_FACTORS];
    uint32_t count;
    bool minus;
};

struct sum {
    struct ir_shader *shader;
    const uint32_t *uses;
    const bool *known; /* by id: the same for a whole draw */
    uint32_t size;     /* of both */
    struct ir_block *block;
    struct term term[MAX_TERMS];
    uint32_t count;
};

static bool is_known(const struct sum *s, const struct ir_inst *x) {
    return x->id < s->size && s->known[x->id];
}

/* Whether the tree may be opened here: an inner result of this sum that nothing else reads. */
static bool inner(const struct sum *s, const struct ir_inst *x) {
    return !x->exact && x->block == s->block && x->id < s->size && s->uses[x->id] == 1 && !is_known(s, x);
}

static void add_factors(struct sum *s, struct term *t, struct ir_inst *x) {
    if (t->count + 1 < MAX_FACTORS && inner(s, x) && x->op == IR_FMUL) {
        add_factors(s, t, ir_value(x->src[0]));
        add_factors(s, t, ir_value(x->src[1]));
    } else if (inner(s, x) && x->op == IR_FNEG) {
        t->minus = !t->minus;
        add_factors(s, t, ir_value(x->src[0]));
    } else if (t->count < MAX_FACTORS)
        t->factor[t->count++] = x;
}

/* How many factors a product would have: a bound for what add_factors stores. */
static uint32_t leaves(const struct sum *s, const struct ir_inst *x, uint32_t depth) {
    if (depth == 0)
        return MAX_FACTORS + 1;
    if (inner(s, x) && x->op == IR_FMUL)
        return leaves(s, ir_value(x->src[0]), depth - 1) + leaves(s, ir_value(x->src[1]), depth - 1);
    if (inner(s, x) && x->op == IR_FNEG)
        return leaves(s, ir_value(x->src[0]), depth - 1);
    return 1;
}

/* `depth`: of x below the root. A deeper tree has too many terms, and a long one would take much stack. */
static bool add_terms(struct sum *s, struct ir_inst *x, bool minus, uint32_t depth) {
    if (depth >= MAX_TERMS)
        return false;
    if ((!depth || inner(s, x)) && (x->op == IR_FADD || x->op == IR_FSUB))
        return add_terms(s, ir_value(x->src[0]), minus, depth + 1) &&
               add_terms(s, ir_value(x->src[1]), minus != (x->op == IR_FSUB), depth + 1);
    if (s->count == MAX_TERMS || leaves(s, x, MAX_FACTORS) > MAX_FACTORS)
        return false;
    struct term *t = &s->term[s->count++];
    t->count = 0;
    t->minus = minus;
    add_factors(s, t, x);
    return true;
}

static bool same(const struct ir_inst *a, const struct ir_inst *b) {
    return a == b || (ir_is_const(a) && ir_is_const(b) && a->imm == b->imm);
}

static uint32_t find(const struct term *t, const struct ir_inst *f) {
    for (uint32_t i = 0; i < t->count; i++)
        if (same(t->factor[i], f))
            return i;
    return t->count;
}

/* Multiplications that a term takes, without factor number `except`. */
static int cost(const struct sum *s, const struct term *t, uint32_t except) {
    int values = 0, known = 0;
    for (uint32_t i = 0; i < t->count; i++)
        if (i != except)
            *(is_known(s, t->factor[i]) ? &known : &values) += 1;
    int factors = values + (known > 0);
    return factors > 1 ? factors - 1 : 0;
}

/* A byte of a texel times a constant: one operation that takes the byte as it comes from the texture unit.
 * Few of them, scattered over a filter, are better left alone than held until the others come. */
static bool is_tap(const struct term *t) {
    return t->count == 2 && (t->factor[0]->op == IR_UNPACK_8F || t->factor[1]->op == IR_UNPACK_8F);
}

static int gain(const struct sum *s, const struct ir_inst *f) {
    int saved = 0, terms = 0, taps = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        uint32_t at = find(&s->term[k], f);
        if (at == s->term[k].count)
            continue;
        saved += cost(s, &s->term[k], s->term[k].count) - cost(s, &s->term[k], at);
        terms++;
        taps += is_tap(&s->term[k]);
    }
    if (is_known(s, f) && taps == terms && terms < 4)
        return 0;
    return terms > 1 ? saved - 1 : 0;
}

static struct ir_inst *best_factor(const struct sum *s) {
    struct ir_inst *best = NULL;
    int most = 0;
    for (uint32_t k = 0; k < s->count; k++)
        for (uint32_t i = 0; i < s->term[k].count; i++) {
            int g = gain(s, s->term[k].factor[i]);
            if (g > most) {
                most = g;
                best = s->term[k].factor[i];
            }
        }
    return best;
}

static struct ir_inst *product(struct ir_builder *b, const struct term *t, uint32_t except) {
    struct ir_inst *p = NULL;
    for (uint32_t i = 0; i < t->count; i++)
        if (i != except)
            p = p ? ir_op2(b, IR_FMUL, p, t->factor[i]) : t->factor[i];
    return p ? p : ir_const_f(b, 1.0f);
}

static struct ir_inst *accumulate(struct ir_builder *b, struct ir_inst *sum, struct ir_inst *x, bool minus) {
    if (!sum)
        return minus ? ir_op1(b, IR_FNEG, x) : x;
    return ir_op2(b, minus ? IR_FSUB : IR_FADD, sum, x);
}

/* The terms with f: (t / f + ...) * f, the first one's sign drawn out. */
static struct ir_inst *factored(struct ir_builder *b, const struct sum *s, const struct ir_inst *f,
                                bool *minus) {
    struct ir_inst *inside = NULL, *factor = NULL;
    for (uint32_t k = 0; k < s->count; k++) {
        const struct term *t = &s->term[k];
        uint32_t at = find(t, f);
        if (at == t->count)
            continue;
        if (!inside) {
            *minus = t->minus;
            factor = t->factor[at];
        }
        inside = accumulate(b, inside, product(b, t, at), t->minus != *minus);
    }
    return ir_op2(b, IR_FMUL, inside, factor);
}

/* The group goes where its last term was, so that what comes before need not wait for it. */
static struct ir_inst *rewrite(struct sum *s, struct ir_inst *root) {
    struct ir_inst *f = best_factor(s);
    if (!f)
        return NULL;
    uint32_t last = 0;
    for (uint32_t k = 0; k < s->count; k++)
        if (find(&s->term[k], f) < s->term[k].count)
            last = k;
    struct ir_builder b = ir_builder_before(root);
    struct ir_inst *result = NULL, *late = NULL;
    for (uint32_t k = 0; k < s->count; k++) {
        const struct term *t = &s->term[k];
        bool grouped = find(t, f) < t->count, minus = t->minus;
        if (grouped && k != last)
            continue;
        struct ir_inst *x = grouped ? factored(&b, s, f, &minus) : product(&b, t, t->count);
        if (!result && minus && !late) { /* a leading minus waits for something to be taken away from */
            late = x;
            continue;
        }
        result = accumulate(&b, result, x, minus);
        if (late)
            result = ir_op2(&b, IR_FSUB, result, late);
        late = NULL;
    }
    return late ? ir_op1(&b, IR_FNEG, late) : result;
}

/* True if x is a term or inner sum of a tree with another root. */
static bool *find_inner(struct ir_shader *shader, const struct sum *s) {
    bool *inside = ir_alloc(shader->arena, s->size);
    if (ir_arena_oom(shader->arena)) /* nothing is known of uses */
        return inside;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            if ((inst->op != IR_FADD && inst->op != IR_FSUB) || inst->exact)
                continue;
            for (uint32_t k = 0; k < 2; k++) {
                struct ir_inst *x = inst->src[k];
                if (!x->exact && x->block == block && s->uses[x->id] == 1)
                    inside[x->id] = true;
            }
        }
    }
    return inside;
}

bool pass_factor(struct ir_shader *shader, const struct pass_options *options) {
    if (options->level < 1 || options->lean)
        return false;
    struct sum *s = ir_alloc_uncleared(shader->arena, sizeof *s);
    s->shader = shader;
    s->size = shader->next_id;
    s->uses = ir_facts(shader)->uses;
    s->known = known_per_draw(shader, options);
    bool *inside = find_inner(shader, s);
    if (ir_arena_oom(shader->arena))
        return false;
    bool changed = false;
    ir_for_blocks(shader, block) {
        s->block = block;
        ir_for_insts(block, inst) {
            if ((inst->op != IR_FADD && inst->op != IR_FSUB) || inst->exact || inst->id >= s->size ||
                inside[inst->id] || is_known(s, inst))
                continue;
            s->count = 0;
            struct ir_inst *by = add_terms(s, inst, false, 0) ? rewrite(s, inst) : NULL;
            if (!by)
                continue;
            ir_replace(inst, by);
            changed = true;
        }
    }
    if (changed)
        ir_resolve(shader);
    return changed;
}
