/* The text form: print → parse → print is the identity; what is wrong is refused with its line; nothing
 * crashes. */
#include "ir/ir.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char sample[] =
    "shader fragment discard\n"
    "file \"shaders/a \\\"b\\\".frag\"\n"
    "file \"\\x01\\\\\"\n"
    "uniform \"light[0].pos\" float 4x1 word 0 highp used @1:3:9\n"
    "uniform \"m\" float 3x3 word 4 mediump array 2 location 7 by_location\n"
    "uniform \"flags\" bool 1x1 word 22 lowp array 1\n"
    "sampler \"tex\" sampler2D 1x1 word 0 lowp\n"
    "sampler \"sky\" samplerCube 1x1 word 1 lowp array 2\n"
    "words sampler 5\n"
    "input \"v\" float 2x1 word 0 mediump flat\n"
    "input \"w\" float 2x1 word 2 highp linear invariant\n"
    "output \"gl_FragColor\" float 4x1 word 0 highp\n"
    "var \"x\" f32 3 mediump\n"
    "var \"b\" bool 1\n"
    "b0:\n"
    "  %1 = const.f32 1.5\n"
    "  %2 = const.f32 -0.0\n"
    "  %3 = const.i32 -3\n"
    "  %4 = const.bool true\n"
    "  %50 = const.f32 #0x7f800000\n"
    "  %51 = const.f32 #0x7fc00001\n"
    "  %52 = const.f32 1e+20\n"
    "  %53 = const.f32 0.1\n"
    "  %54 = const.i32 #0x80000000\n"
    "  %55 = const.f32 1e-45\n"
    "  %5 = uniform.f32 expr(fmul, u[3], #0x3f800000) mediump\n"
    "  %6 = uniform.i32 tex4.p3\n"
    "  %7 = uniform.f32 viewport.x_scale\n"
    "  %60 = uniform.f32 expr(select, expr(flt, u[0], expr(unpack8f[3], frame.height)), u[1], depth.diff)\n"
    "  %61 = uniform.i32 stream\n"
    "  %62 = uniform.i32 array[22]\n"
    "  %63 = uniform.i32 expr(packcolor, u[0], u[1], u[2], #0x00000000)\n"
    "  %64 = uniform.bool expr(ine, u[22], #0x00000000)\n"
    "  %8 = input.f32 0\n"
    "  %81 = input.f32 1+2, %3\n"
    "  %82 = uniform_at.f32 u[4+18], %3\n"
    "  %83 = builtin.bool front_facing\n"
    "  %9 = tex s0.bias, %8, %8, %1 lowp @1:2:3\n"
    "  %90 = tex s2.cube.lod, %8, %8, %1, %2\n"
    "  %91 = tex s0, %8, %8\n"
    "  %10 = texel 2, %9\n"
    "  store v0[1], %10\n"
    "  store v0[0], %10, %3 exact\n"
    "  store v1[0], %4\n"
    "  %92 = pack8f 3, %6, %10 lowp exact @0:65:1\n"
    "  jump b7\n"
    "b7: unroll\n"
    "  %20 = phi.i32 b0 %3, b9 %21, b12 %20\n"
    "  %22 = ilt %20, %6\n"
    "  branch %22, b3, b11 dont_flatten @0:9:0\n"
    "b3:\n"
    "  %21 = iadd %20, %20\n"
    "  %30 = load.f32 v0[1]\n"
    "  %32 = load.f32 v0[1], %21\n"
    "  %31 = flt %30, %5\n"
    "  branch %31, b9, b10\n"
    "b9:\n"
    "  jump b7\n"
    "b10:\n"
    "  branch %22, b11, b12\n"
    "b12:\n"
    "  jump b7\n"
    "b11:\n"
    "  %40 = load.f32 v0[0]\n"
    "  output 0, %40\n"
    "  discard %4\n"
    "  end\n";

