/* Chip profiles: their text, what code they give, who carries them. */
#include <qpucc/qpucc.h>

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char vertex[] = "attribute vec4 at; uniform mat4 m; varying vec2 n;\n"
                             "void main() { n = at.xy; gl_Position = m * at; }\n";
static const char fragment[] = "precision mediump float; uniform sampler2D s; varying vec2 n;\n"
                               "void main() { gl_FragColor = texture2D(s, n); }\n";

/* A pair whose vertex shader is shorter where rows may fall, and so small that this does not depend on what
 * the scheduler happens to find. */
static const char small_vertex[] = "attribute vec3 at; varying vec2 n;\n"
                                   "void main() { gl_Position = vec4(at, 1.0); n = at.xy * 0.5 + 0.5; }\n";
static const char small_fragment[] = "precision mediump float; uniform sampler2D s; varying vec2 n;\n"
                                     "void main() { gl_FragColor = texture2D(s, n); }\n";

static qpucc_program *compile_pair(const char *vertex_text, const char *fragment_text,
                                   const struct qpucc_chip *chip) {
    const struct qpucc_source sources[] = {
        {"a.vert", vertex_text, strlen(vertex_text), QPUCC_VERTEX, QPUCC_GLSL},
        {"a.frag", fragment_text, strlen(fragment_text), QPUCC_FRAGMENT, QPUCC_GLSL}};
    struct qpucc_options options = qpucc_options_default();
    options.chip = *chip;
    qpucc_program *program = qpucc_compile(sources, 2, NULL, &options);
    ck_assert_ptr_nonnull(program);
    return program;
}

static qpucc_program *compile(const struct qpucc_chip *chip) {
    return compile_pair(vertex, fragment, chip);
}

static bool same_chip(const qpucc_program *program, const struct qpucc_chip *chip) {
    struct qpucc_chip own = qpucc_program_chip(program);
    return !memcmp(&own, chip, sizeof own);
}

static size_t length_of(const qpucc_program *program, enum qpucc_stage stage) {
    size_t count;
    ck_assert_int_eq(qpucc_program_status(program), QPUCC_OK);
    ck_assert_ptr_nonnull(qpucc_program_code(program, stage, &count));
    return count;
}

static struct qpucc_chip parse(const char *text) {
    struct qpucc_chip chip;
    char message[200] = "?";
    ck_assert_msg(qpucc_chip_parse(text, strlen(text), &chip, message, sizeof message), "%s", message);
    ck_assert_str_eq(message, "");
    return chip;
}

START_TEST(grades_decide) {
    static const struct qpucc_chip shipped;
    struct qpucc_chip guide = qpucc_chip_guide();
    unsigned choices = 0;
    for (unsigned i = 0; i < QPUCC_ASSUMPTION_COUNT; i++) {
        enum qpucc_assumption row = (enum qpucc_assumption)i;
        const struct qpucc_assumption_row *r = qpucc_assumption_at(row);
        bool compiler = r->use == QPUCC_ASSUME_COMPILER, code = r->use == QPUCC_ASSUME_CODE;
        choices += compiler;
        ck_assert(qpucc_chip_relies_on(&shipped, row) ==
                  (code || (compiler && r->grade <= QPUCC_ASSUME_SOURCE)));
        ck_assert(qpucc_chip_relies_on(&guide, row) ==
                  (code || (compiler && r->grade <= QPUCC_ASSUME_GUIDE)));
    }
    ck_assert_uint_ge(choices, 2);
    ck_assert(!qpucc_chip_relies_on(&guide, QPUCC_ASSUMPTION_COUNT));
    ck_assert_str_eq(qpucc_chip_name(&shipped), "shipped");
    ck_assert_str_eq(qpucc_chip_name(&guide), "guide");
}
END_TEST

