/* Sparse sets beside plain ones: the same members in the same order, whatever is added in which order. */
#include "regalloc/sparse.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = 7, MEMBERS = 9000 };

static bool plain[SETS][MEMBERS];
static uint32_t state;

static uint32_t draw(uint32_t n) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
}

/* One check for all members: each that Check is told of costs a system call. */
static void compare(const struct sparse_sets *sets, uint32_t set) {
    uint32_t next = 0, count = 0, wrong = 0;
    FOR_SPARSE(m, sets, set) {
        for (; next < m; next++)
            wrong += plain[set][next];
        wrong += !plain[set][m];
        next = m + 1;
        count++;
    }
    for (; next < MEMBERS; next++)
        wrong += plain[set][next];
    for (uint32_t k = 0; k < 200; k++) {
        uint32_t m = draw(MEMBERS);
        wrong += sparse_has(sets, set, m) != plain[set][m];
    }
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_eq(sparse_count(sets, set), count);
}

static void change(struct sparse_sets *sets, struct full_set *full, const uint64_t *mask) {
    uint32_t set = draw(SETS), from = draw(SETS), n = draw(40), base = draw(MEMBERS), range = 1 + draw(400);
    switch (draw(3)) {
    case 0:
        for (uint32_t k = 0; k < n; k++) {
            uint32_t m = draw(4) ? (base + draw(range)) % MEMBERS : draw(MEMBERS);
            sparse_add(sets, set, m);
            plain[set][m] = true;
        }
        break;
    case 1: /* one set into another, less a few members */
        full_empty(full);
        full_unite(full, sets, from);
        ck_assert_uint_eq(full_count(full), sparse_count(sets, from));
        for (uint32_t k = 0; k < n; k++)
            full_remove(full, (base + k) % MEMBERS);
        mask = draw(2) ? mask : NULL;
        sparse_unite(sets, set, full, mask);
        for (uint32_t m = 0; m < MEMBERS; m++)
            if (plain[from][m] && (m + MEMBERS - base) % MEMBERS >= n &&
                (!mask || mask[m / 64] >> m % 64 & 1))
                plain[set][m] = true;
        break;
    default: {
        full_empty(full);
        uint32_t last = 0, seen = 0;
        for (uint32_t k = 0; k < n; k++)
            full_add(full, draw(MEMBERS));
        FOR_FULL(m, full) {
            ck_assert(!seen++ || m > last);
            last = m;
        }
        ck_assert_uint_eq(full_count(full), seen);
    }
    }
    compare(sets, set);
}

START_TEST(as_plain_sets) {
    for (state = 1; state < 9; state++) {
        uint32_t seed = state;
        struct ir_arena *arena = ir_arena_create(NULL);
        struct sparse_pool pool = {.arena = arena};
        struct sparse_sets sets = sparse_begin(&pool, SETS);
        struct full_set full = full_begin(arena, MEMBERS), mask = full_begin(arena, MEMBERS);
        for (uint32_t k = 0; k < MEMBERS / 2; k++)
            full_add(&mask, draw(MEMBERS));
        for (int round = 0; round < 3; round++) {
            memset(plain, 0, sizeof plain);
            sparse_empty(&pool);
            sparse_forget(&sets, SETS);
            for (int k = 0; k < 60; k++)
                change(&sets, &full, mask.word);
            for (uint32_t set = 0; set < SETS; set++)
                compare(&sets, set);
        }
        ir_arena_destroy(arena);
        state = seed;
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("regalloc_sparse");
    TCase *c = tcase_create("sets");
    tcase_add_test(c, as_plain_sets);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
