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

void rank_depth_first(const struct sched *s, uint32_t *rank) {
    const struct mir *m = s->m;
    struct ir_arena *arena = m->arena;
    uint32_t n = m->nop;
    uint32_t *first = ir_alloc(arena, (n + 2) * sizeof *first),
             *pred = ir_alloc(arena, (s->nedge + 1) * sizeof *pred);
    uint32_t *at = ir_alloc(arena, (n + 1) * sizeof *at), *need = ir_alloc(arena, (n + 1) * sizeof *need);
    uint32_t *nsucc = ir_alloc(arena, (n + 1) * sizeof *nsucc);
    for (uint32_t e = 0; e < s->nedge; e++)
        first[s->edge[e].to + 1]++, nsucc[s->edge[e].from]++;
    for (uint32_t i = 0; i < n; i++)
        first[i + 1] += first[i];
    memcpy(at, first, n * sizeof *at);
    for (uint32_t e = 0; e < s->nedge; e++)
        pred[at[s->edge[e].to]++] = s->edge[e].from;
    /* registers that computing an op alone would take: operands by falling need, one more for each that waits
     */
    uint32_t *left = ir_alloc(arena, (n + 1) * sizeof *left),
             *order = ir_alloc(arena, (n + 1) * sizeof *order), count = 0;
    struct operand *scratch = ir_alloc(arena, (s->nedge + 1) * sizeof *scratch);
    for (uint32_t i = 0; i < n; i++) {
        left[i] = first[i + 1] - first[i];
        if (!left[i])
            order[count++] = i;
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = order[k], lo = first[i], hi = first[i + 1];
        if (hi - lo > 1)
            sort_operands(pred + lo, hi - lo, need, scratch);
        need[i] = 1;
        for (uint32_t a = lo; a < hi && a < lo + 8; a++)
            if (need[pred[a]] + (a - lo) > need[i])
                need[i] = need[pred[a]] + (a - lo);
        for (uint32_t e = s->succ_first[i]; e < s->succ_first[i + 1]; e++)
            if (!--left[s->edge[e].to])
                order[count++] = s->edge[e].to;
    }
    struct frame *stack = ir_alloc(arena, (n + 1) * sizeof *stack);
    bool *seen = ir_alloc(arena, n + 1);
    uint32_t now = 0;
    for (uint32_t root = 0; root < n; root++) {
        if (nsucc[root] || seen[root])
            continue;
        uint32_t depth = 0;
        stack[depth++] = (struct frame){root, first[root]};
        seen[root] = true;
        while (depth) {
            struct frame *f = &stack[depth - 1];
            if (f->next == first[f->op + 1]) {
                rank[f->op] = now++;
                depth--;
            } else {
                uint32_t p = pred[f->next++];
                if (!seen[p]) {
                    seen[p] = true;
                    stack[depth++] = (struct frame){p, first[p]};
                }
            }
        }
    }
}