static char *round_trip(const char *text) {
    char error[300];
    struct ir_shader *s = ir_parse(text, strlen(text), error, sizeof error);
    ck_assert_msg(s != NULL, "%s\n%s", error, text);
    char *out = ir_print_to_string(s);
    ir_shader_destroy(s);
    return out;
}

START_TEST(the_sample_comes_back) {
    char *once = round_trip(sample);
    ck_assert_str_eq(once, sample);
    char *twice = round_trip(once);
    ck_assert_str_eq(once, twice);
    free(once);
    free(twice);
}
END_TEST

START_TEST(other_spellings) {
    char *out = round_trip("; nothing here\n\n  shader   vertex lowered point_size ; flags\n"
                           "uniform \"u\" int 2x1\r\n"
                           "attr 4 0\nattr 2 1\nvary 3\nvary point\n"
                           "b4:\n"
                           "%7=uniform.i32 expr( iadd ,u[1],7 );tight\n"
                           "\t%8 = const.i32 0xffffffff\n"
                           "%9 = const.f32 3\n"
                           "%10 = const.bool #0x1\n"
                           "%11 = iadd.i32 %7, %8 highp\n"
                           "%12 = uniform.f32 2.0\n"
                           "  vpm_out 300, %11\n"
                           "end");
    ck_assert_str_eq(out, "shader vertex lowered point_size\n"
                          "uniform \"u\" int 2x1 word 0 highp\n"
                          "attr 4 0\nattr 2 1\nvary 3\nvary point\n"
                          "b4:\n"
                          "  %7 = uniform.i32 expr(iadd, u[1], #0x00000007)\n"
                          "  %8 = const.i32 -1\n"
                          "  %9 = const.f32 3.0\n"
                          "  %10 = const.bool true\n"
                          "  %11 = iadd %7, %8\n"
                          "  %12 = uniform.f32 #0x40000000\n"
                          "  vpm_out 300, %11\n"
                          "  end\n");
    free(out);
}
END_TEST

static struct ir_inst *value_of(struct ir_builder *b, char kind, enum ir_type star) {
    enum ir_type type = kind == 'f' ? IR_F32 : kind == 'i' ? IR_I32 : kind == 'b' ? IR_BOOL : star;
    return ir_const(b, type, type == IR_BOOL ? 1 : 0x40490fdb);
}

