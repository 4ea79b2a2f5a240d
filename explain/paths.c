/* The ways through the code: the fewest and the most cycles from its beginning to its end, and those of a
 * loop's turn.
 *
 * Requires: blocks, edges, loops and stalls. The compiler lays blocks out so that only loops go back: edges
 * to later blocks make no cycle, and one walk from the end suffices. */
#include "explain/analysis.h"

static unsigned cycles_of(const struct qpucc_explain_block *block) {
    return block->count + block->stalls;
}

/* From `block` on, along edges forward; `best` has what the later blocks come to. Both sides of a loop's
 * last branch count as its leaving, the way back does not. */
static unsigned ahead(const struct analysis *a, uint32_t block, const unsigned *best, bool most) {
    unsigned found = 0;
    bool any = false;
    for (unsigned e = 0; e < 2; e++) {
        uint32_t to = a->block[block].edge[e];
        if (to == UINT32_MAX || to <= block)
            continue;
        if (!any || (most ? best[to] > found : best[to] < found))
            found = best[to];
        any = true;
    }
    return cycles_of(&a->block[block]) + found;
}

enum { MOST_DEPTH = 64 }; /* of a loop whose turn is looked for: each turn walks over the loops inside */

/* The longest way from the header to the branch that goes back farthest behind it; 0: there is none. */
static unsigned turn_of(const struct analysis *a, uint32_t header, unsigned *way) {
    uint32_t last = a->last_back[header];
    for (uint32_t b = header; b <= last; b++)
        way[b] = b == header ? cycles_of(&a->block[b]) : 0;
    for (uint32_t b = header; b < last; b++)
        for (unsigned e = 0; e < 2; e++) {
            uint32_t to = a->block[b].edge[e];
            if (!way[b] || to == UINT32_MAX || to <= b || to > last)
                continue;
            unsigned there = way[b] + cycles_of(&a->block[to]);
            way[to] = there > way[to] ? there : way[to];
        }
    return way[last];
}

void explain_paths(struct analysis *a) {
    struct qpucc_explain_stage *out = a->out;
    unsigned *best = ir_alloc(a->arena, (out->block_count + 1) * sizeof *best);
    for (int most = 0; most < 2; most++) {
        for (uint32_t b = out->block_count; b-- > 0;)
            best[b] = ahead(a, b, best, most);
        *(most ? &out->longest_path : &out->shortest_path) = best[0];
    }
    unsigned *turn = ir_alloc(a->arena, (out->block_count + 1) * sizeof *turn);
    for (uint32_t b = 0; b < out->block_count; b++)
        turn[b] = a->block[b].loop_header && a->block[b].loop_depth <= MOST_DEPTH ? turn_of(a, b, best) : 0;
    out->turn = turn;
}
