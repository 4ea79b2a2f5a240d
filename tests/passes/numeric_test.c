/* What lower_math makes of single operations, in the machine's arithmetic: limits, whole quotients and
 * powers, integers. How good the functions of GLSL are is measured in tests/compiler/functions_test.c. */
#include "interp.h"
#include "passes/eval.h"
#include "passes/passes.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A vertex or fragment shader that is one operation on its inputs, lowered. */
static struct ir_shader *shader_of(enum ir_op op, uint32_t nsrc, enum qpucc_stage stage,
                                   enum ir_precision precision, const uint32_t *constant) {
    struct ir_shader *s = ir_shader_create(NULL, stage);
    struct ir_symbol *in = ir_add_symbol(s, &s->inputs, "x");
    in->rows = 2, in->cols = 1, s->inputs.words = 2;
    struct ir_symbol *out = ir_add_symbol(s, &s->outputs, "y");
    out->rows = out->cols = 1, s->outputs.words = 1;
    struct ir_builder b = ir_builder_at_end(s->blocks[0]);
    b.precision = precision;
    const char *kinds = ir_op_info(op)->sources;
    struct ir_inst *x[2];
    for (uint32_t k = 0; k < nsrc; k++) {
        enum ir_type type = kinds[k] == 'i' ? IR_I32 : IR_F32;
        x[k] =
            constant && k == 1 ? ir_const(&b, type, *constant) : ir_emit(&b, IR_INPUT, type, 0, NULL, k, 0);
    }
    enum ir_type type = ir_op_info(op)->result[0] == 'f'   ? IR_F32
                        : ir_op_info(op)->result[0] == 'b' ? IR_BOOL
                                                           : IR_I32;
    struct ir_inst *y = ir_emit(&b, op, type, nsrc, x, 0, 0);
    ir_emit(&b, IR_OUTPUT, IR_VOID, 1, &y, 0, 0);
    ir_end(&b);
    ir_cfg_update(s);
    struct pass_options options = {0};
    pass_lower_math(s, &options);
    return s;
}

static uint32_t run(const struct ir_shader *s, uint32_t x, uint32_t y) {
    static struct interp in; /* large; cleared by interp_run where it matters */
    char error[200];
    in.machine = true;
    in.input[0] = x, in.input[1] = y;
    if (!interp_run(s, &in, 10, error, sizeof error))
        ck_abort_msg("%s", error);
    return in.output[0];
}

static uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

static float run_f(const struct ir_shader *s, float x, float y) {
    return ir_bits_to_float(run(s, ir_float_to_bits(x), ir_float_to_bits(y)));
}

START_TEST(limits_come_out_right) {
    struct ir_shader *s = shader_of(IR_FSQRT, 1, QPUCC_VERTEX, IR_HIGHP, NULL);
    ck_assert(run_f(s, 0, 0) == 0);
    ir_shader_destroy(s);
    s = shader_of(IR_FSQRT, 1, QPUCC_FRAGMENT, IR_MEDIUMP, NULL);
    ck_assert(run_f(s, 0, 0) == 0);
    ir_shader_destroy(s);
    s = shader_of(IR_FRCP, 1, QPUCC_VERTEX, IR_HIGHP, NULL);
    ck_assert(isinf(run_f(s, 0, 0)));
    ck_assert(run_f(s, INFINITY, 0) == 0);
    ir_shader_destroy(s);
    s = shader_of(IR_FPOW, 2, QPUCC_VERTEX, IR_HIGHP, NULL);
    ck_assert(run_f(s, 0, 2) == 0);
    ir_shader_destroy(s);
    s = shader_of(IR_FATAN2, 2, QPUCC_VERTEX, IR_HIGHP, NULL);
    ck_assert(run_f(s, 0, 0) == 0);
    ck_assert(fabsf(run_f(s, 0, -1) - 3.14159265f) < 1e-5f);
    ck_assert(fabsf(run_f(s, -1, 0) + 1.57079633f) < 1e-5f);
    ir_shader_destroy(s);
    s = shader_of(IR_FSIGN, 1, QPUCC_VERTEX, IR_HIGHP, NULL);
    ck_assert(run_f(s, 0, 0) == 0);
    ck_assert(run_f(s, 1.2e-38f, 0) == 1);
    ck_assert(run_f(s, -1.2e-38f, 0) == -1);
    ir_shader_destroy(s);
    s = shader_of(IR_FFLOOR, 1, QPUCC_VERTEX, IR_HIGHP, NULL);
    ck_assert(run_f(s, -1e-20f, 0) == -1);
    ck_assert(run_f(s, 1e-20f, 0) == 0);
    ck_assert(run_f(s, 3e9f, 0) > 2.999e9f);
    ir_shader_destroy(s);
}
END_TEST

