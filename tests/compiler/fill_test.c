/* The flat form of uniform streams against a plain evaluation, slot by slot with ir_eval: of random slots, of
 * a few shader pairs and, with QPUCC_SHARED, of all pairs of the corpus; over random values. */
#include "compiler/program.h"
#include "ir/heap.h"
#include "passes/eval.h"
#include "tests/isa/random.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 1 << 16, MOST_SLOTS = 1 << 17 };

static uint64_t seed;

static uint32_t below(uint32_t n) {
    return (uint32_t)(random_word(&seed) % n);
}

/* Numbers of every kind that a driver might have, most of them ordinary. */
static uint32_t random_value(void) {
    static const uint32_t special[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                       0x7fc00000, 1,          0x807fffff, 0x00800000, 0x7f7fffff, 0x4b400000,
                                       0xcb400000, 0xffffffff, 0x7fffffff, 2,          0x3f000000};
    switch (below(8)) {
    case 0: return special[below(sizeof special / sizeof *special)];
    case 1: return (uint32_t)random_word(&seed);
    case 2: return below(64) - 8;
    default: return ir_float_to_bits(((float)below(2000001) - 1e6f) * (below(2) ? 1e-6f : 1e-3f));
    }
}

/* --- the plain evaluation ------------------------------------------------------------------------------- */

static uint32_t plain_value(const qpucc_program *program, enum qpucc_stage stage, const struct ir_slot *slot,
                            const struct qpucc_draw_values *v, const uint32_t *known) {
    uint32_t state[QPUCC_DRAW_STATE_WORDS], argument[4] = {0}, result = slot->type == IR_F32 ? 0x7f800000 : 0;
    memcpy(state, &v->state, sizeof state);
    switch ((enum ir_slot_kind)slot->kind) {
    case IR_SLOT_CONST: return slot->value;
    case IR_SLOT_UNIFORM: return slot->value < program->uniform_words ? v->uniforms[slot->value] : 0;
    case IR_SLOT_TEX: return v->textures[slot->value][slot->param];
    case IR_SLOT_STATE: return state[slot->value];
    case IR_SLOT_STREAM: return v->stream_address[stage];
    case IR_SLOT_ARRAY: return v->uniform_address + 4 * slot->value;
    case IR_SLOT_EXPR:
        for (unsigned k = 0; k < slot->narg; k++)
            argument[k] = known[slot->arg[k]];
        ir_eval((enum ir_op)slot->op, slot->value, argument, slot->narg, &result);
        return result;
    }
    return 0;
}

static uint32_t uniforms[MOST_WORDS], textures[QPUCC_MAX_TEXTURES][4],
    streams[2][QPUCC_STAGE_COUNT][MOST_WORDS], known[MOST_SLOTS];

static struct qpucc_draw_values random_values(void) {
    struct qpucc_draw_values v = {.uniforms = uniforms,
                                  .textures = (const uint32_t(*)[4])textures,
                                  .stream_address = {0x1000, 0x2000, 0x3000},
                                  .uniform_address = 16 * below(1000)};
    uint32_t state[QPUCC_DRAW_STATE_WORDS];
    for (unsigned i = 0; i < MOST_WORDS; i++)
        uniforms[i] = random_value();
    for (unsigned i = 0; i < QPUCC_MAX_TEXTURES * 4; i++)
        textures[i / 4][i % 4] = random_value();
    for (unsigned i = 0; i < QPUCC_DRAW_STATE_WORDS; i++)
        state[i] = random_value();
    memcpy(&v.state, state, sizeof state);
    return v;
}