/* One instruction of every operation, with every count of sources up to four, of every type. */
START_TEST(every_operation) {
    for (int op = 0; op < IR_OP_COUNT; op++) {
        const struct ir_op_info *info = ir_op_info((enum ir_op)op);
        if (op == IR_PHI || info->terminator)
            continue;
        int done = 0;
        for (uint32_t variant = 0; variant < 2 * 2 * 3 * 5; variant++) {
            bool lowered = variant & 1;
            enum qpucc_stage stage = variant & 2 ? QPUCC_VERTEX : QPUCC_FRAGMENT;
            enum ir_type star = (enum ir_type)(IR_F32 + variant / 4 % 3);
            uint32_t nsrc = variant / 12;
            if (nsrc < info->min_src || (info->max_src != 255 && nsrc > info->max_src))
                continue;
            struct ir_shader *s = ir_shader_create(NULL, stage);
            s->lowered = lowered;
            s->inputs.words = s->outputs.words = s->uniforms.words = s->samplers.words = 4;
            ir_add_symbol(s, &s->inputs, "i"), ir_add_symbol(s, &s->outputs, "o");
            for (struct ir_symtab *t = &s->inputs; t <= &s->outputs; t++)
                *t->sym =
                    (struct ir_symbol){.name = "i", .rows = 4, .cols = 1, .array_len = 1, .location = -1};
            ir_add_var(s, "v", star, 2);
            struct ir_builder b = ir_builder_at_end(s->blocks[0]);
            b.precision = variant % 3;
            struct ir_inst *src[4];
            const char *kinds = info->sources;
            char kind = '-';
            for (uint32_t k = 0; k < nsrc; k++) {
                while (*kinds == '(')
                    kinds++;
                kind = *kinds == '+' || !*kinds ? kind : *kinds++;
                src[k] = value_of(&b, kind, star);
            }
            if (op == IR_TEXEL)
                src[0] = ir_emit(&b, IR_TEX, IR_I32, 2,
                                 (struct ir_inst *[]){value_of(&b, 'f', 0), value_of(&b, 'f', 0)}, 1, 0);
            char r = info->result[0];
            enum ir_type type = r == 'f'   ? IR_F32
                                : r == 'i' ? IR_I32
                                : r == 'b' ? IR_BOOL
                                : r == '*' ? star
                                           : IR_VOID;
            uint32_t imm = info->imm >= IR_IMM_BYTE && info->imm <= IR_IMM_ROW ? 1 : 0, aux = 0;
            if (info->imm == IR_IMM_SLOT)
                imm = ir_slot(s, (struct ir_slot){.kind = IR_SLOT_UNIFORM, .type = type, .value = 2});
            if (info->imm == IR_IMM_BITS)
                imm = star == IR_BOOL ? 0 : 0xdeadbeef;
            if (info->imm == IR_IMM_RANGE)
                imm = 1, aux = 3;
            if (info->imm == IR_IMM_VAR)
                aux = 1;
            if (info->imm == IR_IMM_BUILTIN)
                imm = star == IR_BOOL ? IR_BUILTIN_FRONT_FACING : IR_BUILTIN_POINT_COORD_Y;
            if (info->imm == IR_IMM_TEX)
                imm = 1, aux = nsrc == 4 ? IR_TEX_CUBE | IR_TEX_LOD : nsrc == 3 ? IR_TEX_BIAS : 0;
            ir_emit(&b, (enum ir_op)op, type, nsrc, src, imm, aux);
            ir_end(&b);
            if (ir_verify(s, NULL, 0)) { /* this variant is one for this operation */
                char *text = ir_print_to_string(s), *back = round_trip(text);
                ck_assert_str_eq(text, back);
                ck_assert_ptr_nonnull(strstr(text, info->text));
                free(text);
                free(back);
                done++;
            }
            ir_shader_destroy(s);
        }
        ck_assert_msg(done > 0, "no variant of %s", info->text);
    }
}
END_TEST

