/* Which ops are likely to belong into the next instruction, for the searches through orders (search.c).
 *
 * Requires: a search that is opened. Keeps everything. The weights are found by trying (dives.h). */
#include "sched/search.h"

/* What does not depend on what was issued. Nothing reads its result before. */
static int fixed_weight(const struct search *x, uint32_t i) {
    enum { ORDER = 16 };
    const struct sched *s = x->p.s;
    const struct sched_dive_weights *w = s->options.dive;
    uint32_t dst = s->m->op[i].dst;
    int sum = (int)x->p.op[i].tail * w->tail + (int)i * w->order / ORDER;
    sum += s->options.dive_bias ? s->options.dive_bias[i] : 0;
    sum += s->op[i].traits & T_EITHER ? w->either : 0;
    sum += x->p.op[i].word != M_NO_VALUE ? w->word : 0;
    sum += dst != M_NO_VALUE ? w->readers * (int)x->uses[dst] : 0;
    return prove_weight(&x->p.op[i], sum);
}

/* The same with what does. */
static int weight(const struct search *x, uint32_t i) {
    const struct sched_dive_weights *w = x->p.s->options.dive;
    const struct prove_op *of = &x->p.op[i];
    int sum = 0;
    for (unsigned k = 0; k < of->nsource; k++) {
        uint32_t uses = x->uses[of->read[k]];
        sum += uses == 1 ? w->frees : w->later * (int)uses;
    }
    return x->weight[i] + sum * PROVE_TAILS;
}

void search_weigh(struct search *x) {
    for (uint32_t i = 0; i < x->p.n; i++)
        x->weight[i] = fixed_weight(x, i);
}

NOT_IN_THE_RECURSION void search_sort(const struct search *x, uint8_t *ready, uint32_t n) {
    int by[PROVE_MOST];
    for (uint32_t k = 0; k < n && n > 1; k++)
        by[k] = weight(x, ready[k]);
    for (uint32_t k = 1; k < n; k++) { /* equals stay as they are */
        uint32_t i = ready[k], at = k;
        int of = by[k];
        for (; at && by[at - 1] < of; at--)
            ready[at] = ready[at - 1], by[at] = by[at - 1];
        ready[at] = (uint8_t)i, by[at] = of;
    }
}
