/* Packing: what comes back has the same text but for its numbers, and shaders of the same text pack alike. */
#include "ir/ir.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* Out of order on purpose: numbers that the order does not give, a slot within a slot, a loop, a branch, an
 * array of uniforms with values, source places that go back, hints. */
static const char text[] =
    "shader fragment discard\n"
    "file \"a.frag\"\n"
    "file \"b.glsl\"\n"
    "uniform \"u_a\" float 4x1 word 0 highp array 2 used @0:3:9\n"
    "uniform \"u_b\" float 1x1 word 8 mediump used initial 1065353216\n"
    "sampler \"s\" sampler2D 1x1 word 0 lowp used\n"
    "input \"v\" float 2x1 word 0 mediump used location 3 @1:2:1\n"
    "output \"gl_FragColor\" float 4x1 word 0 mediump used\n"
    "var \"x\" f32 3 mediump\n"
    "b0:\n"
    "  %9 = uniform.f32 expr(fmul, u[8], expr(fadd, u[1], #0x3f800000)) mediump @1:7:2\n"
    "  %4 = const.f32 0.25\n"
    "  jump b7\n"
    "b7: dont_unroll\n"
    "  %30 = phi.f32 b0 %9, b3 %12 mediump\n"
    "  %11 = flt %30, %4 @0:5:6\n"
    "  branch %11, b3, b5 flatten @0:5:3\n"
    "b3:\n"
    "  %12 = fadd %30, %9 exact @0:4:6\n"
    "  store v0[2], %12\n"
    "  jump b7\n"
    "b5:\n"
    "  %14 = input.f32 0\n"
    "  %15 = uniform.f32 u[1]\n"
    "  %16 = tex s0, %14, %15 mediump\n"
    "  output 0, %4\n"
    "  end\n";

static struct ir_shader *parse(const char *from) {
    char error[200] = "";
    struct ir_shader *shader = ir_parse(from, strlen(from), error, sizeof error);
    ck_assert_msg(shader != NULL, "%s", error);
    return shader;
}

START_TEST(comes_back) {
    struct ir_shader *shader = parse(text);
    struct ir_packed *packed = ir_pack(shader, NULL);
    struct ir_shader *back = ir_unpack(packed, shader->arena);
    char error[200] = "";
    ck_assert_msg(ir_verify(back, error, sizeof error), "%s", error);
    ck_assert_uint_eq(back->ninsts, shader->ninsts);
    ck_assert_mem_eq(back->nops, shader->nops, sizeof back->nops);
    ck_assert_uint_eq(back->next_id, back->ninsts);
    ck_assert_uint_eq(back->nslots, 5);
    struct ir_packed *again = ir_pack(back, NULL);
    ck_assert(ir_packed_equal(packed, again));
    char *printed = ir_print_to_string(back);
    ck_assert_ptr_nonnull(
        strstr(printed, "%0 = uniform.f32 expr(fmul, u[8], expr(fadd, u[1], #0x3f800000)) mediump @1:7:2\n"));
    ck_assert_ptr_nonnull(strstr(printed, "%3 = phi.f32 b0 %0, b2 %6 mediump\n"));
    ck_assert_ptr_nonnull(strstr(printed, "%6 = fadd %3, %0 exact @0:4:6\n"));
    ck_assert_ptr_nonnull(
        strstr(printed, "uniform \"u_b\" float 1x1 word 8 mediump used initial 1065353216\n"));
    free(printed);
    ir_packed_free(again);
    ir_packed_free(packed);
    ir_shader_destroy(back);
    ir_shader_destroy(shader);
}
END_TEST

/* Slots that nothing reads, or that were made in another order, are gone. */
START_TEST(text_decides) {
    struct ir_shader *shader = parse(text);
    char *printed = ir_print_to_string(shader);
    struct ir_shader *other = parse(printed), *noisy = parse(text);
    for (uint32_t k = 0; k < 5; k++)
        ir_slot_const(noisy, IR_F32, 1000 + k);
    noisy->next_id += 100;
    struct ir_packed *a = ir_pack(shader, NULL), *b = ir_pack(other, NULL), *c = ir_pack(noisy, NULL);
    ck_assert(ir_packed_equal(a, b));
    ck_assert(ir_packed_equal(a, c));
    ck_assert_uint_lt(ir_packed_bytes(a), 500);
    free(printed);
    ir_packed_free(a);
    ir_packed_free(b);
    ir_packed_free(c);
    ir_shader_destroy(shader);
    ir_shader_destroy(other);
    ir_shader_destroy(noisy);
}
END_TEST

/* What the text does not have: labels. */
START_TEST(keeps_labels) {
    struct ir_shader *shader = parse(text);
    uint16_t label = ir_add_labels(shader, "glow", 4, 4, 1);
    shader->blocks[3]->first->label = (uint16_t)(label + 2);
    shader->vars[0].label = label;
    struct ir_packed *packed = ir_pack(shader, NULL);
    struct ir_shader *back = ir_unpack(packed, shader->arena);
    char name[20];
    ir_label_text(back, back->blocks[3]->first->label, name, sizeof name);
    ck_assert_str_eq(name, "glow.z");
    ck_assert_uint_eq(back->vars[0].label, label);
    ir_packed_free(packed);
    ir_shader_destroy(back);
    ir_shader_destroy(shader);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("pack");
    TCase *t = tcase_create("pack");
    tcase_add_test(t, comes_back);
    tcase_add_test(t, text_decides);
    tcase_add_test(t, keeps_labels);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
