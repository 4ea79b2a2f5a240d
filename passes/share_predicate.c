/* share_predicate: when several channels add or multiply under the same conditions, these apply once, to a
 * factor that the channels share.
 *
 * requires: SSA, accurate use counts; after if-conversion.
 * keeps:    the CFG; every value to the bit (x + 0 and x * 1 are x, and zero times anything is zero on this
 *           machine).
 * breaks:   nothing; leaves dead code.
 *
 *     select(c, select(d, r + a * f, r), r)      g = select(c, select(d, f, 0), 0)
 *     select(c, select(d, s + b * f, s), s)  →   r + a * g
 *                                                s + b * g
 *
 * A light that shines only where two conditions hold is such a case. Under a single condition the selections
 * cost nothing, because the sums are executed under it. Where r is 0, as for the first light, there is no
 * sum, and each selection is an operation: then one condition is enough. `factor` and `algebraic` then work
 * on the rest. */
#include "passes/algebraic.h"
#include "passes/passes.h"

enum { MAX_CONDITIONS = 4, MAX_MEMBERS = 8, MAX_FACTORS = 8 };

/* select(c, ..., x) around x + y or x * y, or select(c, ..., 0) around a product y. */
struct gated {
    struct ir_inst *select, *inner, *x, *y;
    enum ir_op op; /* of x and y: FADD for 0 and y */
    struct ir_inst *condition[MAX_CONDITIONS];
    bool otherwise[MAX_CONDITIONS]; /* done where the condition does not hold */
    uint32_t conditions;
};

struct gate {
    const uint32_t *uses;
    uint32_t known;
    struct gated member[MAX_MEMBERS];
    uint32_t members;
};

static bool once(const struct gate *g, const struct ir_inst *x) {
    return x->id < g->known && g->uses[x->id] == 1;
}

/* The selections around an operation that leaves x alone where they do not hold. */
static bool read(const struct gate *g, struct ir_inst *select, struct gated *m) {
    for (unsigned arm = 1; arm <= 2; arm++) {
        struct ir_inst *x = alg_source(select, arm), *at = select;
        *m = (struct gated){.select = select, .x = x};
        while (at->op == IR_SELECT && m->conditions < MAX_CONDITIONS && (at == select || once(g, at))) {
            struct ir_inst *yes = alg_source(at, 1), *no = alg_source(at, 2);
            if (yes != x && no != x)
                break;
            m->condition[m->conditions] = alg_source(at, 0);
            m->otherwise[m->conditions++] = yes == x;
            at = yes == x ? no : yes;
        }
        if (at->op == IR_FMUL && alg_zero(x) && !at->exact && once(g, at) && m->conditions > 0) {
            m->inner = m->y = at;
            m->op = IR_FADD;
            return true;
        }
        if ((at->op != IR_FADD && at->op != IR_FSUB && at->op != IR_FMUL) || at->exact || !once(g, at) ||
            m->conditions < 2)
            continue;
        m->inner = at;
        m->op = (enum ir_op)at->op;
        for (unsigned k = 0; k < 2; k++)
            if (alg_source(at, k) == x && (k == 0 || at->op != IR_FSUB)) {
                m->y = alg_source(at, 1 - k);
                return true;
            }
    }
    return false;
}

static bool same_conditions(const struct gated *a, const struct gated *b) {
    bool same = a->conditions == b->conditions && (a->op == IR_FMUL) == (b->op == IR_FMUL);
    for (uint32_t k = 0; same && k < a->conditions; k++)
        same = a->condition[k] == b->condition[k] && a->otherwise[k] == b->otherwise[k];
    return same;
}

/* The factors of a term that may be changed in it alone; a factor of a product is the whole of it. */
static uint32_t factors(const struct gate *g, const struct gated *m, struct ir_inst *y, struct ir_inst **out,
                        uint32_t count) {
    if (count == MAX_FACTORS)
        return count;
    out[count++] = y;
    for (uint32_t k = 0; y->op == IR_FMUL && m->op != IR_FMUL && !y->exact && once(g, y) && k < 2; k++)
        count = factors(g, m, alg_source(y, k), out, count);
    return count;
}

static bool has(const struct gate *g, const struct gated *m, const struct ir_inst *f) {
    struct ir_inst *of[MAX_FACTORS];
    uint32_t count = factors(g, m, m->y, of, 0);
    for (uint32_t k = 0; k < count; k++)
        if (of[k] == f)
            return true;
    return false;
}

static struct ir_inst *with(const struct gate *g, struct ir_builder *b, struct ir_inst *y, struct ir_inst *f,
                            struct ir_inst *by) {
    if (y == f)
        return by;
    if (y->op != IR_FMUL || y->exact || !once(g, y))
        return y;
    struct ir_inst *p = alg_source(y, 0), *q = alg_source(y, 1);
    struct ir_inst *first = with(g, b, p, f, by), *second = first == p ? with(g, b, q, f, by) : q;
    return first == p && second == q ? y : ir_op2(b, IR_FMUL, first, second);
}

/* Instructions are in order, so the last member's place sees all conditions and factors; the others are
 * before it and may feed it: each gets its own copy of the conditional factor, which cse merges. */
static void rewrite(const struct gate *g, struct gated *m, struct ir_inst *f) {
    struct ir_builder b = ir_builder_before(m->select);
    struct ir_inst *rest = ir_const_f(&b, m->op == IR_FMUL ? 1.0f : 0.0f), *gated = f;
    b.precision = f->precision;
    for (uint32_t k = m->conditions; k-- > 0;)
        gated = m->otherwise[k] ? ir_op3(&b, IR_SELECT, m->condition[k], rest, gated)
                                : ir_op3(&b, IR_SELECT, m->condition[k], gated, rest);
    b.precision = m->inner->precision;
    struct ir_inst *y = with(g, &b, m->y, f, gated);
    ir_replace(m->select, ir_op2(&b, m->op, m->x, y));
}

static bool gate_members(const struct gate *g, struct gated *list, uint32_t count) {
    struct ir_inst *of[MAX_FACTORS];
    uint32_t n = factors(g, &list[0], list[0].y, of, 0), best = 1, which = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t sharing = 0;
        for (uint32_t i = 0; i < count; i++)
            sharing += has(g, &list[i], of[k]);
        if (sharing > best)
            best = sharing, which = k;
    }
    if (best < 2)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (has(g, &list[i], of[which]))
            rewrite(g, &list[i], of[which]);
    return true;
}

bool pass_share_predicate(struct ir_shader *shader, const struct pass_options *options) {
    if (options->level < 1 || !ir_has(shader, IR_SELECT))
        return false;
    struct gate g = {.uses = ir_facts(shader)->uses, .known = shader->next_id};
    if (ir_arena_oom(shader->arena))
        return false;
    bool changed = false;
    ir_for_blocks(shader, block) {
        struct gated list[MAX_MEMBERS];
        uint32_t count = 0;
        ir_for_insts(block, inst) {
            struct gated m;
            if (inst->op != IR_SELECT || inst->type != IR_F32 || inst->exact || inst->id >= g.known ||
                !read(&g, inst, &m))
                continue;
            if (count && (count == MAX_MEMBERS || !same_conditions(&list[0], &m))) {
                changed |= count > 1 && gate_members(&g, list, count);
                count = 0;
            }
            list[count++] = m;
        }
        changed |= count > 1 && gate_members(&g, list, count);
    }
    if (changed)
        ir_resolve(shader);
    return changed;
}