/* Quotients of whole numbers that are whole must not come out below themselves: a floor() or int() follows
 * often. */
START_TEST(whole_quotients_do_not_fall_short) {
    struct ir_shader *s = shader_of(IR_FDIV, 2, QPUCC_VERTEX, IR_HIGHP, NULL);
    for (int y = 1; y <= 300; y++)
        for (int k = 1; k <= 60; k++) {
            float q = run_f(s, (float)(k * y), (float)y);
            ck_assert_msg(q >= (float)k, "%d / %d = %.9g", k * y, y, q);
        }
    ir_shader_destroy(s);
    for (int y = 1; y <= 200; y++) {
        uint32_t bits = ir_float_to_bits((float)y);
        s = shader_of(IR_FDIV, 2, QPUCC_FRAGMENT, IR_MEDIUMP, &bits);
        for (int k = -40; k <= 40; k++) {
            float q = run_f(s, (float)(k * y), 0);
            ck_assert_msg(fabsf(q) >= fabsf((float)k) && fabsf(q - (float)k) < 1e-4f, "%d / %d = %.9g", k * y,
                          y, q);
        }
        ir_shader_destroy(s);
    }
}
END_TEST

START_TEST(whole_powers_of_two_are_exact) {
    struct ir_shader *s = shader_of(IR_FEXP2, 1, QPUCC_FRAGMENT, IR_HIGHP, NULL);
    for (int n = -100; n <= 100; n++) {
        double r = run_f(s, (float)n, 0) / exp2(n);
        ck_assert_msg(r >= 1 && r < 1 + 3e-7, "exp2(%d) is off by %g", n, r - 1);
    }
    ck_assert(isinf(run_f(s, 200, 0)));
    ck_assert(run_f(s, -200, 0) == 0);
    ir_shader_destroy(s);
}
END_TEST

START_TEST(mod_by_constant_wraps_at_multiples) {
    static const float by[] = {1, 2, 3, 4, 5, 7, 10, 0.5f, 16};
    uint32_t bits = ir_float_to_bits(by[_i]);
    struct ir_shader *s = shader_of(IR_FMOD, 2, QPUCC_FRAGMENT, IR_HIGHP, &bits);
    for (int k = -50; k <= 50; k++) {
        float m = run_f(s, (float)k * by[_i], 0);
        ck_assert_msg(fabsf(m) < 1e-5f, "mod(%g, %g) = %g", (double)k * by[_i], by[_i], m);
        m = run_f(s, ((float)k + 0.25f) * by[_i], 0);
        ck_assert_msg(fabsf(m - 0.25f * by[_i]) < 1e-5f, "mod(%g + 1/4) = %g", (double)k * by[_i], m);
    }
    ir_shader_destroy(s);
}
END_TEST

/* Of either sign, at every precision, by what is known and what is not. */
START_TEST(mod_of_whole_numbers_is_exact) {
    static const struct {
        enum qpucc_stage stage;
        enum ir_precision precision;
    } variants[] = {{QPUCC_FRAGMENT, IR_HIGHP}, {QPUCC_FRAGMENT, IR_MEDIUMP}, {QPUCC_VERTEX, IR_LOWP}};
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        struct ir_shader *s = shader_of(IR_FMOD, 2, variants[v].stage, variants[v].precision, NULL);
        for (int y = 1; y <= 130; y++) {
            uint32_t bits = ir_float_to_bits((float)y);
            struct ir_shader *t = shader_of(IR_FMOD, 2, variants[v].stage, variants[v].precision, &bits);
            for (int x = -3 * y - 1200; x <= 3 * y + 1200; x += 1 + x % 3 * (x % 3)) {
                float ideal = (float)(((x % y) + y) % y), m = run_f(s, (float)x, (float)y),
                      n = run_f(t, (float)x, 0);
                ck_assert_msg(m == ideal && n == ideal, "mod(%d, %d) = %.9g, by a constant %.9g", x, y, m, n);
            }
            ir_shader_destroy(t);
        }
        ir_shader_destroy(s);
    }
}
END_TEST

