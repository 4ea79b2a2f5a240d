/* The columns of ops.def against what the operations do, and against lists that were made from the hardware's
 * and the languages' documents and not from the table. */
#include "ir/ir.h"
#include "passes/eval.h"
#include "passes/passes.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 2000 };

static uint32_t state;

static uint32_t draw(void) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

/* Numbers as programs have them, and now and then any bits. */
static uint32_t value_of(char kind) {
    uint32_t pick = draw() % 4, bits = draw();
    if (kind == 'b')
        return bits & 1;
    if (kind == 'f')
        return pick == 0 ? ir_float_to_bits((float)(int32_t)(bits % 17) - 8)
                         : ir_float_to_bits(((float)(bits % 4096) - 2048) / 512.0f);
    return pick == 0 ? bits : bits % 32;
}

static char kind_of(const struct ir_op_info *info, uint32_t k) {
    const char *kinds = info->sources;
    while (*kinds == '(')
        kinds++;
    return k < strlen(kinds) ? kinds[k] : '-';
}

static void fill(const struct ir_op_info *info, uint32_t s[4]) {
    for (uint32_t k = 0; k < 4; k++)
        s[k] = value_of(kind_of(info, k) == '*' ? 'f' : kind_of(info, k));
}

/* What may be folded has a value, at least for some operands; what may not has none for any. */
START_TEST(folding) {
    const struct ir_op_info *info = ir_op_info((enum ir_op)_i);
    uint32_t evaluated = 0;
    state = 88172645u + (uint32_t)_i;
    for (int n = 0; n < TRIES; n++) {
        uint32_t s[4], result;
        fill(info, s);
        for (uint32_t count = 1; count <= 4; count++)
            evaluated += count == info->min_src && ir_eval((enum ir_op)_i, 0, s, count, &result);
    }
    ck_assert_msg((evaluated > 0) == info->folds, "%s: folds is %d, %u of %d evaluated", info->text,
                  info->folds, evaluated, TRIES);
    ck_assert(!info->folds || info->pure);
}
END_TEST

/* Operands swapped give the same where the table says so, and something else at least once where it does not.
 * */
START_TEST(commuting) {
    const struct ir_op_info *info = ir_op_info((enum ir_op)_i);
    uint32_t differ = 0, compared = 0;
    state = 2463534242u + (uint32_t)_i;
    if (!info->folds || info->min_src != 2 || kind_of(info, 0) != kind_of(info, 1))
        ck_assert_msg(!info->commutes, "%s", info->text);
    else {
        for (int n = 0; n < TRIES; n++) {
            uint32_t s[4], x = 0, y = 0;
            fill(info, s);
            bool first = ir_eval((enum ir_op)_i, 0, s, 2, &x);
            uint32_t swapped[4] = {s[1], s[0]};
            if (!first || !ir_eval((enum ir_op)_i, 0, swapped, 2, &y))
                continue;
            compared++;
            differ += x != y;
        }
        ck_assert_msg(compared > TRIES / 4, "%s: %u compared", info->text, compared);
        ck_assert_msg((differ == 0) == info->commutes, "%s: %u of %u differ", info->text, differ, compared);
    }
}
END_TEST

/* A driver's uniform may be a NaN: it is one component's business, and equal to nothing. */
START_TEST(not_a_number) {
    const uint32_t nan = 0x7fc00000, one = 0x3f800000;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t s[4] = {one, one, one, one}, packed = 0;
        s[k] = nan;
        ck_assert(ir_eval(IR_PACK_COLOR, 0, s, 4, &packed));
        ck_assert_uint_eq(packed, ~(255u << 8 * k));
    }
    for (uint32_t k = 0; k < 3; k++) {
        static const enum ir_op never[] = {IR_FEQ, IR_FLT, IR_FGE};
        uint32_t s[2] = {k == 1 ? one : nan, k == 2 ? one : nan}, holds = 2;
        for (size_t n = 0; n < sizeof never / sizeof *never; n++)
            ck_assert(ir_eval(never[n], 0, s, 2, &holds) && holds == 0);
        ck_assert(ir_eval(IR_FNE, 0, s, 2, &holds) && holds == 1);
        ck_assert(!ir_eval(IR_FADD, 0, s, 2, &holds));
    }
}
END_TEST

/* Whole numbers are whole; any other float result is not, at least once. */
START_TEST(whole) {
    const struct ir_op_info *info = ir_op_info((enum ir_op)_i);
    uint32_t fractions = 0;
    state = 123456789u + (uint32_t)_i;
    for (int n = 0; n < TRIES && info->folds && info->result[0] == 'f'; n++) {
        uint32_t s[4], result;
        fill(info, s);
        if (!ir_eval((enum ir_op)_i, 0, s, info->min_src, &result))
            continue;
        float f = ir_bits_to_float(result);
        fractions += isfinite(f) && f != floorf(f);
    }
    if (info->result[0] == 'f' && info->folds)
        ck_assert_msg((fractions == 0) == info->whole, "%s: %u fractions", info->text, fractions);
    else
        ck_assert_msg(!info->whole, "%s", info->text);
}
END_TEST