/* Returns the number of words compared. */
static size_t compare(const char *name, const qpucc_program *program) {
    struct qpucc_draw_values v = random_values();
    uint32_t *out[QPUCC_STAGE_COUNT];
    size_t words = 0;
    ck_assert_uint_le(program->uniform_words, MOST_WORDS);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        out[s] = memset(streams[1][s], 0xaa, sizeof streams[1][s]);
    ck_assert(qpucc_uniforms_fill_all(program, &v, out));
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        const struct program_stage *stage = &program->stages[s];
        size_t count = qpucc_uniforms_size(program, (enum qpucc_stage)s);
        if (!stage->code)
            continue;
        struct stage_stream *stream = program_stream(stage, NULL);
        ck_assert_ptr_nonnull(stream);
        ck_assert_uint_lt(count, MOST_WORDS);
        ck_assert_uint_le(stream->slot_count, MOST_SLOTS);
        streams[0][s][count] = 0x5afe;
        ck_assert(qpucc_uniforms_fill(program, (enum qpucc_stage)s, &v, streams[0][s]));
        ck_assert_uint_eq(streams[0][s][count], 0x5afe);
        ck_assert_uint_eq(streams[1][s][count], 0xaaaaaaaa);
        for (uint32_t i = 0; i < stream->slot_count; i++)
            known[i] = plain_value(program, (enum qpucc_stage)s, &stream->slots[i], &v, known);
        for (size_t i = 0; i < count; i++, words++)
            for (int k = 0; k < 2; k++)
                ck_assert_msg(streams[k][s][i] == known[stream->stream[i]],
                              "%s, stage %d, word %zu (slot %u) %s: %08x, not %08x", name, s, i,
                              stream->stream[i], k ? "of all" : "alone", streams[k][s][i],
                              known[stream->stream[i]]);
        ir_heap_free(stream);
    }
    return words;
}

/* --- random slots --------------------------------------------------------------------------------------- */

static struct ir_slot random_leaf(void) {
    struct ir_slot slot = {.type = IR_F32};
    switch (below(12)) {
    case 0: slot.kind = IR_SLOT_STREAM; break;
    case 1: slot.kind = IR_SLOT_ARRAY, slot.value = below(100); break;
    case 2:
        slot.kind = IR_SLOT_TEX, slot.value = below(QPUCC_MAX_TEXTURES), slot.param = (uint8_t)below(4);
        break;
    case 3: slot.kind = IR_SLOT_STATE, slot.value = below(QPUCC_DRAW_STATE_WORDS); break;
    case 4:
    case 5: slot.kind = IR_SLOT_CONST, slot.value = random_value(); break;
    default: slot.kind = IR_SLOT_UNIFORM, slot.value = below(120); break; /* of 100 */
    }
    return slot;
}

static bool random_expression(uint32_t before, struct ir_slot *slot) {
    static const enum ir_op frequent[] = {IR_FMUL, IR_FMUL, IR_FADD, IR_FADD, IR_FSUB, IR_FRCP, IR_FNEG};
    uint32_t pick = below(10), zero[4] = {0}, ignored;
    *slot = (struct ir_slot){.kind = IR_SLOT_EXPR, .value = below(4)};
    slot->op = (uint16_t)(pick < 7 ? frequent[pick] : below(IR_OP_COUNT));
    const struct ir_op_info *info = ir_op_info((enum ir_op)slot->op);
    slot->narg = info->min_src;
    slot->type = (uint8_t)(info->result[0] == 'i' ? IR_I32 : info->result[0] == 'b' ? IR_BOOL : IR_F32);
    for (unsigned k = 0; k < slot->narg && k < 4; k++) /* near ones make deep expressions */
        slot->arg[k] = below(2) ? below(before) : before - 1 - below(before < 20 ? before : 20);
    return info->folds && slot->narg >= 1 && slot->narg <= 4 &&
           (ir_eval((enum ir_op)slot->op, slot->value, zero, slot->narg, &ignored) || slot->op == IR_FRCP);
}

static struct qpucc_program *random_program(uint32_t slots, uint32_t words) {
    static uint64_t code;
    struct qpucc_program *program = program_create(NULL, NULL);
    program->uniform_words = 100;
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        struct program_stage *stage = &program->stages[s];
        if (s && below(4) == 0)
            continue; /* not every program has all stages */
        stage->code = &code;
        stage->slots = ir_alloc(program->arena, slots * sizeof *stage->slots);
        stage->slot_count = slots;
        if (s == QPUCC_COORDINATE && program->stages[QPUCC_VERTEX].code) /* much alike */
            memcpy(stage->slots, program->stages[QPUCC_VERTEX].slots, slots * sizeof *stage->slots);
        else
            for (uint32_t i = 0; i < slots; i++)
                if (i < 4 || below(3) == 0 || !random_expression(i, &stage->slots[i]))
                    stage->slots[i] = random_leaf();
        stage->stream = ir_alloc(program->arena, (words + 1) * sizeof *stage->stream);
        stage->stream_count = words;
        for (uint32_t i = 0; i < words; i++)
            stage->stream[i] = below(slots);
    }
    fill_prepare(program);
    ck_assert(!ir_arena_oom(program->arena));
    return program;
}

