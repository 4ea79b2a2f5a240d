/* An order that is done with one result before it begins the next: for loops that carry nearly as many values
 * as there are registers.
 *
 * Requires: the graph, an order depth first. Keeps everything.
 *
 * What a loop carries is written to the registers that it is read from, so a new value waits in another one
 * until the last reader of the old value is through. Results are taken one by one, each with all that has to
 * come before it: next is the one after which fewest values are alive beside those registers, of equals the
 * one with the least to do. Operations under one setting of the flags go together, as in rank_pressure.c. */
#include "sched/schedule.h"

#include <limits.h>
#include <string.h>

struct frame {
    uint32_t node, next;
};

struct updates {
    const struct sched *s;
    const struct mir *m;
    uint32_t *node;                  /* op -> op that stands for all that go with it */
    uint32_t *member_first, *member; /* node -> its ops */
    uint32_t *first, *pred;          /* node -> nodes that come before it */
    bool *placed, *is_goal;          /* by node */
    uint32_t *seen, now;             /* node -> search that found it last */
    uint32_t *left, *taken;          /* value -> reads to come; those of the result looked at */
    struct frame *stack;
    uint32_t *found;   /* what a result still needs, itself last */
    uint32_t *blocker; /* result -> another one that it needs, perhaps placed by now; itself: none is known */
};

static void find_members(struct updates *u, struct ir_arena *arena) {
    uint32_t n = u->m->nop, *at = ir_alloc(arena, (n + 1) * sizeof *at);
    for (uint32_t i = 0; i < n; i++) {
        u->node[i] = u->m->op[i].flags != M_NO_VALUE ? u->m->op[i].flags : i;
        u->member_first[u->node[i] + 1]++;
    }
    for (uint32_t i = 0; i < n; i++)
        u->member_first[i + 1] += u->member_first[i];
    memcpy(at, u->member_first, n * sizeof *at);
    for (uint32_t i = 0; i < n; i++) /* what sets the flags first */
        if (u->node[i] == i)
            u->member[at[i]++] = i;
    for (uint32_t i = 0; i < n; i++)
        if (u->node[i] != i)
            u->member[at[u->node[i]]++] = i;
}

/* In the order that `rank` has them. */
static void find_predecessors(struct updates *u, struct ir_arena *arena, const uint32_t *rank) {
    const struct sched *s = u->s;
    uint32_t n = u->m->nop, *at = ir_alloc(arena, (n + 1) * sizeof *at),
             *order = ir_alloc(arena, (n + 1) * sizeof *order), count = rank_to_order(s, rank, order);
    for (uint32_t e = 0; e < s->nedge; e++)
        u->first[u->node[s->edge[e].to] + 1]++;
    for (uint32_t i = 0; i < n; i++)
        u->first[i + 1] += u->first[i];
    memcpy(at, u->first, n * sizeof *at);
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = order[k], e = s->succ_first[i]; e < s->succ_first[i + 1]; e++)
            u->pred[at[u->node[s->edge[e].to]]++] = u->node[i];
}

/* What is not placed yet and has to come before `goal`, and that: into found[]. Returns how many; unless
 * `all` is wanted, 0 where another result is among it, which is to be taken first. Adds what was looked at to
 * *steps. */
static uint32_t find_needed(struct updates *u, uint32_t goal, bool all, uint64_t *steps) {
    uint32_t count = 0, depth = 0;
    if (!all && u->blocker[goal] != goal && !u->placed[u->blocker[goal]])
        return 0;
    u->seen[goal] = ++u->now;
    u->stack[depth++] = (struct frame){goal, u->first[goal]};
    while (depth) {
        struct frame *f = &u->stack[depth - 1];
        if (f->next == u->first[f->node + 1]) {
            u->found[count++] = f->node;
            depth--;
            continue;
        }
        uint32_t p = u->pred[f->next++];
        if (u->placed[p] || u->seen[p] == u->now)
            continue;
        ++*steps;
        if (!all && u->is_goal[p]) {
            u->blocker[goal] = p;
            return 0;
        }
        u->seen[p] = u->now;
        u->stack[depth++] = (struct frame){p, u->first[p]};
    }
    return count;
}

#define FOR_FOUND(op, u, count)                                                                              \
    for (uint32_t f_ = 0; f_ < (count); f_++)                                                                \
        for (uint32_t m_ = (u)->member_first[(u)->found[f_]]; m_ < (u)->member_first[(u)->found[f_] + 1];    \
             m_++)                                                                                           \
            for (const struct m_op *op = &(u)->m->op[(u)->member[m_]]; op; op = NULL)