START_TEST(text_and_back) {
    char text[400];
    struct qpucc_chip chip = parse(
        "# a Pi 3\n\nqpucc-chip-profile 1\r\n  vpm_rows_fall \t agrees # fine\nend_receives_load untested\n"
        "log2_of_negative differs\nfadd_rounds_to_zero agrees");
    ck_assert_str_eq(qpucc_chip_name(&chip), "profile");
    ck_assert(qpucc_chip_relies_on(&chip, QPUCC_ASSUME_vpm_rows_fall));
    ck_assert(!qpucc_chip_relies_on(&chip, QPUCC_ASSUME_end_receives_load));
    ck_assert_uint_eq(qpucc_chip_text(&chip, text, sizeof text), strlen(text));
    ck_assert_str_eq(text, "qpucc-chip-profile 1\nvpm_rows_fall agrees\n");
    struct qpucc_chip again = parse(text);
    ck_assert(!memcmp(&again, &chip, sizeof chip));
    /* cut off, but terminated; its length all the same */
    char small[30];
    ck_assert_uint_eq(qpucc_chip_text(&chip, small, sizeof small), strlen(text));
    ck_assert(!strncmp(small, text, 29) && !small[29]);
    ck_assert_uint_eq(qpucc_chip_text(&chip, NULL, 0), strlen(text));
    chip = parse("qpucc-chip-profile 1\nvpm_rows_fall differs\nend_receives_load unreachable\n");
    ck_assert_str_eq(qpucc_chip_name(&chip), "shipped");
}
END_TEST

static const struct {
    const char *text, *message;
} wrong[] = {
    {"", "line 1: a chip profile begins with the line \"qpucc-chip-profile 1\""},
    {"# nothing\n", "line 1: a chip profile begins with the line \"qpucc-chip-profile 1\""},
    {"qpucc-chip-profile 2\n", "line 1: a chip profile begins with the line \"qpucc-chip-profile 1\""},
    {"qpucc-chip-profile 1\n\nno_such agrees\n", "line 3: no assumption is called \"no_such\""},
    {"qpucc-chip-profile 1\nvpm_rows_fall\n",
     "line 2: \"agrees\", \"differs\", \"unreachable\" or \"untested\" follows a name"},
    {"qpucc-chip-profile 1\nvpm_rows_fall agrees differs\n",
     "line 2: \"agrees\", \"differs\", \"unreachable\" or \"untested\" follows a name"},
    {"qpucc-chip-profile 1\nvpm_rows_fall agrees\nvpm_rows_fall_vpm_rows_fall_vpm_rows_fall_vpm_rows_fall_"
     "vpm_rows_fall_vpm_rows_fall_vpm_rows_fall_vpm_rows_fall_vpm_rows_fall_vpm_rows_fall_vpm_rows_fall_x\n",
     "line 3: the line is too long"},
};

START_TEST(wrong_text_is_refused) {
    static const struct qpucc_chip shipped;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct qpucc_chip chip = qpucc_chip_guide();
        char message[200];
        ck_assert(!qpucc_chip_parse(wrong[i].text, strlen(wrong[i].text), &chip, message, sizeof message));
        ck_assert_str_eq(message, wrong[i].message);
        ck_assert(!memcmp(&chip, &shipped, sizeof chip));
        ck_assert(!qpucc_chip_parse(wrong[i].text, strlen(wrong[i].text), &chip, NULL, 0));
    }
    struct qpucc_chip chip;
    char message[200];
    ck_assert(!qpucc_chip_parse("qpucc-chip-profile 1\nvpm\0rows_fall agrees\n", 43, &chip, message,
                                sizeof message));
    ck_assert_str_eq(message, "line 2: no assumption is called \"vpm?rows_fall\"");
}
END_TEST