static const struct {
    const char *text, *error;
} wrong[] = {
    {"", "line 1: no shader"},
    {"b0:\n  end\n", "line 1: expected 'shader STAGE' before b0"},
    {"shader geometry\n", "line 1: unknown stage 'geometry'"},
    {"shader vertex fast\n", "line 1: unknown flag 'fast'"},
    {"shader vertex\nshader vertex\n", "line 2: a second shader"},
    {"file \"x\"\n", "line 1: expected 'shader STAGE' first"},
    {"shader vertex\n\n", "line 3: no blocks"},
    {"shader vertex\ncolour red\n", "line 2: unknown line 'colour'"},
    {"shader vertex\nuniform \"u\" vec4 4x1\n", "line 2: unknown base type 'vec4'"},
    {"shader vertex\nuniform \"u\" float 5x1\n", "line 2: more than 4"},
    {"shader vertex\nuniform \"u\" float 1x1 red\n", "line 2: unknown attribute 'red'"},
    {"shader vertex\nuniform \"u float 1x1\n", "line 2: string without an end"},
    {"shader vertex\nuniform \"a\\x00b\" float 1x1\n", "line 2: zero byte"},
    {"shader vertex\nuniform \"u\" float 1x1 array 99999999999\n", "line 2: number too large"},
    {"shader vertex\nvar \"v\" f64 1\n", "line 2: unknown type 'f64'"},
    {"shader vertex\nvar \"v\" f32 99999999\n", "line 2: variable too large"},
    {"shader vertex\nb0:\n  end\nb0:\n  end\n", "line 4: b0 is already defined"},
    {"shader vertex\nb0:\n  end\n  end\n", "line 4: instruction after the end"},
    {"shader vertex\nb0:\n  jump b1\n", "no block b1"},
    {"shader vertex\nb0:\n  jump\n", "line 3: expected 1 blocks"},
    {"shader vertex\nb0:\n  jump b0, b1\n", "line 3: too many blocks"},
    {"shader vertex\nb0:\n  %1 = fly %2\n  end\n", "line 3: unknown operation 'fly'"},
    {"shader vertex\nb0:\n  %1 = fneg %2\n  end\n", "no value %2"},
    {"shader vertex\nb0:\n  %1 = const 1\n  end\n", "line 3: const needs a type"},
    {"shader vertex\nb0:\n  %1 = const.f64 1\n  end\n", "line 3: unknown type 'f64'"},
    {"shader vertex\nb0:\n  %1 = fneg.i32 %1\n  end\n", "line 3: fneg does not give i32"},
    {"shader vertex\nb0:\n  const.f32 1.0\n  end\n", "line 3: const needs a name"},
    {"shader vertex\nb0:\n  %1 = end\n", "line 3: end has no result"},
    {"shader vertex\nb0:\n  %1 = const.f32 1.0\n  %1 = const.f32 1.0\n  end\n",
     "line 4: %1 is already defined"},
    {"shader vertex\nb0:\n  %1 = const.f32 1.0.0\n  end\n", "line 3: expected a constant"},
    {"shader vertex\nb0:\n  %1 = const.i32 1.5\n  end\n", "line 3: expected a constant"},
    {"shader vertex\nb0:\n  %1 = const.i32 4294967296\n  end\n", "line 3: number out of range"},
    {"shader vertex\nb0:\n  %1 = const.i32 -\n  end\n", "line 3: expected a constant"},
    {"shader vertex\nb0:\n  %1 = const.bool maybe\n  end\n", "line 3: expected true or false"},
    {"shader vertex\nb0:\n  %99999999 = const.i32 1\n  end\n", "line 3: number 99999999 too large"},
    {"shader vertex\nb0:\n  %1 = uniform.f32 nothing\n  end\n", "line 3: unknown slot 'nothing'"},
    {"shader vertex\nb0:\n  %1 = uniform.f32 expr(fmul, 1.0\n  end\n", "line 3: expected ')'"},
    {"shader vertex\nb0:\n  %1 = uniform.f32 expr(tex, 1.0, 1.0)\n  end\n", "bad expression"},
    {"shader vertex\nb0:\n  %1 = uniform.f32 slot0\n  end\n", "line 3: no slot 0"},
    {"shader vertex\nuniform \"u\" float 1x1 initial 7 array 2\nb0:\n  end\n",
     "line 2: the length of an array"},
    {"shader vertex\nslot 1 f32 1.0\nb0:\n  end\n", "line 2: expected slot 0"},
    {"shader vertex\nslot 0 f16 1.0\nb0:\n  end\n", "line 2: unknown type 'f16'"},
    {"shader vertex\nb0:\n  %1 = uniform.f32 tex0.p4\n  end\n", "line 3: unknown slot 'tex0.p4'"},
    {"shader fragment\nb0:\n  %1 = builtin.f32 frag_coord_q\n  end\n", "line 3: unknown builtin"},
    {"shader vertex\nb0:\n  %1 = const.i32 1 nice\n  end\n", "line 3: unknown attribute 'nice'"},
    {"shader vertex\nb0:\n  %1 = const.i32 1 flatten\n  end\n", "line 3: unknown attribute 'flatten'"},
    {"shader vertex\nb0:\n  %1 = const.bool true\n  branch %1, b1, b2 unroll\nb1:\n  jump b2\nb2:\n  end\n",
     "line 4: unknown attribute 'unroll'"},
    {"shader vertex\nb0: nice\n  end\n", "line 2: unknown hint 'nice'"},
    {"shader vertex\nb0: flatten\n  end\n", "line 2: unknown hint 'flatten'"},
    {"shader vertex\nb0: unroll unroll\n  end\n", "line 2: unexpected text"},
    {"shader vertex\nb0:\n  %1 = const.i32 1 @1:2\n  end\n", "line 3: expected ':'"},
    {"shader vertex\nb0:\n  %1 = const.i32 1 %\n  end\n", "line 3: unexpected character"},
    {"shader vertex\nb0:\n  %1 = tex s0.warp\n  end\n", "line 3: unknown texture flag"},
    {"shader vertex\nb0:\n  %1 = const.f32 1.0\n\n  %2 = iadd %1, %1\n  end\n",
     "line 5: %2 (iadd) in b0: source 0 (%1) has type f32"},
};

