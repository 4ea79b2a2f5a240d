/* An attempt by a plan: what goes into each instruction, and the kinds of places, are decided already.
 *
 * Requires: what list.c requires, a plan of the same block. Keeps: what list.c keeps, for its functions put
 * the ops into instructions: what the plan has overlooked makes the attempt come to nothing.
 *
 * An instruction's ops find their ports one after the other, so they are tried in every order and on either
 * ALU. */
#include "sched/schedule.h"

#include <string.h>

/* The run before an instruction. */
struct before {
    struct sched_progress now;
    void *tables;
    bool several; /* a single op that does not go in changes nothing */
};

static void remember(struct before *b, const struct sched *s, const struct sched_plan_row *row) {
    b->several = row->n + row->nmove > 1;
    if (!b->several)
        return;
    b->now = s->now;
    memcpy(b->tables, sched_tables(s), sched_fixed_size(s));
}

static void go_back(struct sched *s, const struct before *b) {
    if (!b->several)
        return;
    s->now = b->now;
    memcpy(sched_tables(s), b->tables, sched_fixed_size(s));
}

/* Puts the ops into the instruction in this order; bit k of `alus`: the k-th on the mul ALU. */
static bool put_all(struct sched *s, struct slots *w, const struct sched_plan_row *row, const uint32_t *order,
                    unsigned alus) {
    slots_begin(s, w);
    for (uint32_t k = 0; k < row->n; k++)
        if (!sched_put(s, w, order[k], alus >> k & 1))
            return false;
    for (uint32_t k = 0; k < row->nmove; k++)
        if (!sched_move(s, w, row->move[k], row->to[k]))
            return false;
    return true;
}

/* As in put_all: the ops that only the mul ALU does, or that are left for it. */
static unsigned likely_alus(const struct sched *s, const uint32_t *order, uint32_t n) {
    unsigned on_mul = 0;
    bool add = false;
    for (uint32_t k = 0; k < n; k++)
        add |= s->op[order[k]].traits & T_ADD_ONLY;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t traits = s->op[order[k]].traits;
        on_mul |= (unsigned)(traits & T_MUL_ONLY || (traits & T_EITHER && add)) << k;
        add |= traits & T_EITHER;
    }
    return on_mul;
}

/* order[at..] in every order. */
static bool permute(struct sched *s, struct slots *w, const struct sched_plan_row *row, uint32_t *order,
                    uint32_t at, struct before *b) {
    unsigned likely = at == row->n ? likely_alus(s, order, row->n) : 0;
    for (unsigned alus = 0; at == row->n && alus < 1u << row->n; alus++) {
        if (put_all(s, w, row, order, alus ^ likely))
            return true;
        go_back(s, b);
    }
    for (uint32_t k = at; k < row->n; k++) {
        uint32_t first = order[at];
        order[at] = order[k], order[k] = first;
        if (permute(s, w, row, order, at + 1, b))
            return true;
        order[k] = order[at], order[at] = first;
    }
    return false;
}

static bool fill(struct sched *s, const struct sched_plan_row *row, struct before *b) {
    enum { EACH = 16, MOST = 4 };
    uint32_t order[MOST];
    struct slots w;
    if (row->n > MOST)
        return false;
    memcpy(order, row->op, row->n * sizeof *order);
    s->now.drain = false;
    remember(b, s, row);
    ir_search(s->m->arena, EACH);
    if (!permute(s, &w, row, order, 0, b))
        return false;
    sched_finish_inst(s, &w);
    return true;
}

/* A switch and its two slots stand behind the instructions that may be its slots: finish.c moves it up. */
static bool fill_and_switch(struct sched *s, const struct sched_plan_row *planned, struct before *b) {
    struct sched_plan_row row = *planned, last = {0}, none = {0};
    for (uint32_t k = row.n; k--;)
        if (s->op[row.op[k]].traits & T_SWITCH) {
            last.op[last.n++] = row.op[k];
            row.op[k] = row.op[--row.n];
        }
    return fill(s, &row, b) && (!last.n || (fill(s, &last, b) && fill(s, &none, b) && fill(s, &none, b)));
}

/* Returns the instruction that the plan fails at; its length: at none. */
static uint32_t follow(struct sched *s, const struct sched_plan *plan) {
    struct ir_arena *arena = s->m->arena;
    struct before b = {.tables = ir_alloc_uncleared(arena, sched_fixed_size(s))};
    if (ir_arena_oom(arena))
        return 0;
    sched_list_begin(s);
    for (uint32_t t = s->now.t; t < plan->length; t++) {
        const struct sched_plan_row *row = &plan->row[t];
        if (!row->branch && !(s->nswitch ? fill_and_switch(s, row, &b) : fill(s, row, &b)))
            return t;
    }
    return plan->length;
}

/* Leaves out the last move before instruction `at` without which the plan fails later, if at all. Returns
 * where. */
static uint32_t drop_move(struct sched *s, const struct sched_plan *plan, uint32_t at) {
    for (uint32_t t = at + 1; t--;)
        for (uint32_t k = 0; t < plan->length && k < plan->row[t].nmove; k++) {
            struct sched_plan_row *row = &plan->row[t], keep = *row;
            row->nmove--;
            row->move[k] = row->move[row->nmove], row->to[k] = row->to[row->nmove];
            uint32_t reach = follow(s, plan);
            if (reach > at)
                return reach;
            *row = keep;
        }
    return at;
}

/* A plan makes more moves than it needs, which copy there; here they take a value away. */
bool sched_follow(struct sched *s, const struct sched_plan *plan) {
    s->options.planned = plan->kind;
    uint32_t reach = follow(s, plan), before;
    do
        before = reach;
    while (reach < plan->length && (reach = drop_move(s, plan, reach)) > before);
    s->options.planned = NULL;
    return reach == plan->length && !s->now.left;
}
