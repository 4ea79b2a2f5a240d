/* The GL shader state record: layout, limits, and records of a real driver with the shaders they name. */
#include "backend/isa/record.h"
#include "corpus.h"
#include "random.h"

#include <check.h>
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct qpu_shader_record example = {
    .fs_single_threaded = true,
    .clipping = true,
    .fs_varyings = 6,
    .fs_code = 0x11121314,
    .fs_uniforms = 0x21222324,
    .vertex = {.attribute_mask = 3, .attribute_bytes = 20, .code = 0x31323334, .uniforms = 0x41424344},
    .coordinate = {.uniform_count = 0x5152,
                   .attribute_mask = 1,
                   .attribute_bytes = 12,
                   .code = 0x61626364,
                   .uniforms = 0x71727374},
    .attribute_count = 2,
    .attributes = {{.address = 0x81828384, .size = 12, .stride = 20},
                   {.address = 0x91929394, .size = 256, .stride = 255, .vs_offset = 12, .cs_offset = 16}},
};

static const uint8_t example_bytes[52] = {
    0x05, 0x00, 0x00, 0x06, 0x14, 0x13, 0x12, 0x11, 0x24, 0x23, 0x22, 0x21, /* fragment */
    0x00, 0x00, 0x03, 0x14, 0x34, 0x33, 0x32, 0x31, 0x44, 0x43, 0x42, 0x41, /* vertex */
    0x52, 0x51, 0x01, 0x0c, 0x64, 0x63, 0x62, 0x61, 0x74, 0x73, 0x72, 0x71, /* coordinate */
    0x84, 0x83, 0x82, 0x81, 0x0b, 0x14, 0x00, 0x00,                         /* attribute 0 */
    0x94, 0x93, 0x92, 0x91, 0xff, 0xff, 0x0c, 0x10,                         /* attribute 1 */
};

START_TEST(layout) {
    uint8_t bytes[64];
    ck_assert_uint_eq(qpu_record_pack(&example, bytes, sizeof bytes), 52);
    ck_assert_mem_eq(bytes, example_bytes, 52);
    struct qpu_shader_record back;
    ck_assert(qpu_record_unpack(example_bytes, 52, 2, &back));
    ck_assert(back.fs_single_threaded && back.clipping && !back.point_size);
    ck_assert_uint_eq(back.fs_varyings, 6);
    ck_assert_uint_eq(back.coordinate.uniform_count, 0x5152);
    ck_assert_uint_eq(back.attributes[1].size, 256);
    ck_assert_uint_eq(back.attributes[1].cs_offset, 16);
}
END_TEST

START_TEST(limits) {
    uint8_t bytes[128];
    struct qpu_shader_record r = example;
    ck_assert_uint_eq(qpu_record_pack(&r, bytes, 51), 0);
    r.attributes[0].size = 0;
    ck_assert_uint_eq(qpu_record_pack(&r, bytes, sizeof bytes), 0);
    r.attributes[0].size = 257;
    ck_assert_uint_eq(qpu_record_pack(&r, bytes, sizeof bytes), 0);
    r.attributes[0].size = 1;
    ck_assert_uint_eq(qpu_record_pack(&r, bytes, sizeof bytes), 52);
    r.attribute_count = 9;
    ck_assert_uint_eq(qpu_record_pack(&r, bytes, sizeof bytes), 0);
    ck_assert(!qpu_record_unpack(example_bytes, 51, 2, &r));
    ck_assert(!qpu_record_unpack(bytes, sizeof bytes, 9, &r));
    ck_assert_uint_eq(qpu_record_size(8), 100);
}
END_TEST

START_TEST(any_bytes_survive) {
    uint64_t state = 5;
    for (int n = 0; n < 10000; n++) {
        uint8_t bytes[100], back[100];
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = (uint8_t)random_word(&state);
        }
        unsigned attributes = (unsigned)n % 9;
        size_t size = qpu_record_size(attributes);
        struct qpu_shader_record record;
        ck_assert(qpu_record_unpack(bytes, size, attributes, &record));
        ck_assert_uint_eq(qpu_record_pack(&record, back, sizeof back), size);
        ck_assert_mem_eq(bytes, back, size);
    }
}
END_TEST