static const enum ir_op whole_ops[] = {IR_IMUL, IR_IDIV, IR_IREM, IR_IMOD, IR_UDIV, IR_UREM, IR_UMIN,
                                       IR_UMAX, IR_ULT,  IR_UGE,  IR_INEG, IR_IABS, IR_ISIGN};
#define WHOLE (sizeof whole_ops / sizeof *whole_ops)

static const uint32_t edges[] = {0,          1,          2,          3,          7,          255,
                                 256,        0xffff,     0x10000,    0xffffff,   0x1000000,  0x1000001,
                                 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff,
                                 0xff000000, 0xfeffffff, 1000000007};
#define EDGES (sizeof edges / sizeof *edges)

static void compare(const struct ir_shader *s, enum ir_op op, uint32_t x, uint32_t y) {
    uint32_t sources[2] = {x, y}, ideal;
    if (!ir_eval(op, 0, sources, ir_op_info(op)->min_src, &ideal))
        return; /* division by zero */
    uint32_t got = run(s, x, y);
    ck_assert_msg(got == ideal, "%s(0x%x, 0x%x) = 0x%x, not 0x%x", ir_op_info(op)->text, x, y, got, ideal);
}

START_TEST(whole_numbers_are_exact) {
    enum ir_op op = whole_ops[_i];
    struct ir_shader *s = shader_of(op, ir_op_info(op)->min_src, QPUCC_VERTEX, IR_HIGHP, NULL);
    for (size_t i = 0; i < EDGES; i++)
        for (size_t j = 0; j < EDGES; j++)
            compare(s, op, edges[i], edges[j]);
    uint64_t state = 7;
    for (int i = 0; i < 20000; i++) {
        uint32_t x = next_random(&state) >> (next_random(&state) & 31),
                 y = next_random(&state) >> (next_random(&state) & 31);
        compare(s, op, x, y);
        compare(s, op, 0u - x, y);
        compare(s, op, x, 0u - y);
        /* Near multiples, where a quotient that is off by one shows. */
        uint32_t q = next_random(&state) >> (next_random(&state) & 31);
        compare(s, op, q * y, y);
        compare(s, op, q * y - 1, y);
    }
    ir_shader_destroy(s);
}
END_TEST

START_TEST(whole_numbers_with_a_constant_are_exact) {
    enum ir_op op = whole_ops[_i];
    if (ir_op_info(op)->min_src < 2)
        return;
    static const uint32_t by[] = {1,   2,     3,        5,        8,          10,         100,       255,
                                  256, 65536, 16777216, 16777217, 0x80000000, 0xffffffff, 0xfffffffd};
    for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
        struct ir_shader *s = shader_of(op, 2, QPUCC_VERTEX, IR_HIGHP, &by[k]);
        for (size_t i = 0; i < EDGES; i++)
            compare(s, op, edges[i], by[k]);
        uint64_t state = 9;
        for (int i = 0; i < 500; i++)
            compare(s, op, next_random(&state) >> (next_random(&state) & 31), by[k]);
        ir_shader_destroy(s);
    }
}
END_TEST

START_TEST(mediump_whole_numbers_hold_their_range) {
    enum ir_op op = whole_ops[_i];
    struct ir_shader *s = shader_of(op, ir_op_info(op)->min_src, QPUCC_FRAGMENT, IR_MEDIUMP, NULL);
    for (int x = -1024; x <= 1024; x += 13)
        for (int y = -1024; y <= 1024; y += 7)
            compare(s, op, (uint32_t)x, (uint32_t)y);
    ir_shader_destroy(s);
}
END_TEST