/* Each row that code may do without changes code, and nobody loses the profile. */
START_TEST(programs_carry_it) {
    static const struct qpucc_chip shipped;
    const struct qpucc_chip chips[] = {shipped, qpucc_chip_guide(),
                                       parse("qpucc-chip-profile 1\nvpm_rows_fall agrees\n"),
                                       parse("qpucc-chip-profile 1\nend_receives_load agrees\n")};
    size_t length[4][2];
    for (int k = 0; k < 4; k++) {
        qpucc_program *program = compile(&chips[k]), *variant, *loaded;
        ck_assert(same_chip(program, &chips[k]));
        qpucc_program *small = compile_pair(small_vertex, small_fragment, &chips[k]);
        length[k][0] = length_of(small, QPUCC_VERTEX);
        qpucc_program_free(small);
        length[k][1] = length_of(program, QPUCC_FRAGMENT);
        struct qpucc_state state = {.depth_test = true};
        variant = qpucc_variant(program, &state);
        ck_assert_ptr_nonnull(variant);
        ck_assert(same_chip(variant, &chips[k]));
        for (int with_ir = 0; with_ir < 2; with_ir++) {
            uint32_t parts = with_ir ? QPUCC_SAVE_IR : 0;
            size_t size = qpucc_program_save(program, parts, NULL, 0);
            void *bytes = malloc(size);
            ck_assert(bytes && qpucc_program_save(program, parts, bytes, size) == size);
            loaded = qpucc_program_load(bytes, size);
            ck_assert_int_eq(qpucc_program_status(loaded), QPUCC_OK);
            ck_assert(same_chip(loaded, &chips[k]));
            free(bytes);
            if (with_ir) { /* its variant has the same code */
                qpucc_program *other = qpucc_variant(loaded, &state);
                ck_assert(same_chip(other, &chips[k]));
                for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
                    size_t a, b;
                    const uint64_t *x = qpucc_program_code(variant, (enum qpucc_stage)s, &a);
                    const uint64_t *y = qpucc_program_code(other, (enum qpucc_stage)s, &b);
                    ck_assert(a == b && !memcmp(x, y, a * sizeof *x));
                }
                qpucc_program_free(other);
            }
            qpucc_program_free(loaded);
        }
        qpucc_program_free(variant);
        qpucc_program_free(program);
    }
    ck_assert_uint_lt(length[1][0], length[0][0]); /* rows that fall are worth something here */
    ck_assert_uint_lt(length[1][1], length[0][1]); /* and so are loads at the end */
    ck_assert_uint_eq(length[2][0], length[1][0]);
    ck_assert_uint_eq(length[2][1], length[0][1]);
    ck_assert_uint_eq(length[3][0], length[0][0]);
    ck_assert_uint_eq(length[3][1], length[1][1]);
}
END_TEST

START_TEST(code_is_checked) {
    static const struct qpucc_chip shipped;
    struct qpucc_chip guide = qpucc_chip_guide();
    struct qpucc_rule_violation found[4];
    size_t count;
    qpucc_program *program = compile(&guide);
    const uint64_t *code = qpucc_program_code(program, QPUCC_FRAGMENT, &count);
    ck_assert_uint_eq(qpucc_check_chip(code, count, QPUCC_FRAGMENT, &guide, found, 4), 0);
    ck_assert_uint_eq(qpucc_check_chip(code, count, QPUCC_FRAGMENT, &shipped, found, 4), 1);
    ck_assert_str_eq(found[0].rule, "chip-end-receives");
    ck_assert_uint_eq(qpucc_check_chip(code, count, QPUCC_FRAGMENT, &shipped, NULL, 0), 1);
    qpucc_program_free(program);
}
END_TEST

START_TEST(what_code_cannot_do_without_is_warned_of) {
    struct qpucc_chip chip = parse("qpucc-chip-profile 1\nfadd_rounds_to_zero differs\n");
    ck_assert(!qpucc_chip_relies_on(&chip, QPUCC_ASSUME_fadd_rounds_to_zero));
    qpucc_program *program = compile(&chip);
    ck_assert_int_eq(qpucc_program_status(program), QPUCC_OK);
    ck_assert_uint_eq(qpucc_program_diagnostic_count(program), 1);
    const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, 0);
    ck_assert_int_eq(d->severity, QPUCC_WARNING);
    ck_assert_str_eq(d->code, "chip");
    ck_assert_ptr_nonnull(strstr(d->text, "fadd_rounds_to_zero"));
    qpucc_program_free(program);
}
END_TEST

START_TEST(other_bits_are_refused) {
    for (int k = 0; k < 2; k++) {
        struct qpucc_chip chip = {{0}};
        unsigned row = k ? 8 * sizeof chip - 1 : QPUCC_ASSUME_log2_of_negative;
        chip.changed[row / 32] |= 1u << row % 32;
        qpucc_program *program = compile(&chip);
        ck_assert_int_eq(qpucc_program_status(program), QPUCC_SOURCE_ERROR);
        ck_assert_str_eq(qpucc_program_diagnostic(program, 0)->code, "usage");
        qpucc_program_free(program);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("chip");
    TCase *all = tcase_create("profiles");
    tcase_add_test(all, grades_decide);
    tcase_add_test(all, text_and_back);
    tcase_add_test(all, wrong_text_is_refused);
    tcase_add_test(all, programs_carry_it);
    tcase_add_test(all, code_is_checked);
    tcase_add_test(all, what_code_cannot_do_without_is_warned_of);
    tcase_add_test(all, other_bits_are_refused);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
