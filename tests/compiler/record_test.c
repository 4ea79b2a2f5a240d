/* Shader state records filled from programs: byte for byte what the guide's tables 45 and 46 ask for, with
 * all addresses and as relocations; limits; round trips; decoding of any bytes. */
#include "tests/isa/random.h"

#include <qpucc/qpucc.h>

#include <check.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed;

static uint32_t below(uint32_t n) {
    return (uint32_t)(random_word(&seed) % n);
}

static qpucc_program *compile(const char *vertex, const char *fragment) {
    struct qpucc_source sources[2];
    size_t count = 0;
    if (vertex)
        sources[count++] = (struct qpucc_source){"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL};
    if (fragment)
        sources[count++] =
            (struct qpucc_source){"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL};
    qpucc_program *p = qpucc_compile(sources, count, NULL, NULL);
    const struct qpucc_diagnostic *d = qpucc_program_diagnostic(p, 0);
    ck_assert_msg(qpucc_program_status(p) == QPUCC_OK, "%s", d ? d->text : "");
    return p;
}

/* position of 3 words for both shaders, then two words that the vertex shader alone reads; two varyings */
static qpucc_program *example(void) {
    return compile(
        "attribute vec3 position; attribute vec2 coordinate; varying vec2 v; uniform float scale;\n"
        "void main() { v = coordinate; gl_Position = vec4(position * scale, 1.0); }",
        "precision mediump float; varying vec2 v; uniform vec4 tint;\n"
        "void main() { gl_FragColor = v.xyxy * tint; }");
}

static struct qpucc_record_inputs all_addresses(void) {
    return (struct qpucc_record_inputs){.code_address = {0x11121318, 0x31323338, 0x61626368},
                                        .uniform_address = {0x21222324, 0x41424344, 0x71727374},
                                        .attribute = {{0x81828384, 20}, {0x91929394, 0}}};
}

static void put(uint8_t *at, uint32_t value) {
    for (int k = 0; k < 4; k++)
        at[k] = (uint8_t)(value >> 8 * k);
}

START_TEST(gl_bytes) {
    qpucc_program *p = example();
    struct qpucc_record_inputs in = all_addresses();
    struct qpucc_record_bytes out;
    uint8_t expected[52] = {
        0x05, 0x00, 0,    2,    0x18, 0x13, 0x12, 0x11, 0x24, 0x23, 0x22, 0x21, /* fragment */
        0,    0,    0x03, 0x14, 0x38, 0x33, 0x32, 0x31, 0x44, 0x43, 0x42, 0x41, /* vertex */
        0,    0,    0x01, 0x0c, 0x68, 0x63, 0x62, 0x61, 0x74, 0x73, 0x72, 0x71, /* coordinate */
        0x84, 0x83, 0x82, 0x81, 0x0b, 0x14, 0x00, 0x00,                         /* attribute 0 */
        0x94, 0x93, 0x92, 0x91, 0x07, 0x00, 0x0c, 0x0c,                         /* attribute 1 */
    };
    expected[2] = (uint8_t)qpucc_uniforms_size(p, QPUCC_FRAGMENT);
    expected[12] = (uint8_t)qpucc_uniforms_size(p, QPUCC_VERTEX);
    expected[24] = (uint8_t)qpucc_uniforms_size(p, QPUCC_COORDINATE);
    ck_assert(qpucc_record_fill(p, QPUCC_RECORD_GL, &in, &out));
    ck_assert_uint_eq(out.size, sizeof expected);
    ck_assert_mem_eq(out.bytes, expected, sizeof expected);
    ck_assert_uint_eq(out.list_bits, 2);
    in.no_clipping = true;
    expected[0] = 1;
    ck_assert(qpucc_record_fill(p, QPUCC_RECORD_GL, &in, &out));
    ck_assert_mem_eq(out.bytes, expected, sizeof expected);

    /* a long stride: all eight arrays, and the strides after them (table 45) */
    uint8_t extended[132] = {0};
    memcpy(extended, expected, sizeof expected);
    extended[0] = 5;
    extended[49] = 0x67; /* the stride's low byte, for Linux */
    put(extended + 100, 20);
    put(extended + 104, 0x1234567);
    in.no_clipping = false;
    in.attribute[1].stride = 0x1234567;
    ck_assert(qpucc_record_fill(p, QPUCC_RECORD_GL, &in, &out));
    ck_assert_uint_eq(out.size, 132);
    ck_assert_mem_eq(out.bytes, extended, 132);
    ck_assert_uint_eq(out.list_bits & 8, 8);
    qpucc_program_free(p);
}
END_TEST

START_TEST(nv_bytes) {
    qpucc_program *p = example();
    struct qpucc_record_inputs in = all_addresses();
    struct qpucc_record_bytes out;
    uint8_t expected[16] = {0x05, 4 * (3 + 2), 0,    2,    0x18, 0x13, 0x12, 0x11,
                            0x24, 0x23,        0x22, 0x21, 0xf4, 0xf3, 0xf2, 0xf1};
    in.vertex_address = 0xf1f2f3f4;
    expected[2] = (uint8_t)qpucc_uniforms_size(p, QPUCC_FRAGMENT);
    ck_assert(qpucc_record_fill(p, QPUCC_RECORD_NV, &in, &out));
    ck_assert_uint_eq(out.size, 16);
    ck_assert_uint_eq(out.list_bits, 0);
    ck_assert_mem_eq(out.bytes, expected, 16);
    ck_assert_uint_eq(out.relocation_count, 3);
    ck_assert_uint_eq(out.relocations[2].offset, 12);
    ck_assert_int_eq(out.relocations[2].kind, QPUCC_RELOCATE_VERTICES);
    ck_assert_uint_eq(out.relocations[2].alignment, 4);

    in.clip_header = in.point_size = true;
    ck_assert(!qpucc_record_fill(p, QPUCC_RECORD_NV, &in, &out)); /* 128-bit aligned */
    ck_assert_uint_eq(out.size, 0);
    in.vertex_address = 0xf1f2f3f0;
    ck_assert(qpucc_record_fill(p, QPUCC_RECORD_NV, &in, &out));
    expected[0] = 0x0f;
    expected[1] = 4 * (3 + 1 + 4 + 2);
    expected[12] = 0xf0;
    ck_assert_mem_eq(out.bytes, expected, 16);
    ck_assert_uint_eq(out.relocations[2].alignment, 16);
    in.vertex_stride = 36; /* one word too few */
    ck_assert(!qpucc_record_fill(p, QPUCC_RECORD_NV, &in, &out));
    in.vertex_stride = 256;
    ck_assert(!qpucc_record_fill(p, QPUCC_RECORD_NV, &in, &out));
    in.vertex_stride = 252;
    ck_assert(qpucc_record_fill(p, QPUCC_RECORD_NV, &in, &out));
    ck_assert_uint_eq(out.bytes[1], 252);
    qpucc_program_free(p);
}
END_TEST

START_TEST(what_is_refused) {
    qpucc_program *p = example(),
                  *vertex = compile("attribute vec4 p; void main() { gl_Position = p; }", NULL);
    struct qpucc_record_bytes out;
    for (int n = 0; n < 2 * QPUCC_STAGE_COUNT + 2; n++) {
        struct qpucc_record_inputs in = all_addresses();
        if (n < QPUCC_STAGE_COUNT)
            in.code_address[n] += 4;
        else if (n < 2 * QPUCC_STAGE_COUNT)
            in.uniform_address[n - QPUCC_STAGE_COUNT] += 2;
        else
            in.attribute[n & 1].stride = 1 << 26;
        ck_assert_msg(!qpucc_record_fill(p, QPUCC_RECORD_GL, &in, &out), "%d", n);
        ck_assert_uint_eq(out.size + out.relocation_count, 0);
    }
    struct qpucc_record_inputs in = {.attribute = {{0, (1 << 26) - 1}}};
    ck_assert(qpucc_record_fill(p, QPUCC_RECORD_GL, &in, &out));
    ck_assert(!qpucc_record_fill(p, (enum qpucc_record_mode)2, &in, &out));
    ck_assert(!qpucc_record_fill(vertex, QPUCC_RECORD_NV, NULL, &out));
    ck_assert(
        qpucc_record_fill(vertex, QPUCC_RECORD_GL, NULL, &out)); /* the fragment shader's part is zero */
    for (size_t i = 0; i < out.relocation_count; i++)
        ck_assert(out.relocations[i].index != QPUCC_FRAGMENT ||
                  out.relocations[i].kind == QPUCC_RELOCATE_ATTRIBUTE);
    struct qpucc_source wrong = {"a.frag", "wrong", 5, QPUCC_FRAGMENT, QPUCC_GLSL};
    qpucc_program *broken = qpucc_compile(&wrong, 1, NULL, NULL);
    ck_assert(!qpucc_record_fill(broken, QPUCC_RECORD_GL, NULL, &out));
    qpucc_program_free(broken);
    qpucc_program_free(vertex);
    qpucc_program_free(p);
}
END_TEST

/* Relocating a record made with offsets alone gives the record made with whole addresses. */
START_TEST(relocations_complete_the_record) {
    qpucc_program *p = example();
    for (int n = 0; n < 400; n++) {
        enum qpucc_record_mode mode = n % 4 == 3 ? QPUCC_RECORD_NV : QPUCC_RECORD_GL;
        struct qpucc_record_inputs in = {.extended = n % 5 == 0, .clip_header = n % 3 == 0}, whole;
        struct qpucc_record_bytes out, want;
        uint32_t base[QPUCC_RELOCATE_VERTICES + 1][QPUCC_MAX_ATTRIBUTES];
        seed = (uint64_t)n;
        for (int k = 0; k < QPUCC_STAGE_COUNT; k++) {
            in.code_address[k] = 8 * below(1000);
            in.uniform_address[k] = 4 * below(1000);
        }
        for (int k = 0; k < 2; k++) {
            in.attribute[k].address = below(100000);
            in.attribute[k].stride = below(n % 2 ? 256 : 1 << 26);
        }
        in.vertex_address = 16 * below(1000);
        whole = in;
        for (int k = 0; k <= QPUCC_RELOCATE_VERTICES; k++)
            for (int i = 0; i < QPUCC_MAX_ATTRIBUTES; i++)
                base[k][i] = 16 * below(1 << 24);
        for (int k = 0; k < QPUCC_STAGE_COUNT; k++) {
            whole.code_address[k] += base[QPUCC_RELOCATE_CODE][k];
            whole.uniform_address[k] += base[QPUCC_RELOCATE_UNIFORMS][k];
        }
        for (int k = 0; k < 2; k++)
            whole.attribute[k].address += base[QPUCC_RELOCATE_ATTRIBUTE][k];
        whole.vertex_address += base[QPUCC_RELOCATE_VERTICES][0];
        ck_assert(qpucc_record_fill(p, mode, &in, &out));
        ck_assert(qpucc_record_fill(p, mode, &whole, &want));
        ck_assert_uint_eq(out.relocation_count, mode == QPUCC_RECORD_GL ? 8 : 3);
        for (size_t i = 0; i < out.relocation_count; i++) {
            const struct qpucc_relocation *r = &out.relocations[i];
            uint8_t *at = out.bytes + r->offset;
            ck_assert_uint_le(r->offset + 4, out.size);
            put(at, (at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24) +
                        base[r->kind][r->index]);
        }
        ck_assert_uint_eq(out.size, want.size);
        ck_assert_mem_eq(out.bytes, want.bytes, sizeof out.bytes);
        /* and both decode to what was asked for */
        struct qpucc_record gl;
        struct qpucc_nv_record nv;
        ck_assert_int_eq(qpucc_record_decode(out.bytes, out.size, &gl), mode == QPUCC_RECORD_GL);
        ck_assert_int_eq(qpucc_nv_record_decode(out.bytes, out.size, &nv), mode == QPUCC_RECORD_NV);
        if (mode == QPUCC_RECORD_NV) {
            ck_assert_uint_eq(nv.vertex_address, whole.vertex_address);
            ck_assert_uint_eq(nv.code_address, whole.code_address[QPUCC_FRAGMENT]);
            ck_assert_uint_eq(nv.uniform_address, whole.uniform_address[QPUCC_FRAGMENT]);
            ck_assert(nv.clip_header == in.clip_header && nv.single_threaded && nv.clipping &&
                      !nv.point_size);
            continue;
        }
        for (int k = 0; k < QPUCC_STAGE_COUNT; k++) {
            ck_assert_uint_eq(gl.code_address[k], whole.code_address[k]);
            ck_assert_uint_eq(gl.uniform_address[k], whole.uniform_address[k]);
        }
        for (int k = 0; k < 2; k++) {
            ck_assert_uint_eq(gl.attribute[k].address, whole.attribute[k].address);
            ck_assert_uint_eq(gl.attribute[k].stride, whole.attribute[k].stride);
            ck_assert_uint_eq(gl.attribute[k].bytes, k ? 8 : 12);
        }
    }
    qpucc_program_free(p);
}
END_TEST

/* Any bytes of any length are refused or decoded; what is decoded are the bytes at the tables' places. */
START_TEST(any_bytes_decode) {
    seed = 3;
    for (int n = 0; n < 20000; n++) {
        size_t size = below(140);
        uint8_t *bytes = malloc(size + 1); /* its own block, so that the sanitizers see what lies beyond */
        struct qpucc_record gl;
        struct qpucc_nv_record nv;
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)random_word(&seed);
        uint8_t *exact = realloc(bytes, size ? size : 1);
        bool whole = (size >= 36 && size <= 100 && (size - 36) % 8 == 0) || size == 132;
        ck_assert_int_eq(qpucc_record_decode(exact, size, &gl), whole);
        ck_assert_int_eq(qpucc_nv_record_decode(exact, size, &nv), size == 16);
        if (whole) {
            ck_assert_uint_eq(gl.varyings, exact[3]);
            ck_assert_uint_eq(gl.shader[1].attribute_mask, exact[26]);
            ck_assert_uint_eq(gl.attribute_count, size == 132 ? 8 : (size - 36) / 8);
            ck_assert_int_eq(gl.clipping, exact[0] >> 2 & 1);
            for (unsigned k = 0; k < gl.attribute_count; k++)
                ck_assert_uint_eq(gl.attribute[k].bytes, exact[40 + 8 * k] + 1u);
        }
        if (size == 16)
            ck_assert_int_eq(nv.clip_header, exact[0] >> 3 & 1);
        free(exact);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("records");
    TCase *tests = tcase_create("records");
    tcase_add_test(tests, gl_bytes);
    tcase_add_test(tests, nv_bytes);
    tcase_add_test(tests, what_is_refused);
    tcase_add_test(tests, relocations_complete_the_record);
    tcase_add_test(tests, any_bytes_decode);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