/* A whole number of some width, made in one of the ways that lower_math knows bounds of. */
static struct ir_inst *bounded(struct ir_builder *b, uint64_t *state, int depth) {
    static const enum ir_op pairs[] = {IR_IAND, IR_IOR,  IR_IXOR, IR_UMAX,   IR_UMIN, IR_IADD,
                                       IR_IMIN, IR_IMAX, IR_UREM, IR_UMUL24, IR_IMUL, IR_ISUB};
    enum { PAIRS = sizeof pairs / sizeof *pairs };
    uint32_t kind = next_random(state) % (PAIRS + 5);
    if (depth == 0 || kind == PAIRS) {
        struct ir_inst *x = ir_emit(b, IR_INPUT, IR_I32, 0, NULL, next_random(state) % 2, 0);
        struct ir_inst *mask = ir_const_i(b, 0xffffffffu >> next_random(state) % 32);
        return next_random(state) % 8 ? ir_op2(b, IR_IAND, x, mask) : mask;
    }
    struct ir_inst *x = bounded(b, state, depth - 1), *y = bounded(b, state, depth - 1);
    if (kind < PAIRS && pairs[kind] == IR_UREM)
        y = ir_op2(b, IR_IOR, y, ir_const_i(b, 1));
    if (kind < PAIRS)
        return ir_op2(b, pairs[kind], x, y);
    if (kind == PAIRS + 1)
        return ir_op3(b, IR_SELECT, ir_op2(b, IR_ULT, x, y), y, bounded(b, state, depth - 1));
    if (kind == PAIRS + 2)
        return ir_op1(b, IR_B2I, ir_op2(b, IR_ULT, x, y));
    return ir_op2(b, kind == PAIRS + 3 ? IR_USHR : IR_ISHL, x, ir_const_i(b, next_random(state) % 32));
}

/* What is left out of a product because an operand is known to be short has to be zero in every case. */
START_TEST(short_operands_are_short) {
    uint64_t state = 1000 + (uint64_t)_i;
    static struct interp in;
    char error[200];
    for (int round = 0; round < 100; round++) {
        struct ir_shader *s = ir_shader_create(NULL, QPUCC_VERTEX);
        struct ir_symbol *input = ir_add_symbol(s, &s->inputs, "x");
        input->base = IR_BASE_INT, input->rows = 2, input->cols = 1, s->inputs.words = 2;
        struct ir_symbol *out = ir_add_symbol(s, &s->outputs, "y");
        out->rows = 2, out->cols = 1, s->outputs.words = 2;
        struct ir_builder b = ir_builder_at_end(s->blocks[0]);
        struct ir_inst *x = bounded(&b, &state, 3), *y = bounded(&b, &state, 3);
        struct ir_inst *made[2] = {ir_op2(&b, IR_IMUL, x, y), ir_op1(&b, IR_U2F, x)};
        for (uint32_t k = 0; k < 2; k++)
            ir_emit(&b, IR_OUTPUT, IR_VOID, 1, &made[k], k, 0);
        ir_end(&b);
        ir_cfg_update(s);
        struct ir_shader *lowered = ir_shader_clone(s);
        struct pass_options options = {0};
        pass_lower_math(lowered, &options);
        for (int k = 0; k < 40; k++) {
            uint32_t want[2];
            for (int w = 0; w < 2; w++)
                in.input[w] = k < 8 ? 0u - (uint32_t)(k >> w & 1) : next_random(&state);
            in.machine = false;
            ck_assert_msg(interp_run(s, &in, 10, error, sizeof error), "%s", error);
            memcpy(want, in.output, sizeof want);
            in.machine = true;
            ck_assert_msg(interp_run(lowered, &in, 10, error, sizeof error), "%s", error);
            ck_assert_msg(in.output[0] == want[0], "round %d: product 0x%x, not 0x%x", round, in.output[0],
                          want[0]);
            float got = ir_bits_to_float(in.output[1]), ideal = ir_bits_to_float(want[1]);
            ck_assert_msg(fabsf(got - ideal) <= ideal * 0x1p-22f, "round %d: %.9g, not %.9g", round, got,
                          ideal);
        }
        ir_shader_destroy(lowered);
        ir_shader_destroy(s);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("numeric");
    TCase *t = tcase_create("lower_math");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, limits_come_out_right);
    tcase_add_test(t, whole_quotients_do_not_fall_short);
    tcase_add_test(t, whole_powers_of_two_are_exact);
    tcase_add_loop_test(t, mod_by_constant_wraps_at_multiples, 0, 9);
    tcase_add_test(t, mod_of_whole_numbers_is_exact);
    tcase_add_loop_test(t, whole_numbers_are_exact, 0, WHOLE);
    tcase_add_loop_test(t, whole_numbers_with_a_constant_are_exact, 0, WHOLE);
    tcase_add_loop_test(t, short_operands_are_short, 0, 8);
    tcase_add_loop_test(t, mediump_whole_numbers_hold_their_range, 0, WHOLE);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
