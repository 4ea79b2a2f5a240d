/* Memory, records of control lists and compressed primitives: what is written is read back and printed. */
#include "machine_test.h"

#include <qpucc/lists.h>

#include "runtime/cl/cl.h"

#include <locale.h>

static uint32_t seed = 1;

static uint32_t any(void) {
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

/* --- memory --------------------------------------------------------------------------------------------- */

START_TEST(buffers) {
    struct qpusim_memory *m = qpusim_memory_new(0);
    uint8_t mine[100] = {7};
    uint32_t start;
    size_t size;
    ck_assert_ptr_null(qpusim_memory_map(m, 0, 1));
    ck_assert_uint_eq(qpusim_memory_alloc(m, 16, 16), 0);
    ck_assert_int_eq(qpusim_memory_add(m, 0x1000, 0x800, NULL, "first"), QPUSIM_OK);
    ck_assert_int_eq(qpusim_memory_add(m, 0x1880, 100, mine, "mine"), QPUSIM_OK);
    ck_assert_int_eq(qpusim_memory_add(m, 0xfffff000, 0x1000, NULL, "last"), QPUSIM_OK);
    ck_assert_int_eq(qpusim_memory_add(m, 0, 1, NULL, "zero"), QPUSIM_OK);
    ck_assert_int_eq(qpusim_memory_add(m, 0x17ff, 0x100, NULL, NULL), QPUSIM_BAD_ARGUMENT);
    ck_assert_int_eq(qpusim_memory_add(m, 0x800, 0x801, NULL, NULL), QPUSIM_BAD_ARGUMENT);
    ck_assert_int_eq(qpusim_memory_add(m, 0x1890, 1, NULL, NULL), QPUSIM_BAD_ARGUMENT);
    ck_assert_int_eq(qpusim_memory_add(m, 0x900, 0x2000, NULL, NULL), QPUSIM_BAD_ARGUMENT);
    ck_assert_int_eq(qpusim_memory_add(m, 0xffffe000, 0x2001, NULL, NULL), QPUSIM_BAD_ARGUMENT);
    ck_assert_int_eq(qpusim_memory_add(m, 0x5000, 0, NULL, NULL), QPUSIM_BAD_ARGUMENT);
    ck_assert_ptr_eq(qpusim_memory_map(m, 0x1880, 100), mine);
    ck_assert_ptr_eq(qpusim_memory_map(m, 0x18e3, 1), mine + 99);
    ck_assert_ptr_null(qpusim_memory_map(m, 0x18e3, 2));
    ck_assert_ptr_null(qpusim_memory_map(m, 0x17ff, 2));
    ck_assert_ptr_nonnull(qpusim_memory_map(m, 0xffffffff, 1));
    ck_assert_ptr_null(qpusim_memory_map(m, 0xffffffff, 2));
    ck_assert_str_eq(qpusim_memory_owner(m, 0x17ff, &start, &size), "first");
    ck_assert_uint_eq(start, 0x1000);
    ck_assert_uint_eq(size, 0x800);
    ck_assert_ptr_null(qpusim_memory_owner(m, 0x1800, NULL, NULL));
    ck_assert(!qpusim_memory_remove(m, 0x1001));
    ck_assert(qpusim_memory_remove(m, 0x1000));
    ck_assert_ptr_null(qpusim_memory_map(m, 0x1000, 1));
    ck_assert_ptr_eq(qpusim_memory_map(m, 0x1880, 1), mine);
    qpusim_memory_free(m);
}
END_TEST

/* Adds and removes against a plain array of who owns each byte. */
START_TEST(random_buffers) {
    static uint8_t owner[1 << 16];
    enum { BASE = 0x3ff000 }; /* across two tables of pages */
    struct qpusim_memory *m = qpusim_memory_new(0);
    memset(owner, 0, sizeof owner);
    for (unsigned step = 0; step < 4000; step++) {
        uint32_t at = any() % sizeof owner, size = 1 + any() % (any() % 4 ? 300 : 9000);
        char name[2] = {(char)('A' + any() % 26), 0};
        if (any() % 2) {
            bool free = at + size <= sizeof owner;
            for (uint32_t i = at; free && i < at + size; i++)
                free = !owner[i];
            if (at + size > sizeof owner)
                continue;
            ck_assert_int_eq(qpusim_memory_add(m, BASE + at, size, NULL, name),
                             free ? QPUSIM_OK : QPUSIM_BAD_ARGUMENT);
            if (free)
                memset(owner + at, name[0], size);
        } else {
            uint32_t start;
            size_t length;
            const char *found = qpusim_memory_owner(m, BASE + at, &start, &length);
            ck_assert_int_eq(found ? found[0] : 0, owner[at]);
            if (!found)
                continue;
            ck_assert_ptr_nonnull(qpusim_memory_map(m, start, length));
            ck_assert_ptr_null(qpusim_memory_map(m, start, length + 1));
            ck_assert(qpusim_memory_remove(m, start));
            memset(owner + (start - BASE), 0, length);
        }
    }
    qpusim_memory_free(m);
}
END_TEST

/* --- records -------------------------------------------------------------------------------------------- */

/* A value that the field can hold, as its struct holds it. */
static uint32_t value_for(const struct sim_cl_field *f) {
    uint32_t bits = f->bits == 32 ? any() : any() & ((1u << f->bits) - 1);
    switch (f->type) {
    case 'A': return bits << (32 - f->bits);
    case 'H': return (bits & 0x7f7f) << 16; /* finite */
    case 'F': return bits & 0x7f7fffff;
    case 'N': return bits + 1;
    case 'Z': return bits ? bits : 1u << f->bits;
    case 'S': return (uint32_t)((int32_t)(bits << (32 - f->bits)) >> (32 - f->bits));
    default: return bits;
    }
}

/* Every record with random values: written, read back, written again, printed with every field's name. */
START_TEST(round_trip) {
    unsigned records = 0;
    for (unsigned code = 0; code < 300; code++) {
        const struct sim_cl_record *r = sim_cl_record(code);
        if (!r)
            continue;
        records++;
        for (unsigned n = 0; n < 200; n++) {
            struct qpusim_record in = {.code = (enum qpusim_code)code, .size = r->size}, out;
            struct qpusim_list list = {0};
            char text[1000];
            for (const struct sim_cl_field *f = r->fields(); f->type; f++) {
                uint32_t v = value_for(f);
                memcpy((uint8_t *)&in.u + f->offset, &v, f->type == 'B' ? 1 : 4);
            }
            qpusim_put(&list, &in);
            ck_assert_uint_eq(list.size, r->size);
            if (code < 256) {
                ck_assert_uint_eq(list.bytes[0], code);
                ck_assert_uint_eq(qpusim_read_record(list.bytes, list.size, &out), r->size);
                ck_assert_uint_eq(qpusim_read_record(list.bytes, list.size - 1, &out), 0);
            }
            if (code >= 256)
                ck_assert_uint_eq(qpusim_read_data(in.code, list.bytes, list.size - 1, &out), 0);
            ck_assert_uint_eq(code < 256 ? qpusim_read_record(list.bytes, list.size, &out)
                                         : qpusim_read_data(in.code, list.bytes, list.size, &out),
                              r->size);
            for (const struct sim_cl_field *f = r->fields(); f->type; f++)
                ck_assert_msg(!memcmp((uint8_t *)&in.u + f->offset, (uint8_t *)&out.u + f->offset,
                                      f->type == 'B' ? 1 : 4),
                              "%s.%s", r->name, f->name);
            size_t length = qpusim_record_text(&out, true, text, sizeof text);
            ck_assert_uint_eq(length, strlen(text));
            ck_assert_ptr_nonnull(strstr(text, r->name));
            for (const struct sim_cl_field *f = r->fields(); f->type; f++)
                ck_assert_ptr_nonnull(strstr(text, f->name));
            ck_assert_uint_eq(qpusim_record_text(&out, true, text, 10), length);
            ck_assert_uint_eq(strlen(text), 9);
            qpusim_list_free(&list);
        }
    }
    ck_assert_uint_eq(records, 48);
}
END_TEST

/* A list grows by what it needs, however little memory it begins with. */
START_TEST(growth) {
    uint8_t bytes[1000];
    memset(bytes, 0x5a, sizeof bytes);
    struct qpusim_list l = {.bytes = malloc(1), .capacity = 1};
    qpusim_put_clip_window(&l, &(struct qpusim_cl_clip_window){.width = 64});
    ck_assert_uint_le(l.size, l.capacity);
    qpusim_put_bytes(&l, bytes, sizeof bytes);
    qpusim_put_bytes(&l, NULL, 0);
    qpusim_put_flush(&l);
    ck_assert_uint_eq(l.size, 9 + sizeof bytes + 1);
    ck_assert_uint_le(l.size, l.capacity);
    ck_assert_mem_eq(l.bytes + 9, bytes, sizeof bytes);
    ck_assert(!l.no_memory);
    qpusim_list_free(&l);
}
END_TEST

static void expect(struct qpusim_list *list, const char *hex, const char *text) {
    char got[200] = "", printed[500];
    struct qpusim_record record;
    for (size_t i = 0; i < list->size; i++)
        snprintf(got + 2 * i, 3, "%02x", list->bytes[i]);
    ck_assert_str_eq(got, hex);
    ck_assert_uint_eq(qpusim_read_record(list->bytes, list->size, &record), list->size);
    qpusim_record_text(&record, false, printed, sizeof printed);
    ck_assert_str_eq(printed, text);
    qpusim_list_free(list);
}

/* Bytes as a kernel and a driver wrote them for frames that ran on the chip. */
START_TEST(known_bytes) {
    struct qpusim_list l = {0};
    qpusim_put_rendering_mode(&l, &(struct qpusim_cl_rendering_mode){
                                      .width = 256, .height = 256, .multisample = true, .address = 0x1000});
    expect(&l, "7100100000000100010100",
           "rendering_mode address=0x00001000 width=256 height=256 multisample pixel=bgr565_dithered "
           "decimate=x1 format=raster early_z_direction=less");
    qpusim_put_store_full(&l, &(struct qpusim_cl_store_full){.no_color = true, .address = 0x10019000});
    expect(&l, "1a01900110", "store_full no_color address=0x10019000");
    qpusim_put_clip_window(&l, &(struct qpusim_cl_clip_window){.width = 256, .height = 256});
    expect(&l, "660000000000010001", "clip_window left=0 bottom=0 width=256 height=256");
    qpusim_put_viewport_offset(&l, &(struct qpusim_cl_viewport_offset){.x = 2048, .y = -2048});
    expect(&l, "67000800f8", "viewport_offset x=2048 y=-2048");
    qpusim_put_clipper_xy_scaling(
        &l, &(struct qpusim_cl_clipper_xy_scaling){.half_width = 2048, .half_height = 2048});
    expect(&l, "690000004500000045", "clipper_xy_scaling half_width=2048 half_height=2048");
    qpusim_put_configuration_bits(&l, &(struct qpusim_cl_configuration_bits){.front_facing = true,
                                                                             .reverse_facing = true,
                                                                             .clockwise = false,
                                                                             .coverage_update = 0,
                                                                             .depth_func = 7,
                                                                             .early_z_updates = true});
    expect(&l, "60037002",
           "configuration_bits front_facing reverse_facing coverage_read=level oversample=none "
           "coverage_update=nonzero depth_func=always early_z_updates");
    qpusim_put_binning_mode(&l,
                            &(struct qpusim_cl_binning_mode){
                                .width = 4, .height = 4, .initialise = true, .initial_block = 0, .block = 2});
    expect(&l, "70000000000000000000000000040444",
           "binning_mode allocation=0x00000000 allocation_size=0 tile_state=0x00000000 width=4 height=4 "
           "initialise initial_block=32 block=128");
    qpusim_put_gl_shader_state(&l,
                               &(struct qpusim_cl_gl_shader_state){.attribute_count = 8, .address = 0x20});
    expect(&l, "4020000000", "gl_shader_state attribute_count=8 address=0x00000020");
    qpusim_put_flush(&l);
    expect(&l, "04", "flush");
}
END_TEST

/* A program's locale may have another decimal point, JSON has one. Not where that locale is not installed. */
START_TEST(no_locale) {
    struct qpusim_record record = {.code = QPUSIM_CL_POINT_SIZE, .u.point_size.pixels = 1.5f};
    char text[100];
    setlocale(LC_ALL, "de_DE.UTF-8");
    qpusim_record_text(&record, true, text, sizeof text);
    setlocale(LC_ALL, "C");
    ck_assert_str_eq(text, "\"record\": \"point_size\", \"pixels\": 1.5");
}
END_TEST

START_TEST(unknown_codes) {
    struct qpusim_record record;
    for (unsigned code = 0; code < 256; code++) {
        uint8_t bytes[32] = {(uint8_t)code};
        ck_assert_int_eq(qpusim_read_record(bytes, sizeof bytes, &record) != 0,
                         qpusim_code_name(code) != NULL);
    }
    ck_assert_uint_eq(qpusim_read_record((const uint8_t *)"", 0, &record), 0);
    ck_assert_int_eq(qpusim_code_where(QPUSIM_CL_VG_SHADER_STATE), QPUSIM_WHERE_VG);
    ck_assert_int_eq(qpusim_code_where(QPUSIM_CL_FLUSH), QPUSIM_WHERE_BIN);
    ck_assert_int_eq(qpusim_code_where(QPUSIM_CL_STORE_FULL), QPUSIM_WHERE_RENDER);
}
END_TEST

/* --- compressed primitives ------------------------------------------------------------------------------ */

/* Hand-made codings of each format: what the tables say, byte by byte. */
START_TEST(known_primitives) {
    static const struct {
        unsigned primitive, data;
        uint32_t previous[3];
        uint8_t bytes[13];
        unsigned size;
        uint32_t index[3];
    } cases[] = {
        {2, 1, {5, 6, 7}, {0x04}, 1, {7, 6, 8}},                            /* shares 2, 1; +1 */
        {2, 1, {5, 6, 7}, {0x05}, 1, {5, 7, 8}},                            /* shares 0, 2 */
        {2, 1, {5, 6, 7}, {0xfe}, 1, {6, 5, 6}},                            /* shares 1, 0; -1 */
        {2, 1, {9, 9, 9}, {0xf3, 0x81}, 2, {8, 10, 1}},                     /* -1, +1, -8 */
        {2, 1, {0}, {0x1f, 0x08, 0x34, 0x12}, 4, {0x1234, 0x1235, 0x1236}}, /* +1, +2 from 0x1234 */
        {2, 1, {0}, {129, 1, 0, 2, 0, 0xff, 0xff}, 7, {1, 2, 0xffff}},
        {2, 2, {0}, {129, 1, 0, 1, 2, 0, 1, 3, 0, 1}, 10, {0x10001, 0x10002, 0x10003}},
        {2, 2, {0}, {0x1f, 0x08, 0x34, 0x12, 0x01}, 5, {0x11234, 0x11235, 0x11236}},
        {1, 1, {5, 6, 0}, {0x04}, 1, {6, 7, 0}},
        {1, 1, {5, 6, 0}, {0x05}, 1, {5, 7, 0}},
        {1, 1, {5, 6, 0}, {0x23, 0x02}, 2, {7, 8, 0}},
        {1, 1, {0}, {0x06, 0x34, 0x12}, 3, {0x1234, 0x1235, 0}},
        {1, 1, {0}, {129, 1, 0, 9, 0}, 5, {1, 9, 0}},
        {1, 2, {0}, {129, 1, 0, 1, 9, 0, 2}, 7, {0x10001, 0x20009, 0}},
        {1, 2, {0x10005, 0x10006, 0}, {0x04}, 1, {0x10006, 0x10007, 0}},
        {1, 2, {0x10005, 0x10006, 0}, {0x05}, 1, {0x10005, 0x10007, 0}},
        {1, 2, {0x10005, 0x10006, 0}, {0x23, 0x02}, 2, {0x10007, 0x10008, 0}},
        {1, 2, {0}, {0x06, 0x34, 0x12, 0x01}, 4, {0x11234, 0x11235, 0}},
        {1, 2, {0}, {0xfe, 0x34, 0x12, 0x01}, 4, {0x11234, 0x11233, 0}},
        {0, 1, {5, 0, 0}, {0x08}, 1, {7, 0, 0}},
        {0, 1, {5, 0, 0}, {0x09}, 1, {7, 0, 0}},
        {0, 1, {5, 0, 0}, {0x93, 0x01}, 2, {105, 0, 0}},
        {0, 1, {0}, {129, 0x34, 0x12}, 3, {0x1234, 0, 0}},
        {0, 2, {0}, {129, 0x34, 0x12, 0x01}, 4, {0x11234, 0, 0}},
        /* x differs by 3 = 2 * 1 + 1, y by -1 */
        {2, 3, {0x10001, 0x20002, 0x30003}, {0x04, 0xff}, 2, {0x30003, 0x20002, 0x20006}},
        {3, 3, {0x10001, 0x20002, 0}, {0x05, 0xff}, 2, {0x10001, 0x10005, 0}},
        {3, 3, {0}, {0x06, 0x03, 0x10, 0, 0x20, 0}, 6, {0x200010, 0x210013, 0}},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct qpusim_primitive_coder c = {cases[i].primitive, cases[i].data, true, {0}};
        uint32_t index[3];
        int32_t branch;
        unsigned used;
        memcpy(c.previous, cases[i].previous, sizeof c.previous);
        ck_assert_msg(qpusim_read_primitive(&c, cases[i].bytes, sizeof cases[i].bytes, index, &branch,
                                            &used) == QPUSIM_ITEM_PRIMITIVE,
                      "case %u", i);
        ck_assert_msg(used == cases[i].size, "case %u: %u bytes", i, used);
        for (unsigned k = 0; k < qpusim_primitive_vertices(&c); k++)
            ck_assert_msg(index[k] == cases[i].index[k], "case %u: index %u is %x", i, k, index[k]);
    }
}
END_TEST

/* Random primitives, most of them near the one before, through writer and reader. */
START_TEST(primitive_round_trip) {
    static uint8_t bytes[1 << 16];
    static uint32_t wanted[4000][3];
    for (unsigned format = 0; format < 8; format++) {
        static const unsigned primitive[] = {0, 1, 2, 0, 1, 2, 2, 3}, data[] = {1, 1, 1, 2, 2, 2, 3, 3};
        struct qpusim_primitive_coder writer = {primitive[format], data[format], false, {0}}, reader = writer;
        unsigned vertices = qpusim_primitive_vertices(&writer), sizes[14] = {0};
        uint32_t limit = data[format] == 1 ? 0xffff : data[format] == 2 ? 0xffffff : UINT32_MAX, last = 0;
        size_t n = 0, at = 0;
        for (unsigned i = 0; i < 4000; i++) {
            for (unsigned k = 0; k < vertices; k++) {
                uint32_t near = data[format] == 3 ? ((last + any() % 200 - 100) & 0xffff) |
                                                        (uint32_t)((last >> 16) + any() % 200 - 100) << 16
                                                  : last + (any() % 8 ? any() % 20 - 10 : any() % 2000);
                wanted[i][k] = (any() % 8 ? near : any()) & limit;
                if (k < 2 && any() % 3)
                    wanted[i][k] = writer.previous[any() % vertices];
                last = wanted[i][k];
            }
            unsigned size = qpusim_write_primitive(&writer, wanted[i], bytes + n);
            ck_assert_uint_ge(size, 1);
            ck_assert_uint_le(size, 13);
            sizes[size]++;
            n += size;
        }
        for (unsigned i = 0; i < 4000; i++) {
            uint32_t index[3];
            int32_t branch;
            unsigned used;
            ck_assert_int_eq(qpusim_read_primitive(&reader, bytes + at, n - at, index, &branch, &used),
                             QPUSIM_ITEM_PRIMITIVE);
            at += used;
            for (unsigned k = 0; k < vertices; k++)
                ck_assert_uint_eq(index[k], wanted[i][k]);
        }
        ck_assert_uint_eq(at, n);
        unsigned kinds = 0;
        for (unsigned i = 0; i < 14; i++)
            kinds += sizes[i] != 0;
        ck_assert_uint_ge(kinds, 3); /* short and long codings were all in use */
    }
}
END_TEST

START_TEST(primitive_codes) {
    struct qpusim_primitive_coder c = {2, 1, false, {0}};
    uint32_t index[3];
    int32_t branch;
    unsigned used;
    ck_assert_int_eq(qpusim_read_primitive(&c, (const uint8_t *)"\x80", 1, index, &branch, &used),
                     QPUSIM_ITEM_END);
    ck_assert_int_eq(qpusim_read_primitive(&c, (const uint8_t *)"\x82\xff\xff", 3, index, &branch, &used),
                     QPUSIM_ITEM_BRANCH);
    ck_assert_int_eq(branch, -32);
    ck_assert_uint_eq(used, 3);
    ck_assert_int_eq(qpusim_read_primitive(&c, (const uint8_t *)"\x82\xff", 2, index, &branch, &used),
                     QPUSIM_ITEM_BAD);
    /* relative to nothing */
    ck_assert_int_eq(qpusim_read_primitive(&c, (const uint8_t *)"\x04", 1, index, &branch, &used),
                     QPUSIM_ITEM_BAD);
    c.data = 0;
    ck_assert_int_eq(qpusim_read_primitive(&c, (const uint8_t *)"\x80", 1, index, &branch, &used),
                     QPUSIM_ITEM_BAD);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("lists");
    TCase *tc = tcase_create("lists");
    suite_add_tcase(suite, tc);
    tcase_add_test(tc, buffers);
    tcase_add_test(tc, random_buffers);
    tcase_add_test(tc, round_trip);
    tcase_add_test(tc, growth);
    tcase_add_test(tc, known_bytes);
    tcase_add_test(tc, no_locale);
    tcase_add_test(tc, unknown_codes);
    tcase_add_test(tc, known_primitives);
    tcase_add_test(tc, primitive_round_trip);
    tcase_add_test(tc, primitive_codes);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