START_TEST(wrong_text_is_refused_with_its_line) {
    char error[300];
    struct ir_shader *s = ir_parse(wrong[_i].text, strlen(wrong[_i].text), error, sizeof error);
    ck_assert_ptr_null(s);
    ck_assert_msg(strstr(error, wrong[_i].error) != NULL, "%s\ngave: %s\ninstead of: %s", wrong[_i].text,
                  error, wrong[_i].error);
}
END_TEST

/* A draw's word that has no name could not be written down; the borders have one for each unit. */
START_TEST(every_word_of_a_draw_has_a_name) {
    for (unsigned i = 0; i < IR_STATE_COUNT; i++)
        ck_assert_msg(ir_state_names[i], "word %u", i);
    ck_assert_str_eq(ir_state_names[IR_STATE_BORDER_0 + QPUCC_MAX_TEXTURES - 1], "border.31");
}
END_TEST

/* As much as there may be of a thing is accepted. */
START_TEST(limits_are_included) {
    static const char eight[] =
        "attr 4 0\nattr 4 1\nattr 4 2\nattr 4 3\nattr 4 4\nattr 4 5\nattr 4 6\nattr 4 7\n";
    char text[400], error[300];
    for (int more = 0; more < 2; more++) {
        snprintf(text, sizeof text,
                 "shader vertex\nuniform \"u\" float 1x1 word 0 array 16777216\n%s%sb0:\n  end\n", eight,
                 more ? "attr 4 0\n" : "");
        struct ir_shader *s = ir_parse(text, strlen(text), error, sizeof error);
        ck_assert_msg((s != NULL) == !more, "%s", error);
        ck_assert(s || strstr(error, "line 11: more than 8 attributes"));
        ir_shader_destroy(s);
    }
}
END_TEST

/* Each step reads the one before it three times: written out that would be 3^STEPS. */
START_TEST(shared_expressions_stand_once) {
    enum { STEPS = 500 };
    struct ir_shader *s = ir_shader_create(NULL, QPUCC_FRAGMENT);
    struct ir_builder b = ir_builder_at_end(s->blocks[0]);
    s->uniforms.words = 1;
    struct ir_slot value = {.kind = IR_SLOT_UNIFORM, .type = IR_F32};
    uint32_t at = ir_slot(s, value);
    for (int k = 0; k < STEPS; k++) {
        value =
            (struct ir_slot){.kind = IR_SLOT_EXPR, .op = IR_FMUL, .type = IR_F32, .narg = 2, .arg = {at, at}};
        uint32_t square = ir_slot(s, value);
        value.op = k % 2 ? IR_FADD : IR_FSUB;
        value.arg[0] = square;
        at = ir_slot(s, value);
    }
    ir_uniform(&b, IR_F32, at);
    ir_end(&b);
    char *text = ir_print_to_string(s), *back = round_trip(text);
    ck_assert_str_eq(text, back);
    ck_assert(strlen(text) < 1000 * STEPS);
    ck_assert_ptr_nonnull(strstr(text, "\nslot 1 f32 expr(f"));
    free(text), free(back);
    ir_shader_destroy(s);
}
END_TEST