/* Values alive more, once all that was found is placed. Adds its operations to *steps. */
static int net_of(struct updates *u, uint32_t count, uint64_t *steps) {
    int net = 0;
    FOR_FOUND(op, u, count) {
        ++*steps;
        for (unsigned k = 0; k <= op->nsrc && !op->dead; k++)
            if (m_reads(op, k) != M_NO_VALUE)
                u->taken[m_reads(op, k)]++;
    }
    FOR_FOUND(op, u, count) {
        if (op->dead)
            continue;
        for (unsigned k = 0; k <= op->nsrc; k++) {
            uint32_t v = m_reads(op, k);
            if (v == M_NO_VALUE || !u->taken[v])
                continue;
            net -= u->taken[v] == u->left[v] && place_counts(u->s, v) && u->m->val[v].fixed < 0;
            u->taken[v] = 0;
        }
    }
    FOR_FOUND(op, u, count) {
        if (!op->dead && op->dst != M_NO_VALUE)
            net += place_counts(u->s, op->dst) && (u->left[op->dst] || u->m->val[op->dst].fixed >= 0);
    }
    return net;
}

static void place_found(struct updates *u, uint32_t count, uint32_t *rank, uint32_t *next) {
    for (uint32_t f = 0; f < count; f++) {
        u->placed[u->found[f]] = true;
        for (uint32_t k = u->member_first[u->found[f]]; k < u->member_first[u->found[f] + 1]; k++)
            rank[u->member[k]] = (*next)++;
    }
    FOR_FOUND(op, u, count) {
        for (unsigned k = 0; k <= op->nsrc && !op->dead; k++)
            if (m_reads(op, k) != M_NO_VALUE)
                u->left[m_reads(op, k)]--;
    }
}

/* Results: what other blocks read, and what nothing follows. */
static uint32_t find_goals(struct updates *u, uint32_t *goal) {
    uint32_t n = u->m->nop, count = 0;
    bool *is_goal = u->is_goal;
    memset(is_goal, true, n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t e = u->first[i]; e < u->first[i + 1]; e++)
            is_goal[u->pred[e]] &= u->pred[e] == i;
    for (uint32_t i = 0; i < n; i++)
        if (u->m->op[i].dst != M_NO_VALUE && u->m->val[u->m->op[i].dst].fixed >= 0)
            is_goal[u->node[i]] = true;
    for (uint32_t i = 0; i < n; i++)
        if (is_goal[i] && u->node[i] == i)
            goal[count++] = i;
    return count;
}

void rank_updates(const struct sched *s, const uint32_t *by_depth, uint32_t *rank) {
    enum { MOST_STEPS = 1000000 };
    const struct mir *m = s->m;
    size_t n = m->nop + 2;
    struct updates u = {.s = s, .m = m};
    uint32_t **arrays[] = {&u.node, &u.member_first, &u.member, &u.first, &u.seen, &u.found, &u.blocker};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        *arrays[k] = ir_alloc(m->arena, n * sizeof **arrays[k]);
    uint32_t *goal = ir_alloc(m->arena, n * sizeof *goal), next = 0;
    u.pred = ir_alloc(m->arena, (s->nedge + 1) * sizeof *u.pred);
    u.placed = ir_alloc(m->arena, n), u.is_goal = ir_alloc(m->arena, n);
    u.stack = ir_alloc(m->arena, n * sizeof *u.stack);
    u.left = ir_alloc(m->arena, (m->nval + 1) * sizeof *u.left);
    u.taken = ir_alloc(m->arena, (m->nval + 1) * sizeof *u.taken);
    for (uint32_t v = 0; v < m->nval; v++)
        u.left[v] = m->val[v].nuse;
    find_members(&u, m->arena);
    find_predecessors(&u, m->arena, by_depth);
    memcpy(rank, by_depth, m->nop * sizeof *rank);
    uint32_t goals = find_goals(&u, goal);
    for (uint32_t g = 0; g < goals; g++)
        u.blocker[goal[g]] = goal[g];
    for (uint64_t steps = 0; goals && steps < MOST_STEPS;) {
        uint32_t best = 0, least = UINT32_MAX;
        int net = INT_MAX;
        for (uint32_t g = 0; g < goals; g++) {
            uint32_t count = find_needed(&u, goal[g], false, &steps);
            if (!count)
                continue;
            int own = net_of(&u, count, &steps);
            if (own < net || (own == net && count < least))
                best = g, net = own, least = count;
        }
        place_found(&u, find_needed(&u, goal[best], true, &steps), rank, &next);
        memmove(&goal[best], &goal[best + 1], (--goals - best) * sizeof *goal);
    }
    ir_work(m->arena, m->nop);
    for (uint32_t i = 0; i < m->nop; i++) /* in time or not, what is left comes after */
        rank[i] += u.placed[u.node[i]] ? 0 : next;
}
