/* Order, dominators and loops, against definitions worked out the slow way on random graphs. */
#include "ir/ir.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 24 };

static uint64_t state;

static uint32_t pick(uint32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

static void ways(struct ir_block *from, struct ir_inst *cond, struct ir_block *x, struct ir_block *y) {
    struct ir_builder b = ir_builder_at_end(from);
    if (!x)
        ir_end(&b);
    else if (y && y != x)
        ir_branch(&b, cond, x, y);
    else
        ir_jump(&b, x);
}

static struct ir_shader *empty(uint32_t n, struct ir_inst **cond) {
    struct ir_shader *s = ir_shader_create(NULL, QPUCC_FRAGMENT);
    while (s->nblocks < n)
        ir_block_create(s);
    struct ir_builder b = ir_builder_at_end(s->blocks[0]);
    *cond = ir_const_b(&b, true);
    return s;
}

/* Anything, irreducible graphs and unreachable blocks among it. */
static struct ir_shader *random_graph(void) {
    uint32_t n = 2 + pick(MOST - 2);
    struct ir_inst *cond;
    struct ir_shader *s = empty(n, &cond);
    for (uint32_t k = 0; k + 1 < n; k++)
        ways(s->blocks[k], cond, s->blocks[1 + pick(n - 1)], pick(3) ? s->blocks[1 + pick(n - 1)] : NULL);
    ways(s->blocks[n - 1], cond, NULL, NULL);
    return s;
}

/* Structured: ifs, loops, and breaks out of the innermost loop. Returns where the code goes on. */
static struct ir_block *structured(struct ir_shader *s, struct ir_inst *cond, struct ir_block *at,
                                   struct ir_block *exit, int depth) {
    for (uint32_t n = pick(4); n > 0 && s->nblocks < 60; n--) {
        struct ir_block *a = ir_block_create(s), *b = ir_block_create(s), *c = ir_block_create(s);
        switch (depth > 3 ? 3 : pick(4)) {
        case 0: /* if/else */
            ways(at, cond, a, b);
            ways(structured(s, cond, a, exit, depth + 1), cond, c, NULL);
            ways(structured(s, cond, b, exit, depth + 1), cond, c, NULL);
            at = c;
            break;
        case 1: /* while */
            ways(at, cond, a, NULL);
            if (pick(2))
                ways(a, cond, b, c);
            else
                ways(a, cond, c, b);
            ways(structured(s, cond, b, c, depth + 1), cond, a, NULL);
            at = c;
            break;
        case 2: /* if (…) { …; break; } */
            ways(at, cond, a, b);
            ways(structured(s, cond, a, exit, depth + 1), cond, exit ? exit : b, NULL);
            at = b;
            ways(c, cond, b, NULL); /* unreachable */
            break;
        default:
            ways(at, cond, b, NULL);
            ways(a, cond, c, NULL);
            ways(c, cond, a, b);
            at = b;
        }
    }
    return at;
}

static bool reaches(const struct ir_shader *s, const struct ir_block *from, const struct ir_block *to,
                    const struct ir_block *without) {
    bool seen[256] = {false};
    const struct ir_block *stack[512];
    uint32_t n = 0;
    if (from == without)
        return false;
    stack[n++] = from;
    while (n) {
        const struct ir_block *x = stack[--n];
        if (x == to)
            return true;
        if (seen[x->id])
            continue;
        seen[x->id] = true;
        for (int k = 0; k < 2; k++)
            if (x->succ[k] && x->succ[k] != without)
                stack[n++] = x->succ[k];
    }
    (void)s;
    return false;
}

static void check_analyses(struct ir_shader *s) {
    char error[200];
    ir_cfg_update(s);
    ir_dominators(s);
    ir_loops(s);
    ck_assert_msg(ir_verify(s, error, sizeof error), "%s", error);
    for (uint32_t k = 0; k < s->nblocks; k++) {
        struct ir_block *a = s->blocks[k];
        ck_assert_uint_eq(a->id, k);
        ck_assert(reaches(s, s->blocks[0], a, NULL));
        uint32_t edges = 0;
        for (uint32_t j = 0; j < s->nblocks; j++) {
            struct ir_block *b = s->blocks[j];
            edges += a->succ[0] == b || a->succ[1] == b;
            bool dominates = a == b || !reaches(s, s->blocks[0], b, a);
            ck_assert_int_eq(ir_dominates(a, b), dominates);
            /* b is in a's natural loop: a dominates it and it gets back to a without leaving what a dominates
             */
            bool in_loop = false;
            for (uint32_t p = 0; dominates && p < a->npred; p++)
                if (ir_dominates(a, a->pred[p]))
                    in_loop |= b == a || reaches(s, b, a->pred[p], a);
            bool said = false;
            for (struct ir_block *h = b->loop_header; h; h = h->loop_parent)
                said |= h == a;
            ck_assert_int_eq(said, in_loop);
        }
        for (uint32_t p = 0; p < a->npred; p++)
            ck_assert(a->pred[p]->succ[0] == a || a->pred[p]->succ[1] == a);
        for (int w = 0; w < 2; w++)
            for (uint32_t p = 0, found = 0; a->succ[w] && p <= a->succ[w]->npred; p++)
                if (p == a->succ[w]->npred)
                    ck_assert_uint_eq(found, 1);
                else
                    found += a->succ[w]->pred[p] == a;
        uint32_t depth = 0;
        for (struct ir_block *h = a->loop_header; h; h = h->loop_parent)
            depth++;
        ck_assert_uint_eq(a->loop_depth, depth);
        ck_assert(edges <= 2);
    }
}

/* Forward edges go forward; only natural loops' back edges go back; loops stay together. */
static void check_layout(const struct ir_shader *s) {
    for (uint32_t k = 0; k < s->nblocks; k++) {
        const struct ir_block *a = s->blocks[k];
        for (int w = 0; w < 2; w++)
            if (a->succ[w] && a->succ[w]->id <= a->id)
                ck_assert(ir_dominates(a->succ[w], a));
        if (a->loop_header != a)
            continue;
        bool ended = false;
        for (uint32_t j = k; j < s->nblocks; j++) {
            bool inside = false;
            for (struct ir_block *h = s->blocks[j]->loop_header; h; h = h->loop_parent)
                inside |= h == a;
            ck_assert_msg(!(ended && inside), "a loop's blocks are not together");
            ended |= !inside;
        }
    }
}

START_TEST(random_graphs) {
    for (state = 1000; state < 1200; state++) {
        uint64_t seed = state;
        struct ir_shader *s = random_graph();
        check_analyses(s);
        char *once = ir_print_to_string(s);
        ir_cfg_update(s); /* nothing more to do */
        char *twice = ir_print_to_string(s);
        ck_assert_str_eq(once, twice);
        free(once);
        free(twice);
        ir_shader_destroy(s);
        state = seed;
    }
}
END_TEST

START_TEST(structured_graphs) {
    for (state = 1; state < 400; state++) {
        uint64_t seed = state;
        struct ir_inst *cond;
        struct ir_shader *s = empty(1, &cond);
        ways(structured(s, cond, s->blocks[0], NULL, 0), cond, NULL, NULL);
        for (uint32_t k = 0; k < s->nblocks; k++)
            if (!s->blocks[k]->last ||
                s->blocks[k]->last->op == IR_CONST) /* never got a way out: unreachable */
                ways(s->blocks[k], cond, s->blocks[k], NULL);
        check_analyses(s);
        check_layout(s);
        ir_shader_destroy(s);
        state = seed;
    }
}
END_TEST

/* The case a plain reverse post-order gets wrong: an exit with code between the loop's own blocks. */
START_TEST(exits_do_not_split_a_loop) {
    struct ir_inst *cond;
    struct ir_shader *s = empty(6, &cond);
    struct ir_block **b = s->blocks;
    struct ir_block *head = b[1], *x = b[2], *y = b[3], *out = b[4], *end = b[5];
    ways(b[0], cond, head, NULL);
    ways(head, cond, x, y);
    ways(x, cond, out, head);
    ways(y, cond, end, head);
    ways(out, cond, end, NULL);
    ways(end, cond, NULL, NULL);
    check_analyses(s);
    check_layout(s);
    ck_assert_uint_eq(head->id, 1);
    ck_assert(x->id < 4 && y->id < 4);
    ck_assert_uint_eq(out->id, 4);
    ck_assert_uint_eq(end->id, 5);
    ir_shader_destroy(s);
}
END_TEST

START_TEST(then_comes_before_else) {
    struct ir_inst *cond;
    struct ir_shader *s = empty(4, &cond);
    struct ir_block *b[4] = {s->blocks[0], s->blocks[1], s->blocks[2], s->blocks[3]};
    ways(b[0], cond, b[3], b[1]);
    ways(b[3], cond, b[2], NULL);
    ways(b[1], cond, b[2], NULL);
    ways(b[2], cond, NULL, NULL);
    check_analyses(s);
    ck_assert_uint_eq(b[3]->id, 1);
    ck_assert_uint_eq(b[1]->id, 2);
    ck_assert_uint_eq(b[2]->id, 3);
    ir_shader_destroy(s);
}
END_TEST

START_TEST(update_tidies_phis_and_equal_ways) {
    struct ir_shader *s = ir_shader_create(NULL, QPUCC_FRAGMENT);
    struct ir_block *entry = s->blocks[0], *dead = ir_block_create(s), *join = ir_block_create(s);
    struct ir_builder b = ir_builder_at_end(entry);
    struct ir_inst *c = ir_const_b(&b, true);
    ir_branch(&b, c, join, join);
    b.block = dead;
    ir_jump(&b, join);
    b.block = join;
    struct ir_inst *phi = ir_phi(&b, IR_BOOL);
    ir_phi_add(phi, dead, c);
    ir_phi_add(phi, entry, c);
    ir_phi_add(phi, entry, c);
    ir_end(&b);
    check_analyses(s);
    ck_assert_uint_eq(s->nblocks, 2);
    ck_assert_uint_eq(entry->last->op, IR_JUMP);
    ck_assert_uint_eq(phi->nsrc, 1);
    ck_assert_ptr_eq(phi->phi_block[0], entry);
    ir_shader_destroy(s);
}
END_TEST

START_TEST(long_shaders_do_not_recurse) {
    struct ir_inst *cond;
    struct ir_shader *s = empty(30000, &cond);
    for (uint32_t k = 0; k + 1 < s->nblocks; k++)
        ways(s->blocks[k], cond, s->blocks[k + 1], s->blocks[s->nblocks - 1]);
    ways(s->blocks[s->nblocks - 1], cond, NULL, NULL);
    ir_cfg_update(s);
    ir_dominators(s);
    ir_loops(s);
    char error[100];
    ck_assert_msg(ir_verify(s, error, sizeof error), "%s", error);
    ck_assert(ir_dominates(s->blocks[0], s->blocks[29999]));
    ck_assert(!ir_dominates(s->blocks[1], s->blocks[29999]));
    ir_shader_destroy(s);
}
END_TEST

/* NULL + 0 is undefined, and clang's sanitizer says so. */
START_TEST(no_edges_have_a_pool) {
    struct ir_inst *cond;
    struct ir_shader *s = empty(1, &cond);
    ways(s->blocks[0], cond, NULL, NULL);
    check_analyses(s);
    ck_assert_ptr_nonnull(s->blocks[0]->pred);
    ck_assert_uint_eq(s->blocks[0]->npred, 0);
    ir_shader_destroy(s);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("ir cfg");
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, random_graphs);
    tcase_add_test(c, structured_graphs);
    tcase_add_test(c, exits_do_not_split_a_loop);
    tcase_add_test(c, then_comes_before_else);
    tcase_add_test(c, update_tidies_phis_and_equal_ways);
    tcase_add_test(c, long_shaders_do_not_recurse);
    tcase_add_test(c, no_edges_have_a_pool);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