START_TEST(deep_nesting_is_refused) {
    size_t n = 0, depth = 20000;
    char *text = malloc(depth * 20 + 100), error[100];
    n += (size_t)sprintf(text, "shader vertex\nb0:\n  %%1 = uniform.f32 ");
    for (size_t k = 0; k < depth; k++)
        n += (size_t)sprintf(text + n, "expr(fneg, ");
    ck_assert_ptr_null(ir_parse(text, n, error, sizeof error));
    ck_assert_ptr_nonnull(strstr(error, "nested too deep"));
    free(text);
}
END_TEST

/* Damaged text: anything may come out but a crash, and what is accepted has to come back. */
START_TEST(damaged_text) {
    static const char *const pieces[] = {"%",     "b0",          "b99",           "%1",       ",",
                                         "(",     "expr(fmul, ", "#0x",           "u[",       "4294967295",
                                         "-",     "\n",          "end\n",         "phi.f32 ", "@",
                                         "\"",    "\\x",         "[0]",           ".cube",    ":",
                                         "b7:\n", "%4194303",    "\xff",          "tex ",     "1e99",
                                         "v0[",   "s0",          "jump b3\n",     ";",        "=",
                                         "nan",   "0.0",         "array 16777216"};
    uint64_t state = 12345 + (uint64_t)_i;
#define PICK(n)                                                                                              \
    (state = state * 6364136223846793005u + 1442695040888963407u, (uint32_t)(state >> 33) % (uint32_t)(n))
    char *text = malloc(2 * sizeof sample + 4000), error[300];
    int accepted = 0;
    for (int round = 0; round < 600; round++) {
        size_t n = sizeof sample - 1;
        memcpy(text, sample, n);
        for (uint32_t k = 1 + PICK(3); k > 0; k--) {
            size_t at = PICK(n), length = PICK(12);
            if (length > n - at)
                length = n - at;
            switch (PICK(5)) {
            case 0: /* cut out */
                memmove(text + at, text + at + length, n - at - length);
                n -= length;
                break;
            case 1: { /* put in */
                const char *piece = pieces[PICK(sizeof pieces / sizeof *pieces)];
                size_t more = strlen(piece);
                memmove(text + at + more, text + at, n - at);
                memcpy(text + at, piece, more);
                n += more;
                break;
            }
            case 2: text[at] = (char)PICK(256); break;
            case 3: { /* a digit to another */
                char *digit = text + at;
                while (digit < text + n && (*digit < '0' || *digit > '9'))
                    digit++;
                if (digit < text + n)
                    *digit = (char)('0' + PICK(10));
                break;
            }
            default:
                if (PICK(10) == 0)
                    n = at; /* cut off */
            }
            if (n == 0)
                break;
        }
        char *exact = malloc(n ? n : 1); /* so that reading past the end is seen */
        memcpy(exact, text, n);
        struct ir_shader *s = ir_parse(exact, n, error, sizeof error);
        free(exact);
        if (!s) {
            ck_assert_msg(strncmp(error, "line ", 5) == 0, "%s", error);
            continue;
        }
        accepted++;
        char *out = ir_print_to_string(s), *back = round_trip(out);
        ck_assert_str_eq(out, back);
        free(out);
        free(back);
        ir_cfg_update(s);
        ir_dominators(s);
        ir_loops(s);
        ck_assert_msg(ir_verify(s, error, sizeof error), "%s", error);
        ir_shader_destroy(s);
    }
    ck_assert_int_gt(accepted, 20); /* not everything is refused for one reason */
    free(text);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("ir text");
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, the_sample_comes_back);
    tcase_add_test(c, other_spellings);
    tcase_add_test(c, every_operation);
    tcase_add_loop_test(c, wrong_text_is_refused_with_its_line, 0, sizeof wrong / sizeof *wrong);
    tcase_add_test(c, every_word_of_a_draw_has_a_name);
    tcase_add_test(c, limits_are_included);
    tcase_add_test(c, shared_expressions_stand_once);
    tcase_add_test(c, deep_nesting_is_refused);
    tcase_add_loop_test(c, damaged_text, 0, 8);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
