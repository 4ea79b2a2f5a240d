/* The verifier: every kind of fault is refused, with words that name it; what is sound is not. */
#include "ir/ir.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define HEAD                                                                                                 \
    "uniform \"u\" float 4x1 word 0\nsampler \"t\" sampler2D 1x1 word 0\ninput \"v\" float 2x1 word 0\n"     \
    "output \"c\" float 4x1 word 0\nvar \"x\" f32 2\nvar \"n\" i32 1\n"
#define FRAGMENT "shader fragment\n" HEAD
#define LOWERED "shader fragment lowered\n" HEAD
#define VERTEX "shader vertex\n" HEAD
#define VALUES "b0:\n  %0 = const.f32 0.5\n  %1 = const.i32 3\n  %2 = const.bool true\n"

/* Faults that can be written down: ir_parse hands its result to the verifier. NULL: sound. */
static const struct {
    const char *text, *error;
} cases[] = {
    {FRAGMENT VALUES "  end\n", NULL},
    /* tables */
    {"shader vertex\nuniform \"u\" float 2x1 word 3\nb0:\n  end\n", "outside the 2 words"},
    {"shader vertex\nuniform \"u\" float 2x1 word 0\nwords uniform 1\nb0:\n  end\n", "outside the 1 words"},
    {"shader vertex\nuniform \"u\" float 2x1 word 2\nuniform \"v\" float 2x1 word 0\nwords uniform 4\n"
     "b0:\n  end\n",
     "uniform 1: before the end of the one before it"},
    {"shader vertex\nuniform \"u\" float 2x1 array 0\nb0:\n  end\n", "field out of range"},
    {"shader vertex\ninput \"i\" float 0x1\nb0:\n  end\n", "field out of range"},
    {"shader vertex\ninput \"i\" float 1x0\nb0:\n  end\n", "field out of range"},
    {"shader vertex\ninput \"i\" sampler2D 4x4\nb0:\n  end\n", "field out of range"},
    {"shader vertex\nsampler \"s\" float 1x1\nb0:\n  end\n", "field out of range"},
    {"shader vertex\nwords input 16777216\nb0:\n  end\n", NULL},
    {"shader vertex\nwords input 16777217\nb0:\n  end\n", "16777217 words of inputs"},
    {"shader vertex\nwords input 4\nb0:\n  %0 = input.f32 0\n  end\n", "index 0 out of range"},
    {"shader vertex\ninput \"i\" int 1x1\nb0:\n  %0 = input.f32 0\n  end\n", "the input is a int"},
    {"shader vertex\ninput \"i\" float 1x1\nb0:\n  %0 = input.i32 0\n  end\n", "the input is a float"},
    {"shader vertex\ninput \"i\" bool 1x1\nb0:\n  %0 = input.bool 0\n  end\n", NULL},
    {"shader vertex\nwords output 4\nb0:\n  %0 = undef.f32\n  output 0, %0\n  end\n", "index 0 out of range"},
    /* slots */
    {FRAGMENT VALUES "  %9 = uniform.f32 u[4]\n  end\n", "slot 0: type or value out of range"},
    {FRAGMENT VALUES "  %9 = uniform.i32 tex1.p0\n  end\n", "slot 0: type or value out of range"},
    {FRAGMENT VALUES "  %9 = uniform.bool #0x00000002\n  end\n", "slot 0: type or value out of range"},
    {FRAGMENT VALUES "  %9 = uniform.f32 u[0]:i32\n  end\n", "slot has type i32"},
    {FRAGMENT VALUES "  %9 = uniform.f32 expr(fadd, u[0])\n  end\n", "bad expression"},
    {FRAGMENT VALUES "  %9 = uniform.f32 expr(fadd, u[0], u[0], u[0])\n  end\n", "bad expression"},
    {FRAGMENT VALUES "  %9 = uniform.f32 expr(sfu_rcp, u[0])\n  end\n", "bad expression"},
    {FRAGMENT VALUES "  %9 = uniform.f32 expr(fadd, u[0], u[0]:i32)\n  end\n", "slot 2: type or value"},
    {FRAGMENT VALUES "  %9 = uniform.f32 expr(fadd[3], u[0], u[0])\n  end\n", "slot 1: type or value"},
    {FRAGMENT VALUES "  %9 = uniform.f32 expr(select, expr(feq, u[0], u[1]), u[0], u[1])\n  end\n", NULL},
    /* structure */
    {FRAGMENT VALUES, "block ends without a terminator"},
    {FRAGMENT VALUES "  jump b1\nb1:\n", "b1: block without a terminator"},
    {FRAGMENT VALUES "  branch %2, b1, b1\nb1:\n  end\n", "both sides go to b1"},
    {FRAGMENT VALUES "  jump b0\n", "goes to the entry block"},
    {FRAGMENT VALUES "  branch %2, b1, b2\nb1:\n  end\nb2:\n  end\n", "a second end"},
    {FRAGMENT VALUES "  jump b1\nb1:\n  %3 = fneg %0\n  %4 = phi.f32 b0 %0\n  end\n",
     "phi after other instructions"},
    {FRAGMENT VALUES "  end @1:0:0\n", "no file 1"},
    {FRAGMENT VALUES "  jump b2\nb1:\n  jump b2\nb2:\n  end\n", NULL}, /* unreachable is not unsound */
    /* types */
    {FRAGMENT VALUES "  %3 = fadd %0, %1\n  end\n", "source 1 (%1) has type i32"},
    {FRAGMENT VALUES "  %3 = fadd %0\n  end\n", "1 sources"},
    {FRAGMENT VALUES "  %3 = fadd %0, %0, %0\n  end\n", "3 sources"},
    {FRAGMENT VALUES "  %3 = select.f32 %2, %0, %1\n  end\n", "source 2 (%1) has type i32"},
    {FRAGMENT VALUES "  %3 = select.i32 %2, %0, %0\n  end\n", "source 1 (%0) has type f32"},
    {FRAGMENT VALUES "  %3 = select.f32 %1, %0, %0\n  end\n", "source 0 (%1) has type i32"},
    {FRAGMENT VALUES "  branch %1, b1, b2\nb1:\n  jump b2\nb2:\n  end\n", "source 0 (%1) has type i32"},
    {FRAGMENT VALUES "  jump b1\nb1:\n  %3 = phi.i32 b0 %0\n  end\n", "source 0 (%0) has type f32"},
    /* immediates */
    {FRAGMENT VALUES "  %3 = const.bool #0x2\n  end\n", "boolean 2"},
    {FRAGMENT VALUES "  %3 = load.f32 v0[2]\n  end\n", "no word v0[2]"},
    {FRAGMENT VALUES "  %3 = load.f32 v2[0]\n  end\n", "no word v2[0]"},
    {FRAGMENT VALUES "  %3 = load.i32 v0[0]\n  end\n", "v0 has type f32"},
    {FRAGMENT VALUES "  store v0[0], %1\n  end\n", "v0 has type f32"},
    {FRAGMENT VALUES "  store v0[0], %0, %0\n  end\n", "source 1 (%0) has type f32"},
    {FRAGMENT VALUES "  %3 = unpack8f 4, %1\n  end\n", "index 4 out of range"},
    {FRAGMENT VALUES "  %3 = unpack16i 2, %1\n  end\n", "index 2 out of range"},
    {FRAGMENT VALUES "  %3 = input.f32 2\n  end\n", "index 2 out of range"},
    {FRAGMENT VALUES "  output 4, %0\n  end\n", "index 4 out of range"},
    {FRAGMENT VALUES "  %3 = uniform_at.f32 u[1+4], %1\n  end\n", "uniform words 1+4 out of range"},
    {FRAGMENT VALUES "  %3 = uniform_at.f32 u[1+0], %1\n  end\n", "uniform words 1+0 out of range"},
    {FRAGMENT VALUES "  %3 = tex s1, %0, %0\n  end\n", "no sampler 1"},
    {FRAGMENT VALUES "  %3 = buffer_at.f32 s1, %1\n  end\n", "index 1 out of range"},
    {FRAGMENT VALUES "  %3 = texel 0, %1\n  end\n", "source is not a texture lookup"},
    {FRAGMENT VALUES "  %3 = tex s0.bias.lod, %0, %0, %0\n  end\n", "bad texture flags"},
    {FRAGMENT VALUES "  %3 = tex s0.cube, %0, %0\n  end\n", "2 sources where the flags want 3"},
    {FRAGMENT VALUES "  %3 = tex s0, %0, %0, %0\n  end\n", "3 sources where the flags want 2"},
    {FRAGMENT VALUES "  %3 = texel 0, %1\n  end\n", "source is not a texture lookup"},
    {FRAGMENT VALUES "  %3 = builtin.f32 front_facing\n  end\n", "is a bool"},
    {LOWERED VALUES "  %3 = vary 64, %0\n  end\n", "index 64 out of range"},
    /* stages */
    {VERTEX VALUES "  %3 = ddx %0\n  end\n", "not allowed in this stage"},
    {VERTEX VALUES "  discard %2\n  end\n", "not allowed in this stage"},
    {VERTEX VALUES "  %3 = builtin.f32 frag_coord_x\n  end\n", "not allowed in this stage"},
    {FRAGMENT VALUES "  tlb_color %1\n  end\n", "not allowed in this stage"},
    {LOWERED VALUES "  output 0, %0\n  end\n", "not allowed in this stage after lower_stage"},
    {LOWERED VALUES "  %3 = attr.f32 0\n  end\n", "not allowed in this stage"},
    {LOWERED VALUES "  discard %2\n  end\n", "not allowed in this stage"},
    {LOWERED VALUES "  tlb_color %1, %2\n  end\n", NULL},
    {FRAGMENT VALUES "  discard %2\n  jump b1\nb1:\n  end\n", "outside the last block"},
    /* phis */
    {FRAGMENT VALUES "  branch %2, b1, b2\nb1:\n  jump b2\nb2:\n  %3 = phi.f32 b0 %0\n  end\n",
     "1 sources for 2 predecessors"},
    {FRAGMENT VALUES "  branch %2, b1, b2\nb1:\n  jump b2\nb2:\n  %3 = phi.f32 b0 %0, b0 %0\n  end\n",
     "sources for predecessor"},
    {FRAGMENT VALUES "  branch %2, b1, b2\nb1:\n  jump b2\nb2:\n  %3 = phi.f32 b0 %0, b2 %0\n  end\n",
     "0 sources for predecessor b1"},
    /* dominance */
    {FRAGMENT VALUES "  %3 = fneg %4\n  %4 = fneg %0\n  end\n",
     "used where its source 0 (%4 in b0) is not there"},
    {FRAGMENT VALUES "  %3 = fneg %3\n  end\n", "used where its source 0 (%3 in b0)"},
    {FRAGMENT VALUES "  branch %2, b1, b2\nb1:\n  %3 = fneg %0\n  jump b2\nb2:\n  %4 = fneg %3\n  end\n",
     "used where its source 0 (%3 in b1)"},
    {FRAGMENT VALUES "  %4 = fneg %3\n  branch %2, b1, b2\nb1:\n  %3 = fneg %0\n  jump b2\nb2:\n  end\n",
     "used where its source 0 (%3 in b1)"},
    {FRAGMENT VALUES "  %4 = fneg %3\n  branch %2, b1, b2\nb1:\n  jump b2\nb2:\n  %3 = fneg %0\n  end\n",
     "used where its source 0 (%3 in b2)"},
    {FRAGMENT VALUES
     "  branch %2, b1, b2\nb1:\n  %3 = fneg %0\n  jump b2\nb2:\n  %4 = phi.f32 b0 %3, b1 %0\n  end\n",
     "used where its source 0 (%3 in b1)"},
    {FRAGMENT VALUES
     "  branch %2, b1, b2\nb1:\n  %3 = fneg %0\n  jump b2\nb2:\n  %4 = phi.f32 b0 %0, b1 %3\n  end\n",
     NULL},
    {FRAGMENT VALUES "  jump b1\nb1:\n  %3 = phi.f32 b0 %0, b2 %4\n  branch %2, b2, b3\nb2:\n  %4 = fneg "
                     "%3\n  jump b1\nb3:\n  end\n",
     NULL},
    {FRAGMENT VALUES "  jump b2\nb1:\n  %3 = fneg %4\n  jump b2\nb2:\n  %4 = fneg %0\n  end\n",
     NULL}, /* never run */
};

