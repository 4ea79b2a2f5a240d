/* The fewest values from which others can be made, against every set of values: the cut is enough, none is
 * smaller, and of those of its size none leaves fewer values to make. */
#include "regalloc/cut.h"

#include <check.h>
#include <string.h>

enum { SMALL = 11, LARGE = 400 };

static uint32_t draw(uint32_t *state, uint32_t n) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state / 3 % n;
}

struct graph {
    uint32_t values;
    int count[LARGE]; /* -1: it can't be made */
    uint32_t operand[LARGE][CUT_OPERANDS];
};

static int operands(void *user, uint32_t v, uint32_t out[CUT_OPERANDS]) {
    const struct graph *g = user;
    if (g->count[v] > 0)
        memcpy(out, g->operand[v], (size_t)g->count[v] * sizeof *out);
    return g->count[v];
}

static uint32_t least(struct graph *g, uint32_t depth, const uint32_t *wanted, uint32_t count,
                      uint32_t *cut) {
    struct ir_shader *shader = ir_shader_create(NULL, QPUCC_FRAGMENT);
    struct cut_graph how = {.values = g->values, .depth = depth, .operands = operands, .user = g};
    ck_assert_ptr_nonnull(shader);
    uint32_t n = cut_least(shader->arena, &how, wanted, count, cut);
    ck_assert_msg(g->values < LARGE || ir_usage(shader->arena).work, "no work is counted");
    ir_shader_destroy(shader);
    return n;
}

/* --- every set ------------------------------------------------------------------------------------------ */

/* Values on the shortest path to a wanted one, with both; 0: there is none. */
static void find_depths(const struct graph *g, const uint32_t *wanted, uint32_t count, uint32_t *depth) {
    memset(depth, 0, g->values * sizeof *depth);
    for (uint32_t k = 0; k < count; k++)
        depth[wanted[k]] = 1;
    for (uint32_t round = 0; round < g->values; round++)
        for (uint32_t v = g->values; v-- > 0;)
            for (int k = 0; k < g->count[v] && depth[v]; k++) {
                uint32_t *of = &depth[g->operand[v][k]];
                *of = !*of || depth[v] + 1 < *of ? depth[v] + 1 : *of;
            }
}

/* Whether v is there, or can be made of what is; marks what is made on the way. */
static bool can_make(const struct graph *g, const uint32_t *depth, uint32_t most, uint32_t set, uint32_t v,
                     uint32_t *made) {
    if (set >> v & 1)
        return true;
    if (g->count[v] < 0 || depth[v] >= most)
        return false;
    *made |= 1u << v;
    for (int k = 0; k < g->count[v]; k++)
        if (!can_make(g, depth, most, set, g->operand[v][k], made))
            return false;
    return true;
}

static bool is_enough(const struct graph *g, const uint32_t *depth, uint32_t most, uint32_t set,
                      const uint32_t *wanted, uint32_t count, unsigned *made) {
    uint32_t all = 0;
    for (uint32_t k = 0; k < count; k++)
        if (!can_make(g, depth, most, set, wanted[k], &all))
            return false;
    *made = (unsigned)__builtin_popcount(all);
    return true;
}

/* A value is made of some that come before it, of nothing, or can't be made. */
static void draw_graph(struct graph *g, uint32_t *state) {
    g->values = 3 + draw(state, SMALL - 2);
    for (uint32_t v = 0; v < g->values; v++) {
        g->count[v] = v < 2 ? -1 : (int)draw(state, 5) - 1;
        for (int k = 0; k < g->count[v]; k++)
            g->operand[v][k] = draw(state, v);
    }
}

START_TEST(against_every_set) {
    uint32_t state = 0x2545f491;
    unsigned smaller = 0;
    for (int round = 0; round < 1500; round++) {
        struct graph g;
        uint32_t wanted[SMALL], depth[SMALL], cut[SMALL + 1], set = 0;
        unsigned made, made_least = 0, size = SMALL + 1;
        draw_graph(&g, &state);
        uint32_t most = 1 + draw(&state, 6), count = 1 + draw(&state, g.values);
        for (uint32_t k = 0; k < count; k++)
            wanted[k] = draw(&state, g.values); /* some twice */
        find_depths(&g, wanted, count, depth);
        for (uint32_t s = 0; s < 1u << g.values; s++) {
            unsigned n = (unsigned)__builtin_popcount(s);
            if (n <= size && is_enough(&g, depth, most, s, wanted, count, &made) &&
                (n < size || made < made_least))
                size = n, made_least = made;
        }
        uint32_t n = least(&g, most, wanted, count, cut);
        for (uint32_t k = 0; k < n; k++)
            set |= 1u << cut[k];
        ck_assert_msg(n == size, "%d: %u values, %u are enough", round, n, size);
        ck_assert_msg((unsigned)__builtin_popcount(set) == n, "%d: a value twice", round);
        ck_assert_msg(is_enough(&g, depth, most, set, wanted, count, &made), "%d: too few", round);
        ck_assert_msg(made == made_least, "%d: %u values to make, %u would do", round, made, made_least);
        smaller += n && n < count;
    }
    ck_assert_uint_gt(smaller, 300);
}
END_TEST

/* --- large graphs --------------------------------------------------------------------------------------- */

/* Many values made of a few through the middle: the few stay. */
START_TEST(through_the_middle) {
    for (uint32_t few = 1; few <= 3; few++) {
        static struct graph g;
        uint32_t wanted[LARGE], cut[LARGE], count = 0;
        g.values = LARGE;
        for (uint32_t v = 0; v < LARGE; v++) {
            g.count[v] = v < 100 ? -1 : 2;
            for (uint32_t k = 0; k < 2; k++) /* 100 sources, the few, and what is made of them */
                g.operand[v][k] = v < 100 + few ? 2 * v % 100 + k : 100 + (v + k) % few;
            if (v >= 100 + few)
                wanted[count++] = v;
        }
        ck_assert_uint_eq(least(&g, 8, wanted, count, cut), few);
        for (uint32_t k = 0; k < few; k++)
            ck_assert_msg(cut[k] >= 100 && cut[k] < 100 + few, "value %u", cut[k]);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("regalloc_cut");
    TCase *c = tcase_create("cut");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, against_every_set);
    tcase_add_test(c, through_the_middle);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