/* An extended record has its strides after the eight arrays. */
START_TEST(extended_layout) {
    uint8_t bytes[QPU_RECORD_EXTENDED_SIZE], expected[QPU_RECORD_EXTENDED_SIZE] = {0};
    struct qpu_shader_record r = example, back;
    r.extended = true;
    r.attributes[0].stride = 0x2abcdef;
    r.attributes[1].stride = 300;
    memcpy(expected, example_bytes, sizeof example_bytes);
    expected[41] = 0xef, expected[49] = 0x2c; /* their low bytes, for Linux */
    memcpy(expected + 100, "\xef\xcd\xab\x02\x2c\x01", 6);
    ck_assert_uint_eq(qpu_record_pack(&r, bytes, sizeof bytes), sizeof bytes);
    ck_assert_mem_eq(bytes, expected, sizeof bytes);
    ck_assert(qpu_record_unpack_extended(bytes, sizeof bytes, &back));
    ck_assert(back.extended);
    ck_assert_uint_eq(back.attribute_count, 8);
    ck_assert_uint_eq(back.attributes[0].stride, 0x2abcdef);
    ck_assert_uint_eq(back.attributes[1].stride, 300);
    ck_assert(!qpu_record_unpack_extended(bytes, sizeof bytes - 1, &back));
    ck_assert_uint_eq(qpu_record_pack(&r, bytes, sizeof bytes - 1), 0);
    r.attributes[0].stride = 1 << 26;
    ck_assert_uint_eq(qpu_record_pack(&r, bytes, sizeof bytes), 0);
    r.extended = false;
    r.attributes[0].stride = 256;
    ck_assert_uint_eq(qpu_record_pack(&r, bytes, sizeof bytes), 0);
}
END_TEST

/* Table 46. */
START_TEST(nv_layout) {
    static const uint8_t expected[16] = {0x0b, 0x2c, 0x07, 0x06, 0x14, 0x13, 0x12, 0x11,
                                         0x24, 0x23, 0x22, 0x21, 0x30, 0x33, 0x32, 0x31};
    const struct qpu_nv_record record = {.fs_single_threaded = true,
                                         .point_size = true,
                                         .clip_header = true,
                                         .stride = 44,
                                         .fs_uniform_count = 7,
                                         .fs_varyings = 6,
                                         .fs_code = 0x11121314,
                                         .fs_uniforms = 0x21222324,
                                         .vertices = 0x31323330};
    uint8_t bytes[16];
    struct qpu_nv_record back;
    qpu_nv_record_pack(&record, bytes);
    ck_assert_mem_eq(bytes, expected, 16);
    qpu_nv_record_unpack(bytes, &back);
    ck_assert(back.fs_single_threaded && back.point_size && back.clip_header && !back.clipping);
    ck_assert_uint_eq(back.stride, 44);
    ck_assert_uint_eq(back.vertices, 0x31323330);
}
END_TEST

START_TEST(any_bytes_survive_in_other_forms) {
    uint64_t state = 6;
    for (int n = 0; n < 10000; n++) {
        uint8_t bytes[QPU_RECORD_EXTENDED_SIZE], back[QPU_RECORD_EXTENDED_SIZE];
        struct qpu_shader_record record;
        struct qpu_nv_record nv;
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)random_word(&state);
        qpu_nv_record_unpack(bytes, &nv);
        qpu_nv_record_pack(&nv, back);
        ck_assert_mem_eq(bytes, back, QPU_NV_RECORD_SIZE);
        for (size_t k = 0; k < 8; k++)
            bytes[41 + 8 * k] = bytes[100 + 4 * k], bytes[103 + 4 * k] &= 3;
        ck_assert(qpu_record_unpack_extended(bytes, sizeof bytes, &record));
        ck_assert_uint_eq(qpu_record_pack(&record, back, sizeof back), sizeof bytes);
        ck_assert_mem_eq(bytes, back, sizeof bytes);
    }
}
END_TEST

/* --- captured submits ----------------------------------------------------------------------------------- */