START_TEST(random_slots) {
    for (int n = 0; n < 40; n++) {
        seed = (uint64_t)_i * 100 + (uint64_t)n;
        struct qpucc_program *program = random_program(4 + below(200), below(60));
        for (int k = 0; k < 5; k++)
            compare("random slots", program);
        qpucc_program_free(program);
    }
}
END_TEST

/* Enough values at once that a fill has to ask for memory. */
START_TEST(large_streams) {
    seed = 7;
    struct qpucc_program *large = random_program(1200, 1200), *huge = random_program(30000, 30000),
                         *wide = random_program(120000, 60000);
    ck_assert_uint_lt(large->fill->values, QPUCC_FILL_WORDS);
    ck_assert_uint_gt(huge->fill->values, QPUCC_FILL_WORDS);
    ck_assert(!huge->fill->wide && wide->fill->wide);
    for (int k = 0; k < 5; k++) {
        compare("large streams", large);
        compare("huge streams", huge);
    }
    compare("streams of more values than 16 bits count", wide);
    qpucc_program_free(wide);
    qpucc_program_free(large);
    qpucc_program_free(huge);
}
END_TEST

/* A value that only values need which no word needs is not computed. */
START_TEST(dead_values_cost_nothing) {
    struct qpucc_program *program = program_create(NULL, NULL);
    struct program_stage *stage = &program->stages[QPUCC_FRAGMENT];
    enum { LONG = 500 };
    struct ir_slot slots[2 * LONG + 1] = {{.kind = IR_SLOT_UNIFORM}};
    uint64_t code = 0;
    uint32_t stream[1] = {LONG};
    for (uint32_t i = 1; i <= 2 * LONG; i++)
        slots[i] = (struct ir_slot){.kind = IR_SLOT_EXPR,
                                    .op = i % 2 ? IR_FMUL : IR_FADD,
                                    .narg = 2,
                                    .type = IR_F32,
                                    .arg = {i - 1, i == LONG + 1 ? i - 1 : 0}};
    *stage = (struct program_stage){
        .code = &code, .slots = slots, .slot_count = 2 * LONG + 1, .stream = stream, .stream_count = 1};
    program->uniform_words = 1;
    fill_prepare(program);
    uint32_t operations = 0;
    for (uint32_t i = 0; i < stage->fill->step_count; i++)
        operations += stage->fill->steps[i].count;
    ck_assert_uint_eq(operations, LONG);
    ck_assert_uint_eq(stage->fill->values, LONG + 1);
    compare("a chain", program);
    qpucc_program_free(program);
}
END_TEST

/* What vertex and coordinate stream have in common is computed once. */
START_TEST(stages_share_values) {
    static const char vertex[] = "uniform mat4 m; uniform float a; attribute vec4 p; varying float v;\n"
                                 "void main() { v = p.x * sin(a) * exp(a); gl_Position = m * p; }\n",
                      fragment[] = "precision highp float; uniform float a; varying float v;\n"
                                   "void main() { gl_FragColor = vec4(v * sin(a)); }\n";
    struct qpucc_source sources[2] = {{"a.vert", vertex, sizeof vertex - 1, QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, sizeof fragment - 1, QPUCC_FRAGMENT, QPUCC_GLSL}};
    qpucc_program *program = qpucc_compile(sources, 2, NULL, NULL);
    ck_assert_int_eq(qpucc_program_status(program), QPUCC_OK);
    unsigned sines = 0, sum = 0, joined = 0;
    for (uint32_t i = 0; i < program->fill->step_count; i++) {
        sines += program->fill->steps[i].op == IR_FSIN ? program->fill->steps[i].count : 0;
        joined += program->fill->steps[i].count;
    }
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        for (uint32_t i = 0; i < program->stages[s].fill->step_count; i++)
            sum += program->stages[s].fill->steps[i].count;
    ck_assert_uint_eq(sines, 1);
    ck_assert_uint_lt(joined, sum * 2 / 3);
    for (int k = 0; k < 20; k++)
        compare("shared", program);
    qpucc_program_free(program);
}
END_TEST

