/* An order with few values alive at once: depth first from the results.
 *
 * Requires: the graph. Keeps everything.
 *
 * Each result pulls in what it needs, the operand that itself needs most registers first (Sethi and Ullman's
 * rule, which is exact for trees and a good guess for graphs). Strategies for shaders of high pressure follow
 * this order; the others follow the source's, which puts all of an unrolled loop's loads before all of its
 * sums. */
#include "sched/schedule.h"

#include <stdlib.h>
#include <string.h>

struct frame {
    uint32_t op, next; /* next: index of the predecessor to visit */
};

struct operand {
    uint32_t need, at, op;
};

/* The needy first; of equals, as they stand. */
static int by_need(const void *a, const void *b) {
    const struct operand *x = a, *y = b;
    return x->need != y->need ? (x->need < y->need) - (x->need > y->need) : (x->at > y->at) - (x->at < y->at);
}

static void sort_operands(uint32_t *pred, uint32_t count, const uint32_t *need, struct operand *scratch) {
    if (count == 2) { /* nearly always */
        uint32_t first = pred[0];
        if (need[pred[1]] > need[first])
            pred[0] = pred[1], pred[1] = first;
        return;
    }
    for (uint32_t k = 0; k < count; k++)
        scratch[k] = (struct operand){need[pred[k]], k, pred[k]};
    qsort(scratch, count, sizeof *scratch, by_need);
    for (uint32_t k = 0; k < count; k++)
        pred[k] = scratch[k].op;
}

/* Sorts each op's predecessors, so that those come first that take most registers to compute. An op takes one
 * more for each predecessor that waits for those after it. */
static void sort_by_need(const struct sched *s, uint32_t *pred) {
    enum { MOST = 8 }; /* predecessors that are looked at */
    struct ir_arena *arena = s->m->arena;
    uint32_t *need = ir_alloc(arena, (s->m->nop + 1) * sizeof *need);
    struct operand *scratch = ir_alloc(arena, (s->nedge + 1) * sizeof *scratch);
    if (ir_arena_oom(arena))
        return;
    for (uint32_t k = 0; k < s->m->nop; k++) {
        uint32_t i = s->sorted[k], first = s->pred_first[i], count = sched_predecessors(s, i);
        if (count > 1)
            sort_operands(pred + first, count, need, scratch);
        need[i] = 1;
        for (uint32_t a = 0; a < count && a < MOST; a++)
            if (need[pred[first + a]] + a > need[i])
                need[i] = need[pred[first + a]] + a;
    }
}

void rank_depth_first(const struct sched *s, uint32_t *rank) {
    struct ir_arena *arena = s->m->arena;
    uint32_t n = s->m->nop, now = 0, *pred = ir_alloc(arena, (s->nedge + 1) * sizeof *pred);
    struct frame *stack = ir_alloc(arena, (n + 1) * sizeof *stack);
    bool *seen = ir_alloc(arena, n + 1);
    if (ir_arena_oom(arena)) /* tables may lie in each other */
        return;
    memcpy(pred, s->pred, s->nedge * sizeof *pred);
    sort_by_need(s, pred);
    for (uint32_t root = 0; root < n; root++) {
        if (s->succ_first[root] < s->succ_first[root + 1])
            continue;
        uint32_t depth = 0;
        stack[depth++] = (struct frame){root, s->pred_first[root]};
        while (depth) {
            struct frame *f = &stack[depth - 1];
            if (f->next == s->pred_first[f->op + 1]) {
                rank[f->op] = now++;
                depth--;
                continue;
            }
            uint32_t p = pred[f->next++];
            if (!seen[p])
                stack[depth++] = (struct frame){p, s->pred_first[p]};
            seen[p] = true;
        }
    }
}