/* A binner list's packets by opcode: their lengths in bytes (captures/README.md). */
static unsigned packet_length(uint8_t opcode) {
    static const uint8_t lengths[256] = {
        [4] = 1,  [6] = 1,  [7] = 1,   [32] = 14, [33] = 10, [56] = 2,  [64] = 5,  [96] = 4,   [97] = 5,
        [98] = 5, [99] = 5, [101] = 5, [102] = 9, [103] = 5, [105] = 9, [106] = 9, [112] = 16, [254] = 9};
    return lengths[opcode];
}

/* Contents of buffer objects by uid, as the submits of one scene load them. */
struct buffers {
    char *data[256];
    size_t size[256];
};

static struct { unsigned records, programs; } seen;

static void load_buffers(const char *folder, json_t *submit, struct buffers *buffers) {
    size_t i;
    json_t *bo;
    json_array_foreach(json_object_get(submit, "bos"), i, bo) {
        json_int_t uid = json_integer_value(json_object_get(bo, "uid"));
        const char *file = json_string_value(json_object_get(bo, "file"));
        if (!json_is_true(json_object_get(bo, "shader")) || !json_is_true(json_object_get(bo, "load")) ||
            !file || uid >= 256) {
            continue;
        }
        char path[PATH_SIZE];
        print_path(path, "%s/%s", folder, file);
        free(buffers->data[uid]);
        buffers->data[uid] = read_file(path, &buffers->size[uid]);
        ck_assert_ptr_nonnull(buffers->data[uid]);
    }
}

/* A shader that a real driver sent keeps the rules of both profiles and survives text. */
static void check_shader(const char *name, const struct buffers *buffers, json_t *submit, uint32_t hindex,
                         enum qpucc_stage stage, bool threaded) {
    json_t *bo = json_array_get(json_object_get(submit, "bos"), hindex);
    json_int_t uid = json_integer_value(json_object_get(bo, "uid"));
    ck_assert_int_lt(uid, 256);
    const uint64_t *code = (const uint64_t *)(const void *)buffers->data[uid];
    ck_assert_msg(code != NULL, "%s: no code in buffer %u", name, hindex);
    size_t count = buffers->size[uid] / 8;
    for (int profile = QPU_PROFILE_HW; profile <= QPU_PROFILE_LINUX; profile++) {
        struct qpu_check_options options = {
            .stage = stage, .profile = (enum qpu_profile)profile, .threaded = threaded, .foreign = true};
        struct qpu_violation v[16];
        size_t n = qpu_check(code, count, &options, v, 16);
        for (size_t i = 0; i < n && i < 16; i++) {
            ck_assert_msg(v[i].warning, "%s stage %d: %u %s: %s", name, stage, v[i].index, v[i].rule,
                          v[i].text);
        }
    }
    for (size_t i = 0; i < count; i++) {
        char text[256];
        qpu_disassemble(code[i], 0, text, sizeof text);
        struct qpu_asm_result result = qpu_assemble(text, strlen(text));
        ck_assert_msg(result.code != NULL, "%s: %s", text, result.error);
        ck_assert_uint_eq(result.code[0], code[i]);
        free(result.code);
    }
    seen.programs++;
}