/* lower_math replaces what is of class FUNCTION and nothing else. */
START_TEST(functions) {
    const struct ir_op_info *info = ir_op_info((enum ir_op)_i);
    if (!info->folds || info->imm != IR_IMM_NONE)
        return;
    struct ir_shader *s = ir_shader_create(NULL, QPUCC_FRAGMENT);
    s->lowered = true;
    struct ir_builder b = ir_builder_at_end(s->blocks[0]);
    struct ir_inst *src[4];
    for (uint32_t k = 0; k < info->min_src; k++) {
        char kind = kind_of(info, k);
        enum ir_type type = kind == 'b' ? IR_BOOL : kind == 'i' ? IR_I32 : IR_F32;
        uint32_t slot =
            ir_slot(s, (struct ir_slot){.kind = IR_SLOT_UNIFORM, .type = (uint8_t)type, .value = k});
        src[k] = ir_uniform(&b, type, slot);
    }
    enum ir_type type = info->result[0] == 'b' ? IR_BOOL : info->result[0] == 'i' ? IR_I32 : IR_F32;
    struct ir_inst *inst = ir_emit(&b, (enum ir_op)_i, type, info->min_src, src, 0, 0);
    ir_end(&b);
    pass_lower_math(s, &(struct pass_options){.level = 2});
    ck_assert_msg((inst->block == NULL) == (info->cls == IR_CLASS_FUNCTION), "%s", info->text);
    ir_shader_destroy(s);
}
END_TEST

static bool listed(const enum ir_op *list, size_t count, int op) {
    for (size_t i = 0; i < count; i++)
        if ((int)list[i] == op)
            return true;
    return false;
}
#define LISTED(op, ...)                                                                                      \
    listed((const enum ir_op[]){__VA_ARGS__}, sizeof((enum ir_op[]){__VA_ARGS__}) / sizeof(enum ir_op), op)

/* What has a result: where lanes can come to differ although all sources are the same in them. */
START_TEST(divergence) {
    const struct ir_op_info *info = ir_op_info((enum ir_op)_i);
    bool by_itself =
        LISTED(_i, IR_FRAG_X, IR_FRAG_Y, IR_FRAG_Z, IR_FRAG_W, IR_FRAG_MASK, /* each lane a pixel */
               IR_FRAG_REV,                                                  /* of more than one triangle */
               IR_VARY, IR_INPUT, IR_BUILTIN,                                /* interpolated */
               IR_ATTR,                                                      /* each lane a vertex */
               IR_TLB_READ,                                                  /* each lane a pixel */
               IR_TEX, IR_UNIFORM_AT, IR_BUFFER_AT, /* memory: not asked what its words are */
               IR_VAR_LOAD);                        /* what stores under divergent flow left */
    if (info->result[0] != '-')
        ck_assert_msg(info->diverges == by_itself, "%s", info->text);
    else if (!info->terminator)
        ck_assert_msg(info->diverges, "%s has no result and states one", info->text);
}
END_TEST

/* Which may not be moved, merged or executed in vain; which look at other lanes; which can be had again
 * anywhere. */
START_TEST(effects) {
    const struct ir_op_info *info = ir_op_info((enum ir_op)_i);
    bool fifo = LISTED(_i, IR_VARY, IR_ATTR, IR_TLB_READ); /* each read takes the next one out */
    bool writes = info->result[0] == '-';
    ck_assert_msg(info->effect == (fifo || writes), "%s", info->text);
    ck_assert_msg(info->pure == !(fifo || writes || _i == IR_VAR_LOAD), "%s", info->text);
    if (info->pure)
        ck_assert_msg(info->gathers == LISTED(_i, IR_DDX, IR_DDY, IR_TEX), "%s", info->text);
    bool remat = LISTED(_i, IR_CONST, IR_UNDEF, IR_UNIFORM,               /* in the stream of every block */
                        IR_FRAG_X, IR_FRAG_Y, IR_FRAG_MASK, IR_FRAG_REV); /* read ports that stay */
    ck_assert_msg(info->remat == remat, "%s", info->text);
    ck_assert_msg(!info->remat || (info->operand && info->lazy && info->pure), "%s", info->text);
    ck_assert_msg(!info->lazy || info->pure, "%s", info->text);
    ck_assert_msg(info->terminator == LISTED(_i, IR_JUMP, IR_BRANCH, IR_END), "%s", info->text);
    ck_assert_msg(info->cls != IR_CLASS_UNKNOWN && info->where, "%s", info->text);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("ir ops");
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 0);
    tcase_add_loop_test(c, folding, 0, IR_UNSTATED);
    tcase_add_loop_test(c, commuting, 0, IR_UNSTATED);
    tcase_add_test(c, not_a_number);
    tcase_add_loop_test(c, whole, 0, IR_UNSTATED);
    tcase_add_loop_test(c, functions, 0, IR_UNSTATED);
    tcase_add_loop_test(c, divergence, 0, IR_UNSTATED);
    tcase_add_loop_test(c, effects, 0, IR_UNSTATED);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