/* A program that got no further than linking knows its uniforms, and no layout of them but the packed one. */
START_TEST(programs_without_code) {
    struct qpucc_program *program = program_create(NULL, NULL);
    uint32_t std140[4] = {1, 2, 3, 4}, packed[3], stream[2] = {9, 9};
    uint32_t *const out[QPUCC_STAGE_COUNT] = {stream, stream, stream};
    struct qpucc_draw_values values = {.uniforms = std140, .layout = QPUCC_UNIFORMS_STD140};
    struct qpucc_uniform_place place;
    program->uniform_words = 3;
    program->status = QPUCC_DOES_NOT_FIT;
    qpucc_uniforms_pack(program, QPUCC_UNIFORMS_STD140, std140, packed);
    for (int k = 0; k < 3; k++)
        ck_assert_uint_eq(packed[k], 0);
    qpucc_uniforms_pack(program, QPUCC_UNIFORMS_PACKED, std140, packed);
    ck_assert_mem_eq(packed, std140, sizeof packed);
    ck_assert(!qpucc_program_uniform_place(program, QPUCC_UNIFORMS_STD140, 0, &place));
    ck_assert(!qpucc_uniforms_fill(program, QPUCC_VERTEX, &values, stream));
    ck_assert(!qpucc_uniforms_fill_all(program, &values, out));
    ck_assert_uint_eq(stream[0], 9);
    qpucc_program_free(program);
}
END_TEST

/* --- the corpus ----------------------------------------------------------------------------------------- */

#ifdef __SANITIZE_ADDRESS__ /* each takes five times as long */
#define EACH 8
#else
#define EACH 1
#endif

START_TEST(all_pairs) {
    char path[4096];
    snprintf(path, sizeof path, "%s/corpus/dev-pairs.jsonl", getenv("QPUCC_SHARED"));
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s cannot be read", path);
    char *line = NULL;
    size_t capacity = 0, words = 0;
    unsigned programs = 0;
    seed = 1;
    for (unsigned k = 0; getline(&line, &capacity, file) > 0; k++) {
        if (k % EACH)
            continue;
        json_t *json = json_loads(line, 0, NULL), *vertex = json_object_get(json, "vertex"),
               *fragment = json_object_get(json, "fragment");
        const char *name = json_string_value(json_object_get(json, "name"));
        struct qpucc_source sources[2] = {
            {name, json_string_value(vertex), json_string_length(vertex), QPUCC_VERTEX, QPUCC_GLSL},
            {name, json_string_value(fragment), json_string_length(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
        struct qpucc_options options = qpucc_options_default();
        options.opt_level = 1;
        qpucc_program *program = qpucc_compile(sources, 2, NULL, &options);
        for (int k = 0; k < 3 && program && qpucc_program_status(program) == QPUCC_OK; k++) {
            words += compare(name, program);
            programs += k == 0;
            ck_assert_uint_le(program->fill->values, QPUCC_FILL_WORDS); /* no fill allocates */
        }
        qpucc_program_free(program);
        json_decref(json);
    }
    free(line);
    fclose(file);
    printf("%u programs, %zu words\n", programs, words);
    ck_assert_uint_gt(programs, 400 / EACH);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("fill");
    TCase *tests = tcase_create("fill");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, random_slots, 0, 10);
    tcase_add_test(tests, large_streams);
    tcase_add_test(tests, dead_values_cost_nothing);
    tcase_add_test(tests, stages_share_values);
    tcase_add_test(tests, programs_without_code);
    if (getenv("QPUCC_SHARED") && *getenv("QPUCC_SHARED"))
        tcase_add_test(tests, all_pairs);
    else
        puts("the corpus is skipped: QPUCC_SHARED names no folder");
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