static uint32_t word_at(const char *bytes) {
    const uint8_t *b = (const uint8_t *)bytes;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void check_record(const char *name, const struct buffers *buffers, json_t *submit, const char *handles,
                         unsigned attributes) {
    size_t size = qpu_record_size(attributes);
    const uint8_t *bytes = (const uint8_t *)handles + 4 * (3 + attributes);
    struct qpu_shader_record r;
    uint8_t back[100];
    ck_assert(qpu_record_unpack(bytes, size, attributes, &r));
    ck_assert_uint_eq(qpu_record_pack(&r, back, sizeof back), size);
    ck_assert_mem_eq(back, bytes, size);
    ck_assert_uint_eq(r.reserved_flags, 0);
    ck_assert_uint_eq(r.fs_uniform_count | r.vertex.uniform_count | r.coordinate.uniform_count, 0);
    ck_assert_uint_eq(r.fs_code | r.vertex.code | r.coordinate.code, 0);
    ck_assert_uint_eq((r.vertex.attribute_mask | r.coordinate.attribute_mask) >> attributes, 0);
    /* "Total attributes size": whole words, no more than the selected arrays have (the driver leaves out
     * components at the end of one that no instruction reads), and every selected array begins within it. */
    unsigned vertex = 0, coordinate = 0;
    for (unsigned n = 0; n < attributes; n++) {
        unsigned stored = (r.attributes[n].size + 3u) & ~3u;
        if (r.vertex.attribute_mask >> n & 1) {
            vertex += stored;
            ck_assert_uint_lt(r.attributes[n].vs_offset, r.vertex.attribute_bytes);
        }
        if (r.coordinate.attribute_mask >> n & 1) {
            coordinate += stored;
            ck_assert_uint_lt(r.attributes[n].cs_offset, r.coordinate.attribute_bytes);
        }
    }
    ck_assert_uint_le(r.vertex.attribute_bytes, vertex);
    ck_assert_uint_le(r.coordinate.attribute_bytes, coordinate);
    ck_assert_uint_eq(r.vertex.attribute_bytes % 4 + r.coordinate.attribute_bytes % 4, 0);
    check_shader(name, buffers, submit, word_at(handles), QPUCC_FRAGMENT, !r.fs_single_threaded);
    check_shader(name, buffers, submit, word_at(handles + 4), QPUCC_VERTEX, false);
    check_shader(name, buffers, submit, word_at(handles + 8), QPUCC_COORDINATE, false);
    seen.records++;
}

/* Each GL shader state packet (64) of the binner list has its record in shader_rec, in order. */
static void check_submit(const char *folder, unsigned number, json_t *submit, struct buffers *buffers) {
    char path[PATH_SIZE];
    size_t list_size, records_size, at = 0;
    load_buffers(folder, submit, buffers);
    print_path(path, "%s/submit%u.bin_cl", folder, number);
    char *list = read_file(path, &list_size);
    print_path(path, "%s/submit%u.shader_rec", folder, number);
    char *records = read_file(path, &records_size);
    ck_assert(list && records);
    for (size_t i = 0; i < list_size;) {
        uint8_t opcode = (uint8_t)list[i];
        unsigned length = packet_length(opcode);
        ck_assert_msg(length > 0, "%s: packet %u", folder, opcode);
        if (opcode == 64) {
            unsigned attributes = list[i + 1] & 7 ? list[i + 1] & 7u : 8;
            size_t size = 4 * (3 + attributes) + qpu_record_size(attributes);
            ck_assert_uint_le(at + size, records_size);
            check_record(folder, buffers, submit, records + at, attributes);
            at += size;
        }
        i += length;
    }
    ck_assert_uint_eq(at, records_size);
    free(list);
    free(records);
}

static void check_scene(const char *folder) {
    struct buffers buffers = {0};
    for (unsigned number = 0;; number++) {
        char path[PATH_SIZE];
        print_path(path, "%s/submit%u.json", folder, number);
        json_t *submit = json_load_file(path, 0, NULL);
        if (!submit) {
            break;
        }
        check_submit(folder, number, submit, &buffers);
        json_decref(submit);
    }
    for (size_t i = 0; i < 256; i++) {
        free(buffers.data[i]);
    }
}

START_TEST(captured_records_and_their_shaders) {
    char path[PATH_SIZE], scene[PATH_SIZE];
    print_path(path, "%s/captures", shared_folder());
    DIR *directory = opendir(path);
    ck_assert_ptr_nonnull(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] != '.') {
            print_path(scene, "%s/%s", path, entry->d_name);
            check_scene(scene);
        }
    }
    closedir(directory);
    printf("%u captured records, %u shaders\n", seen.records, seen.programs);
    ck_assert_uint_gt(seen.records, 80);
    ck_assert_uint_eq(seen.programs, 3 * seen.records);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("isa record");
    TCase *tests = tcase_create("record");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, layout);
    tcase_add_test(tests, limits);
    tcase_add_test(tests, any_bytes_survive);
    tcase_add_test(tests, extended_layout);
    tcase_add_test(tests, nv_layout);
    tcase_add_test(tests, any_bytes_survive_in_other_forms);
    if (shared_folder()) {
        tcase_add_test(tests, captured_records_and_their_shaders);
    } else {
        puts("captured records skipped: QPUCC_SHARED names no folder");
    }
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
