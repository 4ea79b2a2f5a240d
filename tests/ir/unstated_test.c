/* An operation that states nothing but its name (ops.def) is treated as the most harmful: an effect, which
 * stays where it is and as often as it is, divergent, with a register of its own between blocks; and no code
 * is made of it in silence. */
#include "backend/backend.h"
#include "passes/passes.h"
#include "regalloc/regalloc.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "shader fragment\nuniform \"u\" float 4x1 word 0\noutput \"c\" float 4x1 word 0\n"
#define LOWERED "shader fragment lowered\nuniform \"u\" float 4x1 word 0\n"

static struct ir_shader *parse(const char *text) {
    char error[200];
    struct ir_shader *s = ir_parse(text, strlen(text), error, sizeof error);
    ck_assert_msg(s != NULL, "%s", error);
    return s;
}

static unsigned count_in(const struct ir_block *block) {
    unsigned n = 0;
    ir_for_insts((struct ir_block *)block, i) {
        n += i->op == IR_UNSTATED;
    }
    return n;
}

/* In b0: unread, twice the same, on a constant. In b1, which not everybody enters: one. In b3, a loop: one
 * that does not change in it. */
static const char flow[] = HEAD "b0:\n"
                                "  %0 = const.f32 0.5\n"
                                "  %1 = uniform.f32 u[0]\n"
                                "  %2 = unstated %1\n"
                                "  %3 = unstated %0\n"
                                "  %4 = unstated %0\n"
                                "  %5 = flt %3, %4\n"
                                "  branch %5, b1, b2\n"
                                "b1:\n"
                                "  %6 = unstated %1\n"
                                "  jump b2\n"
                                "b2:\n"
                                "  %7 = phi.f32 b0 %0, b1 %6\n"
                                "  jump b3\n"
                                "b3:\n"
                                "  %8 = phi.f32 b2 %7, b3 %10\n"
                                "  %9 = unstated %1\n"
                                "  %10 = fadd %8, %9\n"
                                "  %11 = flt %10, %1\n"
                                "  branch %11, b3, b4\n"
                                "b4:\n"
                                "  output 0, %10\n"
                                "  end\n";

START_TEST(passes_leave_it) {
    char error[200], list[] = "fold,algebraic,cse,uniforms,select_sink,correlate,share_predicate,factor,"
                              "linear,negate,ifconvert,hoist,dce";
    struct ir_shader *s = parse(flow);
    struct pass_options options = passes_default_options();
    options.verify = true;
    ck_assert_msg(passes_run_named(s, list, &options, error, sizeof error), "%s", error);
    ck_assert_uint_eq(s->nblocks, 5);
    static const unsigned want[] = {3, 1, 0, 1, 0};
    for (uint32_t b = 0; b < 5; b++)
        ck_assert_uint_eq(count_in(s->blocks[b]), want[b]);
    ir_shader_destroy(s);
}
END_TEST

START_TEST(everywhere_list) {
    char error[200];
    struct ir_shader *s = parse(flow);
    struct pass_options options = passes_default_options();
    options.verify = true;
    unsigned n = 0;
    ck_assert_msg(passes_run(s, PASSES_GENERIC, &options, error, sizeof error), "%s", error);
    ck_assert_msg(passes_run(s, PASSES_STAGE, &options, error, sizeof error), "%s", error);
    ir_for_blocks(s, b) {
        n += count_in(b);
    }
    ck_assert_uint_eq(n, 5);
    ir_shader_destroy(s);
}
END_TEST

START_TEST(lanes_differ_and_registers_cross) {
    struct ir_shader *s = parse(LOWERED "b0:\n"
                                        "  %0 = uniform.f32 u[0]\n"
                                        "  %1 = unstated %0\n"
                                        "  %2 = flt %1, %0\n"
                                        "  branch %2, b1, b2\n"
                                        "b1:\n"
                                        "  %3 = fadd %1, %0\n"
                                        "  jump b2\n"
                                        "b2:\n"
                                        "  %5 = phi.f32 b0 %0, b1 %3\n"
                                        "  %6 = packcolor %5, %1, %1, %1\n"
                                        "  tlb_color %6\n"
                                        "  end\n");
    struct ir_arena *arena = ir_arena_beside(s->arena);
    struct flow f;
    struct flow_peak peak;
    flow_analyse(&f, s, arena, false);
    ck_assert(cross_block_assign(&f, 32, &peak));
    const struct ir_inst *unstated = s->blocks[0]->first->next;
    ck_assert_int_eq(unstated->op, IR_UNSTATED);
    ck_assert(f.varying[unstated->id]);
    ck_assert(f.block[1].masked);
    ck_assert(f.cross_reg[unstated->id] != FLOW_NO_REG);
    ck_assert(f.cross_reg[s->blocks[0]->first->id] == FLOW_NO_REG);
    ir_arena_destroy(arena);
    ir_shader_destroy(s);
}
END_TEST

/* The tile buffer may not be touched before the last switch; nobody knows what this one does. */
START_TEST(no_code_is_made_of_it) {
    struct ir_shader *s = parse(LOWERED "sampler \"t\" sampler2D 1x1 word 0\n"
                                        "b0:\n"
                                        "  %0 = uniform.f32 u[0]\n"
                                        "  %1 = unstated %0\n"
                                        "  %2 = tex s0, %1, %1\n"
                                        "  jump b1\n"
                                        "b1:\n"
                                        "  tlb_color %2\n"
                                        "  end\n");
    struct be_options options = {.opt_level = 2, .threads = 1, .linux_rules = true};
    struct be_result result;
    ck_assert(!be_worth_threads(s));
    be_compile(s, &options, &result);
    ck_assert_int_eq(result.status, BE_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(result.message, "unstated"));
    be_result_free(&result);
    ir_shader_destroy(s);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("an unstated operation");
    TCase *c = tcase_create("all");
    tcase_add_test(c, passes_leave_it);
    tcase_add_test(c, everywhere_list);
    tcase_add_test(c, lanes_differ_and_registers_cross);
    tcase_add_test(c, no_code_is_made_of_it);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
