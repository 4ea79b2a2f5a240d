/* Partial schedules whose values get their places late: what the dive and the exact search have in common.
 *
 * Requires: what prove.c requires. Keeps everything. */
#include "sched/order.h"

#include <string.h>

static void count_uses(struct order *o, uint32_t i, int by) {
    const struct prove_op *op = &o->p.op[i];
    for (unsigned k = 0; k < op->nread; k++)
        o->uses[o->name[op->read[k]]] += (uint32_t)by;
}

/* --- which op first ------------------------------------------------------------------------------------- */

/* Does some op wait for nothing but this one? */
static bool opens(const struct order *o, uint32_t i) {
    const struct sched *s = o->p.s;
    for (uint32_t e = s->succ_first[i]; e < s->succ_first[i + 1]; e++)
        if (o->p.npred[s->edge[e].to] == 1)
            return true;
    return false;
}

/* How likely it belongs into the next instruction: what does not depend on what was issued. Nothing reads its
 * result before. */
static int fixed_weight(const struct order *o, uint32_t i) {
    enum { ORDER = 16 };
    const struct sched *s = o->p.s;
    const struct sched_dive_weights *w = s->options.dive;
    const struct m_op *op = &s->m->op[i];
    uint32_t traits = s->op[i].traits;
    int sum = (int)o->p.op[i].tail * w->tail + (int)i * w->order / ORDER;
    sum += s->options.dive_bias ? s->options.dive_bias[i] : 0;
    sum += traits & T_MUL_ONLY ? w->mul : traits & T_EITHER ? w->either : 0;
    sum += traits & T_SIGNAL ? w->signal : 0;
    sum += o->p.op[i].word != M_NO_VALUE ? w->word : 0;
    sum += op->r4 ? w->r4 : 0;
    for (unsigned k = 0; k < op->nsrc; k++)
        sum += op->src[k].kind == M_IMM ? w->immediate : 0;
    sum += op->dst == M_NO_VALUE ? w->no_result : w->readers * (int)o->uses[op->dst];
    return prove_weight(&o->p.op[i], sum);
}

/* The same with what does. */
static int weight(const struct order *o, uint32_t i) {
    const struct sched_dive_weights *w = o->p.s->options.dive;
    const struct prove_op *of = &o->p.op[i];
    int sum = 0;
    bool frees = false;
    for (unsigned k = 0; k < of->nsource; k++) {
        uint32_t uses = o->uses[o->name[of->read[k]]];
        sum += uses == 1 ? w->frees : w->later * (int)uses;
        frees |= uses == 1;
    }
    sum += of->makes && !frees ? w->takes : 0;
    sum += opens(o, i) ? w->opens : 0;
    return o->weight[i] + sum * PROVE_TAILS;
}

NOT_IN_THE_RECURSION void order_sort(const struct order *o, uint8_t *ready, uint32_t n) {
    int by[PROVE_MOST];
    for (uint32_t k = 0; k < n && n > 1; k++)
        by[k] = weight(o, ready[k]);
    prove_sort(ready, by, n);
}

/* --- one op more or less -------------------------------------------------------------------------------- */

bool order_may_put(const struct order *o, const struct prove_row *row, uint32_t i, uint32_t t) {
    const struct prove_op *op = &o->p.op[i];
    return prove_fits(row, op) && !(op->r4 && t < o->r4_from) && o->row[t].n < SCHED_ROW_OPS &&
           !(op->switches && !ways_may_switch(&o->p, o->row, t));
}

void order_put(struct order *o, uint32_t i, uint32_t t, struct order_undo *undo, uint8_t *ready,
               uint32_t *n) {
    const struct prove_op *op = &o->p.op[i];
    struct ways_row *row = &o->row[t];
    row->switches |= op->switches;
    row->op[row->n++] = i;
    undo->r4_from = o->r4_from;
    o->r4_from = op->r4_latency ? t + op->r4_latency : o->r4_from;
    count_uses(o, i, -1);
    prove_issue(&o->p, i, t, &undo->issued, ready, n);
}

void order_take_back(struct order *o, uint32_t i, uint32_t t, const struct order_undo *undo) {
    prove_take_back(&o->p, i, &undo->issued);
    count_uses(o, i, 1);
    o->r4_from = undo->r4_from;
    o->row[t].n--;
    o->row[t].switches &= !o->p.op[i].switches;
}

bool order_may_go_on(const struct order *o, uint32_t t, const struct prove_must *must) {
    const struct ways_row *row = &o->row[t];
    return prove_has_all(&o->p, t, must, row->op, row->n) &&
           !(row->switches && o->r4_from > t + 1); /* nor may its result arrive behind a switch */
}

/* --- the whole ------------------------------------------------------------------------------------------ */

bool order_open(struct order *o, const struct sched *s, uint32_t length, uint32_t most, uint8_t *name) {
    const struct mir *m = s->m;
    struct ir_arena *arena = m->arena;
    if (m->nval > PROVE_MOST || !prove_open(&o->p, s, length))
        return false;
    o->name = name;
    o->uses = ir_alloc(arena, (m->nval + 1) * sizeof *o->uses);
    o->weight = ir_alloc_uncleared(arena, (m->nop + 1) * sizeof *o->weight);
    o->row = ir_alloc_uncleared(arena, (most + 1) * sizeof *o->row);
    return !ir_arena_oom(arena);
}

void order_begin(struct order *o) {
    const struct mir *m = o->p.s->m;
    memset(o->uses, 0, (m->nval + 1) * sizeof *o->uses);
    o->r4_from = 0;
    for (uint32_t i = 0; i < m->nop; i++)
        if (o->p.op[i].live)
            count_uses(o, i, 1);
    for (uint32_t i = 0; i < m->nop; i++)
        o->weight[i] = fixed_weight(o, i);
}
