/* Memory that runs out while the blocks of a large shader are selected: the reserve (ir/arena.c) is smaller
 * than what its first block takes, so selection has to stop on its way. And its searches are work. */
#include "backend/parts.h"
#include "regalloc/regalloc.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 150000, SIZE = 6000000 };

static unsigned long calls, failing; /* all from that one on; 0: none */

static bool fails(void) {
    calls++;
    return failing && calls >= failing;
}

static void *allocate(void *user, size_t size) {
    (void)user;
    return fails() ? NULL : malloc(size);
}

static void *reallocate(void *user, void *block, size_t size) {
    (void)user;
    return fails() ? NULL : realloc(block, size);
}

static void release(void *user, void *block) {
    (void)user;
    free(block);
}

static const struct qpucc_allocator from = {NULL, allocate, reallocate, release};

/* A long block before a loop. */
static const char *long_block(void) {
    static char text[SIZE];
    size_t at = 0;
#define EMIT(...) at += (size_t)snprintf(text + at, SIZE - at, __VA_ARGS__)
    EMIT("shader fragment lowered\nb0:\n  %%0 = frag_x\n  %%1 = frag_y\n");
    for (unsigned k = 2; k < STEPS; k++)
        EMIT("  %%%u = iadd %%%u, %%%u\n", k, k - 1, k - 2);
    EMIT("  jump b1\nb1:\n  %%%u = phi.i32 b0 %%0, b1 %%%u\n", STEPS, STEPS + 1);
    EMIT("  %%%u = iadd %%%u, %%%u\n", STEPS + 1, STEPS, STEPS - 1);
    EMIT("  %%%u = ilt %%%u, %%1\n  branch %%%u, b1, b2\n", STEPS + 2, STEPS + 1, STEPS + 2);
    EMIT("b2:\n  tlb_color %%%u\n  end\n", STEPS + 1);
#undef EMIT
    return text;
}

static struct ir_shader *shader_of(const char *text) {
    char error[300];
    struct ir_shader *parsed = ir_parse(text, strlen(text), error, sizeof error);
    ck_assert_msg(parsed != NULL, "%s", error);
    struct ir_arena *arena = ir_arena_create(&from);
    struct ir_shader *shader = ir_shader_clone_beside(parsed, arena);
    ck_assert_ptr_nonnull(shader);
    ir_shader_destroy(parsed);
    ir_arena_destroy(arena);
    return shader;
}

/* Selects all blocks. From call `first` of the allocator on there is no memory, 0: there is enough. Returns
 * how many calls there were. */
static unsigned long select_all(const char *text, unsigned long first) {
    struct ir_shader *shader = shader_of(text);
    struct flow flow;
    struct flow_peak peak;
    flow_analyse(&flow, shader, shader->arena, true);
    ck_assert(cross_block_assign(&flow, 32, &peak));
    flow_define(&flow);
    struct mir all = {.shader = shader, .arena = shader->arena, .flow = &flow};
    all.tables = select_begin(&all);
    calls = 0;
    failing = first;
    bool ok = true;
    for (uint32_t b = 0; b < shader->nblocks && ok; b++) {
        struct be_result result = {.status = BE_OK};
        struct mir m = all;
        m.options.threads = 1;
        m.block = shader->blocks[b];
        m.entry = b == 0;
        m.last = b + 1 == shader->nblocks;
        ok = select_block(&m, &result);
        ck_assert(ok || ir_arena_oom(shader->arena));
    }
    ck_assert(ok || first);
    failing = 0;
    unsigned long count = calls;
    ir_shader_destroy(shader);
    return count;
}

START_TEST(selection_stops) {
    const char *text = long_block();
    unsigned long count = select_all(text, 0);
    ck_assert_uint_gt(count, 5);
    for (unsigned long first = 1; first <= count; first++)
        select_all(text, first);
}
END_TEST

/* Each of two in turn under a condition, made of both: whether its flags can be shared is searched for. */
START_TEST(searches_are_work) {
    enum { TURNS = 500 };
    static char text[TURNS * 200];
    size_t at = 0;
#define EMIT(...) at += (size_t)snprintf(text + at, sizeof text - at, __VA_ARGS__)
    EMIT("shader fragment lowered\nb0:\n  %%0 = frag_x\n  %%1 = frag_y\n");
    EMIT("  %%2 = ilt %%0, %%1\n  %%3 = ilt %%1, %%0\n  %%4 = iadd %%0, %%1\n  %%5 = isub %%0, %%1\n");
    for (unsigned k = 6; k < 4 * TURNS + 6; k += 4) {
        EMIT("  %%%u = iadd %%%u, %%%u\n  %%%u = select.i32 %%2, %%%u, %%%u\n", k, k - 2, k - 1, k + 2, k,
             k - 1);
        EMIT("  %%%u = ixor %%%u, %%%u\n  %%%u = select.i32 %%3, %%%u, %%%u\n", k + 1, k - 1, k + 2, k + 3,
             k + 1, k + 2);
    }
    EMIT("  tlb_color %%%u\n  end\n", 4 * TURNS + 5);
#undef EMIT
    struct ir_shader *shader = shader_of(text);
    const struct be_options options = {.threads = 1, .opt_level = 0};
    struct be_result result;
    be_compile(shader, &options, &result);
    ck_assert_int_eq(result.status, BE_OK);
    ck_assert_uint_gt(ir_usage(shader->arena).work, TURNS * TURNS);
    be_result_free(&result);
    ir_shader_destroy(shader);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("backend_limits");
    TCase *c = tcase_create("selection");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, selection_stops);
    tcase_add_test(c, searches_are_work);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