START_TEST(written_faults) {
    char error[300];
    struct ir_shader *s = ir_parse(cases[_i].text, strlen(cases[_i].text), error, sizeof error);
    if (!cases[_i].error)
        ck_assert_msg(s != NULL, "%s\n%s", cases[_i].text, error);
    else
        ck_assert_msg(!s && strstr(error, cases[_i].error), "%s\ngave: %s\ninstead of: %s", cases[_i].text,
                      s ? "nothing" : error, cases[_i].error);
    ir_shader_destroy(s);
}
END_TEST

static const char loop[] =
    FRAGMENT VALUES "  jump b1\nb1:\n  %3 = phi.f32 b0 %0, b2 %4\n  branch %2, b2, b3\n"
                    "b2:\n  %4 = fneg %3\n  jump b1\nb3:\n  output 0, %3\n  end\n";

static void refused(struct ir_shader *s, const char *why) {
    char error[300] = "accepted";
    bool good = ir_verify(s, error, sizeof error);
    ck_assert_msg(!good && strstr(error, why), "%s instead of: %s", error, why);
    char tiny[5]; /* a short buffer is respected, and none is needed */
    ck_assert(!ir_verify(s, tiny, sizeof tiny));
    ck_assert(!ir_verify(s, NULL, 0));
}

