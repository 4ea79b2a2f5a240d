/* Keys that are valid but not for every shader, and contradictions: each is refused by name. */
#include <check.h>
#include <qpucc/qpucc.h>
#include <string.h>

static const char vertex[] =
    "attribute vec4 a; varying vec4 v[8];\n"
    "void main() { gl_Position = a; for (int i = 0; i < 8; i++) v[i] = sin(a * float(i + 1)); }\n";

static void expect(const char *fragment, struct qpucc_state state, enum qpucc_status status,
                   const char *word) {
    struct qpucc_source sources[2] = {{"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    qpucc_program *program = qpucc_compile(sources, 2, &state, NULL);
    ck_assert_ptr_nonnull(program);
    ck_assert_int_eq(qpucc_program_status(program), status);
    if (status != QPUCC_OK) {
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, 0);
        ck_assert_str_eq(d->code, "state");
        ck_assert_msg(strstr(d->text, word) != NULL, "%s", d->text);
        ck_assert_ptr_null(qpucc_program_code(program, QPUCC_FRAGMENT, NULL));
    }
    qpucc_program_free(program);
}

#define PLAIN "precision highp float; varying vec4 v[8];\n"
static const char all[] =
    PLAIN "void main() { vec4 s = vec4(0.0);\n"
          "for (int i = 0; i < 8; i++) s += v[i] * v[7 - i].yzwx; gl_FragColor = s; }\n";
static const char one[] = PLAIN "void main() { gl_FragColor = v[0]; }\n";
static const char fetch[] = "#extension GL_EXT_shader_framebuffer_fetch : require\n" PLAIN
                            "void main() { gl_FragColor = gl_LastFragData[0] * 0.5 + v[0]; }\n";

START_TEST(varyings) {
    expect(all, (struct qpucc_state){.fog = QPUCC_FOG_EXP}, QPUCC_OK, "");
    expect(all, (struct qpucc_state){.fog = QPUCC_FOG_EXP, .fog_per_vertex = 1}, QPUCC_DOES_NOT_FIT, "fog");
    expect(one, (struct qpucc_state){.fog = QPUCC_FOG_EXP, .fog_per_vertex = 1}, QPUCC_OK, "");
    struct qpucc_state lines = {.primitive = QPUCC_LINES, .line_stipple = 1};
    expect(all, lines, QPUCC_DOES_NOT_FIT, "line_stipple");
}
END_TEST

START_TEST(framebuffer) {
    expect(fetch, (struct qpucc_state){.target = QPUCC_TARGET_ARGB8888}, QPUCC_OK, "");
    expect(fetch, (struct qpucc_state){.multisample = 1}, QPUCC_DOES_NOT_FIT, "multisample");
    expect(fetch, (struct qpucc_state){.target = QPUCC_TARGET_RGBA16F}, QPUCC_DOES_NOT_FIT, "RGBA16F");
}
END_TEST

START_TEST(contradictions) {
    static const struct {
        struct qpucc_state state;
        const char *word;
    } cases[] = {
        {{.line_smooth = 1}, "line_smooth"},
        {{.line_stipple = 1}, "line_stipple"},
        {{.fog = 1, .fog_source = QPUCC_FOG_DEPTH, .fog_per_vertex = 1}, "fog_per_vertex"},
        {{.alpha_to_coverage = 1}, "alpha_to_coverage"},
        {{.alpha_to_one = 1}, "alpha_to_one"},
        {{.sample_mask = 1}, "sample_mask"},
        {{.stencil_masks = 1}, "stencil_masks"},
        {{.blend = {1, QPUCC_BLEND_SCREEN, 0, 0, 0, 0, 0}}, "blend.alpha_equation"},
        {{.blend = {.enable = 1}, .logic_op = QPUCC_LOGIC_XOR}, "logic_op"},
        {{.logic_op = QPUCC_LOGIC_XOR, .srgb_write = 1}, "logic_op"},
        {{.srgb_write = 1, .target = QPUCC_TARGET_RGBA16F}, "srgb_write"},
        {{.blend = {.rgb_source = QPUCC_FACTOR_COUNT}}, "blend.rgb_source"},
        {{.keep_channels = 16}, "keep_channels"},
        {{.target = QPUCC_TARGET_COUNT}, "target"},
    };
    expect(one, cases[_i].state, QPUCC_SOURCE_ERROR, cases[_i].word);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("refusals");
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 0);
    tcase_add_test(c, varyings);
    tcase_add_test(c, framebuffer);
    tcase_add_loop_test(c, contradictions, 0, 14);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
