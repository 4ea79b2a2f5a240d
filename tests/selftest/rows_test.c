/* Rows of the self-test mean what they say: they draw every word, operands arrive where bodies expect them,
 * and what the machine makes of a few of them is what the host computes. */
#include "tools/selftest/run.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct device *machine;

static void set_up(void) {
    machine = device_machine(0);
    ck_assert_ptr_nonnull(machine);
}

static void tear_down(void) {
    device_close(machine);
}

static const struct row *find(const char *name) {
    for (size_t s = 0; s < row_section_count; s++) {
        for (size_t n = 0; n < row_sections[s]->count; n++) {
            if (!strcmp(row_sections[s]->rows[n].name, name)) {
                return &row_sections[s]->rows[n];
            }
        }
    }
    ck_abort_msg("no row %s", name);
    return NULL;
}

typedef uint32_t host_fn(uint32_t a, uint32_t b);

static uint32_t host_add(uint32_t a, uint32_t b) {
    return a + b;
}

static uint32_t host_fmul_zero(uint32_t a, uint32_t b) {
    (void)a;
    (void)b;
    return 0;
}

static uint32_t host_v8max(uint32_t a, uint32_t b) {
    uint32_t out = 0;
    for (unsigned byte = 0; byte < 32; byte += 8) {
        uint32_t x = a >> byte & 255, y = b >> byte & 255;
        out |= (x > y ? x : y) << byte;
    }
    return out;
}

static void draw_row(struct frame *f, const char *name, uint8_t *results[FRAME_MOST_OBJECTS]) {
    char error[FRAME_TEXT];
    const struct row *row = find(name);
    frame_init(f);
    row->build(f, row);
    ck_assert_str_eq(f->error, "");
    ck_assert_msg(device_run(machine, f, results, error) == DEVICE_DONE, "%s: %s", name, error);
}

static void forget(struct frame *f, uint8_t *results[FRAME_MOST_OBJECTS]) {
    for (unsigned n = 0; n < f->object_count; n++) {
        free(results[n]);
    }
    frame_free(f);
}

static struct frame frame; /* large */

static void check_against(const char *name, host_fn *host) {
    struct frame *f = &frame;
    uint8_t *results[FRAME_MOST_OBJECTS];
    draw_row(f, name, results);
    const uint32_t *words = (const uint32_t *)(const void *)results[f->args.color_write.hindex];
    unsigned across = f->args.width / FRAME_TILE;
    for (unsigned n = 0; n < f->operand_count; n++) {
        unsigned tile = n / OPERANDS_BLOCK, place = n % OPERANDS_BLOCK;
        unsigned x = tile % across * FRAME_TILE + place % FRAME_TILE,
                 y = tile / across * FRAME_TILE + place / FRAME_TILE;
        uint32_t a = f->operands[0][n], b = f->operands[1][n];
        ck_assert_msg(words[y * f->args.width + x] == host(a, b), "%s: pair %u, 0x%08x and 0x%08x: 0x%08x",
                      name, n, a, b, words[y * f->args.width + x]);
    }
    forget(f, results);
}

START_TEST(values) {
    check_against("alu.add", host_add);
    check_against("alu.fmul.zero", host_fmul_zero);
    check_against("alu.v8max", host_v8max);
}
END_TEST

/* The data words of sixteen vertices reach the rows of their points. */
START_TEST(vertices) {
    enum { WORDS = 11, FIRST = 7, SHOWN = 4 };
    uint8_t *results[FRAME_MOST_OBJECTS];
    draw_row(&frame, "vpm.read", results);
    const uint32_t *words = (const uint32_t *)(const void *)results[frame.args.color_write.hindex],
                   *data = NULL;
    for (unsigned n = 0; n < frame.object_count; n++) {
        if (!strcmp(frame.objects[n].name, "vertices")) {
            data = (const uint32_t *)(const void *)frame.objects[n].bytes;
        }
    }
    ck_assert_ptr_nonnull(data);
    for (unsigned v = 0; v < 16; v++) {
        for (unsigned k = 0; k < 16; k++) {
            uint32_t expected = k < SHOWN ? data[v * WORDS + FIRST + k] : 0;
            ck_assert_uint_eq(words[(v / 4 * 16 + k) * FRAME_TILE + v % 4 * 16 + 5], expected);
        }
    }
    forget(&frame, results);
}
END_TEST

/* Names are unique and begin with their section; no two operands of a set are the same pair all over. */
START_TEST(names) {
    for (size_t s = 0; s < row_section_count; s++) {
        const struct row_section *section = row_sections[s];
        size_t length = strlen(section->name);
        for (size_t n = 0; n < section->count; n++) {
            const char *name = section->rows[n].name;
            ck_assert_msg(!strncmp(name, section->name, length) && name[length] == '.', "%s", name);
            for (size_t m = 0; m < n; m++) {
                ck_assert_str_ne(name, section->rows[m].name);
            }
        }
    }
    for (unsigned set = 0; set < OPERANDS_COUNT; set++) {
        uint32_t first[2], pair[2];
        unsigned differ = 0;
        operand_sets[set].make(0, &first[0], &first[1]);
        for (uint32_t n = 1; n < OPERANDS_BLOCK; n++) {
            operand_sets[set].make(n, &pair[0], &pair[1]);
            differ += memcmp(first, pair, sizeof pair) != 0;
        }
        ck_assert_msg(differ > OPERANDS_BLOCK / 2, "%s", operand_sets[set].name);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("selftest_rows");
    TCase *t = tcase_create("rows");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, values);
    tcase_add_test(t, vertices);
    tcase_add_test(t, names);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
