/* The fewest values from which others can be computed: a minimum vertex cut between the values that cannot be
 * rematerialised and those that are wanted.
 *
 * Requires: a graph of values and their operands, no deeper than the limit. Keeps: the graph. By Menger's
 * theorem the minimum cut has as many vertices as there are paths without a common value; such paths are
 * found one after the other. Of all minimum cuts this finds the one nearest to the wanted values, which
 * leaves the least to recompute. */
#include "regalloc/cut.h"

#include <string.h>

struct arc {
    uint32_t to, next; /* next: of the same node, + 1 */
    bool open;
};

struct net {
    struct ir_arena *arena;
    struct arc *arc;
    uint32_t narc, cap;
    uint32_t *first; /* node -> its first arc + 1; nodes 2v: into value v, 2v + 1: out of it */
    uint32_t *via;   /* node -> arc by which it was reached + 1 */
    uint32_t *queue, nodes;
};

static void add_half(struct net *n, uint32_t from, uint32_t to, bool open) {
    if (n->narc == n->cap) {
        uint32_t cap = n->cap ? n->cap * 2 : 256;
        struct arc *more = ir_alloc(n->arena, cap * sizeof *more);
        if (ir_arena_oom(n->arena)) /* `more` may be smaller */
            return;
        if (n->narc)
            memcpy(more, n->arc, n->narc * sizeof *more);
        n->arc = more;
        n->cap = cap;
    }
    n->arc[n->narc] = (struct arc){to, n->first[from], open};
    n->first[from] = ++n->narc;
}

static void add_arc(struct net *n, uint32_t from, uint32_t to) {
    add_half(n, from, to, true);
    add_half(n, to, from, false); /* its reverse: arc ^ 1 */
}

/* Sends one path more from `source` to `sink`; false: there is none. */
static bool augment(struct net *n, uint32_t source, uint32_t sink) {
    uint32_t head = 0, tail = 0;
    memset(n->via, 0, n->nodes * sizeof *n->via);
    n->queue[tail++] = source;
    n->via[source] = UINT32_MAX;
    while (head < tail && !n->via[sink]) {
        uint32_t at = n->queue[head++];
        for (uint32_t a = n->first[at]; a; a = n->arc[a - 1].next)
            if (n->arc[a - 1].open && !n->via[n->arc[a - 1].to]) {
                n->via[n->arc[a - 1].to] = a;
                n->queue[tail++] = n->arc[a - 1].to;
            }
    }
    bool goes_on = ir_work(n->arena, (tail + n->nodes / 16) / 8);
    if (!n->via[sink] || !goes_on)
        return false;
    for (uint32_t at = sink; at != source;) {
        uint32_t a = n->via[at] - 1;
        n->arc[a].open = false;
        n->arc[a ^ 1].open = true;
        at = n->arc[a ^ 1].to;
    }
    return true;
}

/* Marks the nodes from which the sink can still be reached. */
static void reach_back(struct net *n, uint32_t sink) {
    uint32_t head = 0, tail = 0;
    memset(n->via, 0, n->nodes * sizeof *n->via);
    n->queue[tail++] = sink;
    n->via[sink] = 1;
    while (head < tail) {
        uint32_t at = n->queue[head++];
        for (uint32_t a = n->first[at]; a; a = n->arc[a - 1].next) {
            uint32_t from = n->arc[a - 1].to;
            if (n->arc[(a - 1) ^ 1].open && !n->via[from]) {
                n->via[from] = 1;
                n->queue[tail++] = from;
            }
        }
    }
}

uint32_t cut_least(struct ir_arena *arena, const struct cut_graph *g, const uint32_t *wanted, uint32_t count,
                   uint32_t *cut) {
    uint32_t source = 2 * g->values, sink = source + 1, n = 0, head = 0, tail = 0, most = 0;
    struct net net = {.arena = arena, .nodes = sink + 1};
    net.first = ir_alloc(arena, (net.nodes + 1) * sizeof *net.first);
    net.via = ir_alloc(arena, (net.nodes + 1) * sizeof *net.via);
    net.queue = ir_alloc(arena, (net.nodes + 1) * sizeof *net.queue);
    uint32_t *list = ir_alloc(arena, (g->values + 1) * sizeof *list),
             *depth = ir_alloc(arena, (g->values + 1) * sizeof *depth);
    if (ir_arena_oom(arena)) /* these may be one block */
        return count;
    for (uint32_t k = 0; k < count; k++) {
        if (!depth[wanted[k]])
            list[tail++] = wanted[k], depth[wanted[k]] = 1;
        for (int twice = 0; twice < 2; twice++) /* one of them stays open: only a value can be cut */
            add_arc(&net, 2 * wanted[k] + 1, sink);
    }
    while (head < tail) {
        uint32_t v = list[head++], from[CUT_OPERANDS];
        int operands = depth[v] < g->depth ? g->operands(g->user, v, from) : -1;
        add_arc(&net, 2 * v, 2 * v + 1);
        if (operands < 0)
            add_arc(&net, source, 2 * v);
        for (int k = 0; k < operands; k++) {
            add_arc(&net, 2 * from[k] + 1, 2 * v);
            if (!depth[from[k]])
                list[tail++] = from[k], depth[from[k]] = depth[v] + 1;
        }
    }
    while (!ir_arena_oom(arena) && most < count && augment(&net, source, sink))
        most++;
    if (ir_arena_oom(arena))
        return count;
    reach_back(&net, sink);
    for (uint32_t k = 0; k < tail; k++)
        if (net.via[2 * list[k] + 1] && !net.via[2 * list[k]])
            cut[n++] = list[k];
    return n;
}
