/* Immediate post-dominators on random flow graphs, against their definition: without the block no end of the
 * program can be reached, and every other block of that kind comes after it. */
#include "mir/flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRAPHS = 20000, MOST = 20 };

static uint64_t state = 1;

static uint32_t draw(uint32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

/* Anything: irreducible graphs, loops that never end, several ends. What is not reached from the entry
 * goes. */
static struct ir_shader *random_graph(void) {
    uint32_t n = 2 + draw(MOST - 1), ends = 1 + draw(8);
    struct ir_shader *s = ir_shader_create(NULL, QPUCC_FRAGMENT);
    while (s->nblocks < n)
        ir_block_create(s);
    struct ir_builder entry = ir_builder_at_end(s->blocks[0]);
    struct ir_inst *cond = ir_const_b(&entry, true);
    for (uint32_t k = 0; k < n; k++) {
        struct ir_builder b = ir_builder_at_end(s->blocks[k]);
        struct ir_block *x = s->blocks[1 + draw(n - 1)], *y = s->blocks[1 + draw(n - 1)];
        if (draw(10) < ends)
            ir_end(&b);
        else if (x != y && draw(3))
            ir_branch(&b, cond, x, y);
        else
            ir_jump(&b, x);
    }
    ir_cfg_update(s);
    return s;
}

/* Is an end reached from `at` by a path that does not lead through `without`? */
static bool ends_from(const struct ir_shader *s, uint32_t at, uint32_t without, bool *seen) {
    const struct ir_block *block = s->blocks[at];
    if (at == without || seen[at])
        return false;
    seen[at] = true;
    bool ends = !block->succ[0];
    for (int k = 0; k < 2 && block->succ[k]; k++)
        ends |= ends_from(s, block->succ[k]->id, without, seen);
    return ends;
}

static bool ends_without(const struct ir_shader *s, uint32_t at, uint32_t without) {
    bool seen[MOST + 1] = {false};
    return ends_from(s, at, without, seen);
}

/* All paths from `block` to an end lead through `by`. */
static bool post_dominates(const struct ir_shader *s, uint32_t by, uint32_t block) {
    return by != block && ends_without(s, block, UINT32_MAX) && !ends_without(s, block, by);
}

static uint32_t immediate(const struct ir_shader *s, uint32_t block) {
    for (uint32_t by = 0; by < s->nblocks; by++) {
        bool first = post_dominates(s, by, block);
        for (uint32_t other = 0; first && other < s->nblocks; other++)
            first = other == by || !post_dominates(s, other, block) || post_dominates(s, other, by);
        if (first)
            return by;
    }
    return UINT32_MAX;
}

int main(void) {
    unsigned failed = 0, found = 0;
    for (int k = 0; k < GRAPHS && failed < 5; k++) {
        struct ir_shader *s = random_graph();
        uint32_t ipdom[MOST + 1];
        flow_post_dominators(s, s->arena, ipdom);
        for (uint32_t b = 0; b < s->nblocks; b++) {
            uint32_t right = immediate(s, b);
            found += right != UINT32_MAX;
            if (ipdom[b] == right)
                continue;
            failed++;
            char *text = ir_print_to_string(s);
            printf("graph %d, block %u: %d instead of %d\n%s\n", k, b, (int)ipdom[b], (int)right, text);
            free(text);
        }
        ir_shader_destroy(s);
    }
    printf("%u failed, %u post-dominators\n", failed, found);
    return failed != 0 || found < GRAPHS;
}
