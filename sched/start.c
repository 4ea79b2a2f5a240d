/* What every attempt over a block starts from, and the ops in the form attempts read them.
 *
 * Requires: the graph. Keeps: the ops. Attempts are many and the block stays the same, so whatever
 * does not depend on the strategy is worked out once here; an attempt begins by copying it. */
#include "sched/schedule.h"

#include <string.h>

/* Whether the sum that takes this varying's coefficient out of r5 is still there (it may be dead). */
static bool reads_r5_later(const struct sched *s, uint32_t index) {
    uint32_t v = s->m->op[index].dst;
    if (v == M_NO_VALUE)
        return false;
    for (uint32_t u = s->use_first[v]; u < s->use_first[v + 1]; u++)
        if (s->m->op[s->use[u]].nsrc == 2 && s->m->op[s->use[u]].src[1].kind == M_R5)
            return true;
    return false;
}

static void start_ops(struct sched *s) {
    const struct mir *m = s->m;
    s->nlive = s->nadd = s->nmul = s->nalu = s->nstream = 0;
    for (uint32_t i = 0; i < m->nop; i++) {
        const struct m_op *op = &m->op[i];
        struct sched_op *o = &s->op[i];
        uint32_t from = model_earliest(m, op);
        *o =
            (struct sched_op){.word = M_NO_VALUE, .src = {m->nval, m->nval}, .tied = m->nval, .dst = m->nval};
        s->wait[i] = (struct sched_wait){.earliest = from, .late = from};
        if (op->dead)
            continue;
        o->traits = model_traits(m, op);
        for (unsigned k = 0; k < op->nsrc; k++) {
            if (op->src[k].kind == M_VAL)
                o->src[k] = op->src[k].v;
            else if (op->src[k].kind == M_SLOT)
                o->word = op->src[k].v;
        }
        o->tied = op->tied != M_NO_VALUE ? op->tied : m->nval;
        o->dst = op->dst != M_NO_VALUE ? op->dst : m->nval;
        for (uint32_t k = op->first_member; k; k = m->op[k - 1].next_member)
            o->flags += !m->op[k - 1].dead;
        o->flags -= !!(o->traits & T_CONDITION);
        o->r5 = (op->reads_vary && reads_r5_later(s, i)) - (op->nsrc == 2 && op->src[1].kind == M_R5);
        if (o->src[0] != m->nval && o->src[1] != m->nval && !(o->traits & T_MAKES))
            o->traits |= T_PAIR;
        s->nlive++;
        s->nadd += !!(o->traits & T_ADD_ONLY);
        s->nmul += !!(o->traits & T_MUL_ONLY);
        s->nstream += !!(o->traits & T_STREAM);
        s->nalu += !(o->traits & T_SIGNAL);
    }
}

static void start_waits(struct sched *s) {
    const struct mir *m = s->m;
    s->now.nready = s->now.n_pairs = s->now.t = 0;
    s->now.nported = 0;
    for (uint32_t i = 0; i < m->nop; i++) {
        s->wait[i].npred = sched_predecessors(s, i);
        if (!s->wait[i].npred && !m->op[i].dead)
            sched_make_ready(s, i);
    }
}

static void start_values(struct sched *s) {
    const struct mir *m = s->m;
    for (uint32_t v = 0; v < m->nval; v++)
        s->value[v] = (struct sched_value){.uses_left = m->val[v].nuse, .where = PLACE_NONE};
    for (uint32_t i = 0; i < m->nop; i++)
        if (!m->op[i].dead && m->op[i].pinned_to != M_NO_VALUE)
            s->value[m->op[i].pinned_to].pins_left++;
    s->value[m->nval] = (struct sched_value){.where = PLACE_NONE};
    place_begin(s);
}

void sched_start(struct sched *s) {
    struct ir_arena *arena = s->m->arena;
    size_t nop = s->m->nop + 1, nval = s->m->nval + 1;
    s->op = ir_alloc_uncleared(arena, nop * sizeof *s->op);
    s->sorting = ir_alloc(arena, (3 * nop + nval) * sizeof *s->sorting), s->ported = s->sorting + nop;
    s->tried = s->ported + nop, s->died = s->tried + nop;
    s->tables_size =
        PLACE_COUNT * sizeof *s->owner + nval * sizeof *s->value + nop * (sizeof *s->wait + sizeof *s->ready);
    sched_use_tables(s, ir_alloc_uncleared(arena, s->tables_size));
    if (ir_arena_oom(arena)) /* tables may lie in each other */
        return;
    s->options.life = NULL;
    s->tail = NULL; /* that of the block before it was rematerialised has fewer ops */
    memset(s->imm_slot, 0, sizeof s->imm_slot);
    start_ops(s);
    start_values(s);
    start_waits(s);
    s->first_tables = memcpy(ir_alloc_uncleared(arena, s->tables_size), sched_tables(s), s->tables_size);
    s->first_places = s->now.places;
    s->nfirst_ready = s->now.nready;
}