/* Faults that text can't say: broken lists and leftovers, one a case. */
START_TEST(made_faults) {
    char error[100];
    struct ir_shader *s = ir_parse(loop, strlen(loop), error, sizeof error);
    ck_assert_msg(s != NULL, "%s", error);
    struct ir_inst *phi = s->blocks[1]->first, *neg = s->blocks[2]->first, *half = s->blocks[0]->first;
    struct ir_shader *other = ir_shader_create(NULL, QPUCC_FRAGMENT);
    switch (_i) {
    case 0:
        neg->mark = true;
        refused(s, "mark left set");
        break;
    case 1:
        neg->forward = phi;
        refused(s, "replaced, but still here");
        break;
    case 2:
        neg->id = phi->id;
        refused(s, "id used twice");
        break;
    case 3:
        neg->id = s->next_id;
        refused(s, "out of range");
        break;
    case 4:
        neg->prev = phi;
        refused(s, "badly linked");
        break;
    case 5:
        neg->block = s->blocks[0];
        refused(s, "badly linked");
        break;
    case 6:
        neg->op = IR_OP_COUNT;
        refused(s, "unknown operation");
        break;
    case 7:
        s->blocks[3]->first->type = 9;
        refused(s, "no type 9");
        break;
    case 8:
        neg->precision = 3;
        refused(s, "no precision 3");
        break;
    case 9:
        neg->src[0] = NULL;
        refused(s, "source 0 is missing");
        break;
    case 10:
        ir_remove(half);
        refused(s, "not in the shader");
        break;
    case 11:
        s->blocks[2]->id = s->blocks[1]->id;
        refused(s, "id used twice");
        break;
    case 12:
        s->blocks[2]->succ[0] = other->blocks[0];
        refused(s, "goes to a block that is not in the shader");
        break;
    case 13:
        s->blocks[2]->succ[1] = s->blocks[3];
        refused(s, "successors do not fit the terminator");
        break;
    case 14:
        s->blocks[1]->succ[1] = NULL;
        refused(s, "successors do not fit the terminator");
        break;
    case 15:
        s->blocks[2]->shader = other;
        refused(s, "of another shader");
        break;
    case 16:
        s->nblocks = 0;
        refused(s, "no blocks");
        break;
    case 17:
        half->aux = 1;
        neg->imm = 1;
        refused(s, "has an immediate");
        half->aux = 0;
        neg->imm = 0;
        s->blocks[0]->hint = IR_HINT_FLATTEN;
        refused(s, "no hint for a loop");
        s->blocks[0]->hint = IR_HINT_NONE;
        ir_for_blocks(s, block) {
            if (block->last->op == IR_BRANCH)
                block->last->aux = IR_HINT_UNROLL;
        }
        refused(s, "has an immediate");
        break;
    case 18:
        s->blocks[2]->last = neg;
        refused(s, "last is not the last");
        break;
    case 19:
        phi->phi_block[1] = other->blocks[0];
        refused(s, "sources for predecessor");
        break;
    case 20: {
        uint32_t late = ir_slot(
            s, (struct ir_slot){.kind = IR_SLOT_EXPR, .op = IR_FNEG, .narg = 1, .type = IR_F32, .arg = {5}});
        refused(s, late == 0 ? "refers to a later slot" : "?");
        break;
    }
    case 21:
        ir_slot(s, (struct ir_slot){.kind = 99, .type = IR_F32});
        refused(s, "type or value out of range");
        break;
    case 22:
        s->stage = (enum qpucc_stage)7;
        refused(s, "no stage 7");
        break;
    case 23:
        s->vars[0].type = IR_VOID;
        refused(s, "variable 0");
        break;
    case 24:
        s->nattr = 9;
        refused(s, "too many attributes");
        break;
    case 25:
        s->uniforms.sym[0].base = 77;
        refused(s, "field out of range");
        break;
    default: ck_abort_msg("no such case");
    }
    ir_shader_destroy(other);
    ir_shader_destroy(s);
}
END_TEST

/* Each field of a symbol at its largest value and beyond it; not all of them can be written down. */
START_TEST(symbol_fields) {
    static const struct ir_symbol plain = {.name = "u", .rows = 1, .cols = 1, .array_len = 1, .location = -1};
    for (unsigned field = 0; field < 6; field++)
        for (unsigned beyond = 0; beyond < 2; beyond++) {
            struct ir_shader *s = ir_shader_create(NULL, QPUCC_VERTEX);
            struct ir_builder b = ir_builder_at_end(s->blocks[0]);
            ir_end(&b);
            struct ir_symbol *symbol = ir_add_symbol(s, &s->uniforms, "u");
            *symbol = plain;
            switch (field) {
            case 0: symbol->base = (uint8_t)(IR_BASE_BOOL + beyond); break;
            case 1: symbol->precision = (uint8_t)(IR_LOWP + beyond); break;
            case 2: symbol->interp = (uint8_t)(IR_LINEAR + beyond); break;
            case 3: symbol->rows = (uint8_t)(4 + beyond); break;
            case 4: symbol->cols = (uint8_t)(4 + beyond); break;
            case 5: symbol->array_len = (1u << 24) + beyond; break;
            }
            s->uniforms.words = beyond ? 0 : ir_symbol_words(symbol);
            char error[200] = "";
            if (beyond)
                refused(s, "field out of range");
            else
                ck_assert_msg(ir_verify(s, error, sizeof error), "field %u: %s", field, error);
            ir_shader_destroy(s);
        }
}
END_TEST

/* Verifying changes nothing: not the order, not the numbers, not the analyses. */
START_TEST(verifying_changes_nothing) {
    char error[100];
    struct ir_shader *s = ir_parse(loop, strlen(loop), error, sizeof error);
    char *before = ir_print_to_string(s);
    ck_assert(ir_verify(s, error, sizeof error));
    char *after = ir_print_to_string(s);
    ck_assert_str_eq(before, after);
    ck_assert_ptr_null(s->blocks[2]->idom);
    free(before);
    free(after);
    ir_shader_destroy(s);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("ir verify");
    TCase *c = tcase_create("all");
    tcase_add_loop_test(c, written_faults, 0, sizeof cases / sizeof *cases);
    tcase_add_loop_test(c, made_faults, 0, 26);
    tcase_add_test(c, symbol_fields);
    tcase_add_test(c, verifying_changes_nothing);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
