/* Arena, tables, slots, builder, edits, the deep copy. */
#include "ir/ir.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static void check_good(struct ir_shader *s) {
    char error[200];
    ck_assert_msg(ir_verify(s, error, sizeof error), "%s", error);
}

/* if (x < 1) y = x + 1 else y = 1; output y */
static struct ir_shader *diamond(struct ir_inst **phi) {
    struct ir_shader *s = ir_shader_create(NULL, QPUCC_FRAGMENT);
    struct ir_symbol *in = ir_add_symbol(s, &s->inputs, "x");
    in->rows = in->cols = 1, s->inputs.words = 1;
    struct ir_symbol *out = ir_add_symbol(s, &s->outputs, "y");
    out->rows = out->cols = 1, s->outputs.words = 1;
    struct ir_block *then = ir_block_create(s), *otherwise = ir_block_create(s), *join = ir_block_create(s);
    struct ir_builder b = ir_builder_at_end(s->blocks[0]);
    b.loc = (struct ir_loc){.line = 7, .column = 3};
    struct ir_inst *x = ir_emit(&b, IR_INPUT, IR_F32, 0, NULL, 0, 0), *one = ir_const_f(&b, 1.0f);
    ir_branch(&b, ir_op2(&b, IR_FLT, x, one), then, otherwise);
    b.block = then;
    struct ir_inst *sum = ir_op2(&b, IR_FADD, x, one);
    ir_jump(&b, join);
    b.block = otherwise;
    ir_jump(&b, join);
    b.block = join;
    struct ir_inst *y = ir_phi(&b, IR_F32);
    ir_phi_add(y, then, sum);
    ir_phi_add(y, otherwise, one);
    ir_emit(&b, IR_OUTPUT, IR_VOID, 1, &y, 0, 0);
    ir_end(&b);
    ir_cfg_update(s);
    if (phi)
        *phi = y;
    return s;
}

START_TEST(arena_gives_zeroed_aligned_memory) {
    struct ir_arena *a = ir_arena_create(NULL);
    for (size_t size = 0; size < 5000; size += 37) {
        unsigned char *p = ir_alloc(a, size);
        ck_assert_uint_eq((uintptr_t)p % _Alignof(max_align_t), 0);
        unsigned found = 0;
        for (size_t k = 0; k < size; k++)
            found |= p[k];
        ck_assert_uint_eq(found, 0);
        memset(p, 0xff, size);
    }
    ck_assert(!ir_arena_oom(a));
    ir_arena_destroy(a);
    ir_arena_destroy(NULL);
}
END_TEST

START_TEST(arenas_share_what_is_not_in_use) {
    struct ir_arena *a = ir_arena_create(NULL);
    for (int round = 0; round < 3; round++) {
        struct ir_arena *b = ir_arena_beside(a), *c = ir_arena_beside(b);
        for (size_t size = 1; size < 3000000; size *= 7) { /* what another one left there is gone */
            unsigned char *p = ir_alloc(b, size), *q = ir_alloc(c, size);
            bool clear = true;
            for (size_t k = 0; k < size; k++)
                clear &= p[k] == 0 && q[k] == 0;
            ck_assert(clear);
            memset(p, 0xff, size);
            memset(q, 0xee, size);
            ck_assert_uint_eq(p[size - 1], 0xff);
        }
        ir_arena_destroy(b);
        if (round == 1)
            ir_arena_trim(a);
        ck_assert_ptr_nonnull(ir_alloc(c, 10));
        ir_arena_destroy(round == 2 ? a : c); /* whichever goes first */
        if (round == 2)
            a = c;
    }
    ck_assert_ptr_nonnull(ir_alloc(a, 100000));
    ck_assert(!ir_arena_oom(a));
    ir_arena_destroy(a);
}
END_TEST

START_TEST(arena_takes_back) {
    struct ir_arena *a = ir_arena_create(NULL);
    char *kept = ir_strdup(a, "kept");
    for (size_t size = 1; size < 3000000; size *= 5) {
        struct ir_mark mark = ir_arena_mark(a);
        unsigned char *first = ir_alloc(a, 8);
        for (int k = 0; k < 3; k++)
            memset(ir_alloc(a, size), 0xff, size);
        ir_arena_rewind(a, mark);
        unsigned char *again = ir_alloc(a, 40), *next = ir_alloc(a, size);
        ck_assert_ptr_eq(again, first);
        bool clear = true;
        for (size_t k = 0; k < size; k++)
            clear &= next[k] == 0 && again[k % 40] == 0;
        ck_assert(clear);
        ir_arena_rewind(a, mark);
    }
    ck_assert_str_eq(kept, "kept");
    ck_assert(!ir_arena_oom(a));
    ir_arena_destroy(a);
}
END_TEST

/* Requests with a chunk of their own, too, whether it comes before the chunk of the mark or behind it. */
START_TEST(arena_takes_back_all_of_it) {
    struct ir_arena *a = ir_arena_create(NULL);
    for (int round = 0; round < 20; round++) {
        struct ir_mark mark = ir_arena_mark(a);
        for (int k = 0; k < 3; k++)
            ir_alloc(a, 3000000);
        ir_alloc(a, 100000);
        ir_arena_rewind(a, mark);
    }
    ck_assert_uint_lt(ir_usage(a).bytes, 2 * 9000000);
    ck_assert(!ir_arena_oom(a));
    ir_arena_destroy(a);
}
END_TEST

START_TEST(arena_says_when_it_is_full) {
    struct ir_arena *a = ir_arena_create(NULL);
    ck_assert_ptr_nonnull(ir_alloc(a, SIZE_MAX - 3));
    ck_assert(ir_arena_oom(a));
    ir_arena_destroy(a);
    a = ir_arena_create(NULL);
    for (int k = 0; k < 300; k++)
        ck_assert_ptr_nonnull(ir_alloc(a, 1 << 20));
    ck_assert(ir_arena_oom(a));
    ir_arena_destroy(a);
}
END_TEST

/* Two stores with one reserve: only one of them knows that it was needed, and the other may live longer. */
static int left; /* so often memory is given */

static void *give(void *user, size_t size) {
    (void)user;
    return left-- > 0 ? malloc(size) : NULL;
}

static void *give_more(void *user, void *block, size_t size) {
    (void)user;
    return left-- > 0 ? realloc(block, size) : NULL;
}

static void take(void *user, void *block) {
    (void)user;
    free(block);
}

/* Requests share the last of the reserve then; arenas and what they hold stay what they are. */
START_TEST(arenas_outlive_the_reserve) {
    const struct qpucc_allocator from = {.allocate = give, .reallocate = give_more, .release = take};
    left = 100;
    struct ir_arena *a = ir_arena_create(&from);
    ck_assert(ir_work(a, 1));
    left = 0;
    struct ir_arena *b = ir_arena_beside(a);
    ck_assert(ir_arena_oom(a) && !ir_work(a, 1) && !ir_size(a, 1));
    for (int k = 0; k < 2000; k++) {
        ck_assert_ptr_nonnull(ir_alloc(b, 10000));
        ck_assert_ptr_nonnull(ir_alloc(a, 10000));
    }
    ck_assert_ptr_nonnull(ir_alloc(b, 100 << 20));
    ck_assert_ptr_nonnull(ir_alloc(b, 100));
    ir_arena_destroy(b);
    ir_arena_destroy(a);
}
END_TEST

START_TEST(arena_apart_has_its_own_account) {
    struct ir_arena *a = ir_arena_create(NULL), *b = ir_arena_apart(a);
    ck_assert_ptr_nonnull(ir_alloc(a, SIZE_MAX - 3));
    ck_assert(ir_arena_oom(a) && !ir_arena_oom(b));
    ir_arena_destroy(a);
    memset(ir_alloc(b, 100000), 0xff, 100000);
    ck_assert(!ir_arena_oom(b));
    ck_assert_ptr_nonnull(ir_alloc(b, SIZE_MAX - 3));
    ck_assert(ir_arena_oom(b));
    ir_arena_destroy(b);
}
END_TEST

START_TEST(slots_are_interned) {
    struct ir_shader *s = ir_shader_create(NULL, QPUCC_VERTEX);
    uint32_t slot[300];
    for (uint32_t k = 0; k < 300; k++)
        slot[k] = ir_slot_const(s, IR_I32, k * 7);
    for (uint32_t k = 0; k < 300; k++) {
        ck_assert_uint_eq(slot[k], k); /* in the order they came: same bytes out */
        ck_assert_uint_eq(ir_slot_const(s, IR_I32, k * 7), k);
    }
    ck_assert_uint_ne(ir_slot_const(s, IR_F32, 7), 1);
    struct ir_slot expr = {.kind = IR_SLOT_EXPR, .op = IR_FADD, .narg = 2, .type = IR_F32, .arg = {1, 2}};
    uint32_t first = ir_slot(s, expr);
    ck_assert_uint_eq(ir_slot(s, expr), first);
    expr.arg[1] = 3;
    ck_assert_uint_ne(ir_slot(s, expr), first);
    ir_shader_destroy(s);
}
END_TEST

/* Enough to make the table grow several times; the first number of a name is its number. */
START_TEST(names_are_found) {
    enum { COUNT = 2000 };
    struct ir_arena *arena = ir_arena_create(NULL);
    struct ir_names names = {0};
    char text[COUNT][12];
    ck_assert_uint_eq(ir_names_find(&names, "n0"), UINT32_MAX);
    for (uint32_t k = 0; k < COUNT; k++) {
        snprintf(text[k], sizeof text[k], "n%u", k);
        ck_assert_uint_eq(ir_names_add(&names, arena, text[k], k), k);
        ck_assert_uint_eq(ir_names_add(&names, arena, "n0", k), 0);
    }
    ck_assert_uint_eq(names.count, COUNT);
    for (uint32_t k = 0; k < COUNT; k++) {
        char copy[12];
        snprintf(copy, sizeof copy, "n%u", k);
        ck_assert_uint_eq(ir_names_find(&names, copy), k);
    }
    ck_assert_uint_eq(ir_names_find(&names, "n2000"), UINT32_MAX);
    ck_assert_uint_eq(ir_names_find(&names, ""), UINT32_MAX);
    ir_arena_destroy(arena);
}
END_TEST

START_TEST(symbols_are_found_by_word) {
    struct ir_shader *s = ir_shader_create(NULL, QPUCC_VERTEX);
    for (int k = 0; k < 20; k++) {
        struct ir_symbol *m = ir_add_symbol(s, &s->uniforms, "m");
        ck_assert_int_eq(m->location, -1);
        ck_assert_uint_eq(m->array_len, 1);
        m->rows = m->cols = 3;
        m->array_len = 2;
        s->uniforms.words += ir_symbol_words(m);
    }
    ck_assert_uint_eq(s->uniforms.words, 20 * 18);
    ck_assert_ptr_eq(ir_symbol_of_word(&s->uniforms, 0), &s->uniforms.sym[0]);
    ck_assert_ptr_eq(ir_symbol_of_word(&s->uniforms, 19 * 18 + 17), &s->uniforms.sym[19]);
    ck_assert_ptr_null(ir_symbol_of_word(&s->uniforms, 360));
    struct ir_symbol *t = ir_add_symbol(s, &s->samplers, "t");
    t->base = IR_BASE_SAMPLER2D;
    t->array_len = 4;
    ck_assert_uint_eq(ir_symbol_words(t), 4);
    ir_shader_destroy(s);
}
END_TEST

START_TEST(builder_types_and_inherits) {
    struct ir_inst *phi;
    struct ir_shader *s = diamond(&phi);
    check_good(s);
    struct ir_builder b = ir_builder_before(phi->next);
    ck_assert_uint_eq(b.loc.line, 7);
    b.precision = IR_LOWP;
    b.exact = true;
    struct ir_inst *c = ir_op2(&b, IR_FEQ, phi, phi), *pick = ir_op3(&b, IR_SELECT, c, phi, phi);
    ck_assert_uint_eq(c->type, IR_BOOL);
    ck_assert_uint_eq(pick->type, IR_F32); /* the type of the first '*' source, which is the second */
    ck_assert(pick->exact && pick->precision == IR_LOWP && pick->loc.column == 3);
    ck_assert_ptr_eq(pick->next->src[0], phi);
    ck_assert_uint_eq(ir_op1(&b, IR_F2I, pick)->type, IR_I32);
    b = ir_builder_at_end(phi->block); /* before the terminator */
    struct ir_inst *last = ir_const_i(&b, 5);
    ck_assert_ptr_eq(last->next, phi->block->last);
    ck_assert_float_eq(ir_float(ir_const_f(&b, -2.5f)), -2.5f);
    check_good(s);
    ir_shader_destroy(s);
}
END_TEST

START_TEST(phis_grow) {
    struct ir_shader *s = ir_shader_create(NULL, QPUCC_FRAGMENT);
    struct ir_builder b = ir_builder_at_end(s->blocks[0]);
    struct ir_inst *c = ir_const_b(&b, true), *value[40];
    struct ir_block *join = ir_block_create(s), *from = s->blocks[0];
    b.block = join;
    struct ir_inst *phi = ir_phi(&b, IR_I32);
    ir_end(&b);
    for (uint32_t k = 0; k < 40; k++) {
        struct ir_block *next = ir_block_create(s);
        b.block = from;
        value[k] = ir_const_i(&b, k);
        ir_branch(&b, c, join, next);
        ir_phi_add(phi, from, value[k]);
        from = next;
    }
    b.block = from;
    ir_jump(&b, join);
    ir_phi_add(phi, from, value[0]);
    for (uint32_t k = 0; k < 40; k++)
        ck_assert_ptr_eq(phi->src[k], value[k]);
    ir_cfg_update(s);
    check_good(s);
    ck_assert_uint_eq(join->npred, 41);
    ck_assert_ptr_eq(s->blocks[s->nblocks - 1], join);
    ir_shader_destroy(s);
}
END_TEST

START_TEST(replacing_follows_chains) {
    struct ir_inst *phi;
    struct ir_shader *s = diamond(&phi);
    struct ir_builder b = ir_builder_before(phi->next);
    struct ir_inst *first = ir_op2(&b, IR_FADD, phi, phi), *second = ir_op2(&b, IR_FMUL, first, phi);
    struct ir_inst *third = ir_op2(&b, IR_FSUB, second, first);
    ir_replace(second, first);
    ir_replace(first, phi);
    ir_replace(phi, second); /* itself, by now: nothing happens */
    ck_assert_ptr_eq(ir_value(second), phi);
    ck_assert_ptr_eq(ir_value(third), third);
    ck_assert_ptr_null(ir_value(NULL));
    ck_assert_ptr_eq(third->src[0], second);
    ir_resolve(s);
    ck_assert_ptr_eq(third->src[0], phi);
    ck_assert_ptr_eq(third->src[1], phi);
    ck_assert_ptr_null(second->block);
    check_good(s);
    ir_shader_destroy(s);
}
END_TEST

START_TEST(moving_and_removing) {
    struct ir_inst *phi;
    struct ir_shader *s = diamond(&phi);
    struct ir_inst *sum = s->blocks[1]->first;
    ck_assert_uint_eq(sum->op, IR_FADD);
    ir_move_to_end(sum, s->blocks[0]);
    ck_assert_ptr_eq(sum->next, s->blocks[0]->last);
    check_good(s);
    ir_move_before(sum, sum->prev->prev); /* above its source: no longer right */
    char error[200];
    ck_assert(!ir_verify(s, error, sizeof error));
    ck_assert_ptr_nonnull(strstr(error, "used where"));
    ir_remove(sum);
    ir_remove(sum); /* twice does no harm */
    ck_assert(!ir_verify(s, error, sizeof error));
    ck_assert_ptr_nonnull(strstr(error, "not in the shader"));
    ir_shader_destroy(s);
}
END_TEST

START_TEST(removing_a_predecessor) {
    struct ir_inst *phi;
    struct ir_shader *s = diamond(&phi);
    struct ir_block *gone = phi->phi_block[0];
    struct ir_inst *kept = phi->src[1];
    ir_block_remove_pred(phi->block, gone);
    ck_assert_uint_eq(phi->nsrc, 1);
    ck_assert_ptr_eq(phi->src[0], kept);
    ck_assert_uint_eq(phi->block->npred, 1);
    ir_phi_add(phi, gone, kept);
    ck_assert_uint_eq(phi->nsrc, 2);
    ir_shader_destroy(s);
}
END_TEST

START_TEST(a_copy_is_equal_and_independent) {
    struct ir_inst *phi;
    struct ir_shader *s = diamond(&phi);
    ir_add_file(s, "a.frag");
    ir_add_var(s, "v", IR_F32, 3);
    ir_slot_const(s, IR_I32, 12);
    struct ir_symbol *member = ir_add_symbol(s, &s->uniforms, "block.member");
    member->block = ir_strdup(s->arena, "block");
    member->rows = member->cols = 1;
    s->uniforms.words = ir_symbol_words(member);
    char *text = ir_print_to_string(s);
    struct ir_shader *copy = ir_shader_clone(s);
    ck_assert_uint_eq(copy->next_id, s->next_id);
    struct ir_builder b = ir_builder_before(phi->next);
    ir_op2(&b, IR_FADD, phi, phi);
    ir_slot_const(s, IR_I32, 13);
    char *changed = ir_print_to_string(s);
    ck_assert_str_ne(text, changed);
    ir_shader_destroy(s);
    char *copied = ir_print_to_string(copy);
    ck_assert_str_eq(text, copied);
    check_good(copy);
    ck_assert_uint_eq(ir_slot_const(copy, IR_I32, 12), 0);
    ck_assert_uint_eq(copy->blocks[3]->npred, 2);
    ir_block_create(copy); /* its arrays grow on their own */
    ir_add_var(copy, "w", IR_I32, 1);
    ir_shader_destroy(copy);
    free(text);
    free(changed);
    free(copied);
}
END_TEST

/* What passes ask of a copy is counted in its own memory: the original may be gone, or be read by others. */
START_TEST(a_copy_has_facts_of_its_own) {
    struct ir_inst *phi;
    struct ir_shader *s = diamond(&phi);
    const uint32_t *uses = ir_facts(s)->uses;
    struct ir_shader *copy = ir_shader_clone(s);
    ck_assert(ir_facts(copy)->uses != uses);
    ck_assert_uint_eq(ir_facts(copy)->uses[phi->id], uses[phi->id]);
    ir_shader_destroy(copy);
    ir_shader_destroy(s);
}
END_TEST

START_TEST(fingerprints_see_what_is_computed) {
    struct ir_inst *phi;
    struct ir_shader *s = diamond(&phi);
    uint64_t first = ir_fingerprint(s);
    ck_assert_uint_ne(first, 0);
    struct ir_shader *copy = ir_shader_clone(s);
    ck_assert_uint_eq(ir_fingerprint(copy), first);
    copy->next_id += 100; /* other numbers and places in the source do not count */
    copy->blocks[0]->first->loc.line += 7;
    ir_renumber(copy);
    ck_assert_uint_eq(ir_fingerprint(copy), first);
    struct ir_builder b = ir_builder_at_end(copy->blocks[1]);
    b.before = copy->blocks[1]->last;
    struct ir_inst *more = ir_const_f(&b, 2);
    uint64_t second = ir_fingerprint(copy);
    ck_assert_uint_ne(second, first);
    more->imm++;
    ck_assert_uint_ne(ir_fingerprint(copy), second);
    more->imm--;
    more->precision = more->precision == IR_LOWP ? IR_HIGHP : IR_LOWP;
    uint64_t precise = ir_fingerprint(copy);
    ck_assert_uint_ne(precise, second);
    more->type = IR_I32;
    ck_assert_uint_ne(ir_fingerprint(copy), precise);
    more->type = IR_F32;
    more->exact = !more->exact;
    ck_assert_uint_ne(ir_fingerprint(copy), precise);
    ir_remove(more);
    ck_assert_uint_eq(ir_fingerprint(copy), first);
    struct ir_inst *swap = phi->src[0];
    phi->src[0] = phi->src[1];
    phi->src[1] = swap;
    uint64_t third = ir_fingerprint(s);
    ck_assert_uint_ne(third, first);
    ir_shader_destroy(copy);
    ir_slot_const(s, IR_I32, 12);
    ck_assert_uint_ne(ir_fingerprint(s), third);
    ir_shader_destroy(s);
}
END_TEST

START_TEST(uses_and_numbers) {
    struct ir_inst *phi;
    struct ir_shader *s = diamond(&phi);
    uint32_t *uses = ir_count_uses(s);
    ck_assert_uint_eq(uses[phi->id], 1);
    ck_assert_uint_eq(uses[phi->src[1]->id], 3); /* the comparison, the sum, the phi */
    s->next_id += 1000;
    uint32_t n = ir_renumber(s), seen = 0;
    ir_for_blocks(s, block) {
        ir_for_insts(block, inst) {
            ck_assert_uint_eq(inst->id, seen++);
        }
    }
    ck_assert_uint_eq(n, seen);
    ck_assert_uint_eq(s->next_id, seen);
    ir_shader_destroy(s);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("ir core");
    TCase *c = tcase_create("all");
    tcase_add_test(c, arena_gives_zeroed_aligned_memory);
    tcase_add_test(c, arenas_share_what_is_not_in_use);
    tcase_add_test(c, arena_takes_back);
    tcase_add_test(c, arena_takes_back_all_of_it);
    tcase_add_test(c, arena_says_when_it_is_full);
    tcase_add_test(c, arena_apart_has_its_own_account);
    tcase_add_test(c, slots_are_interned);
    tcase_add_test(c, names_are_found);
    tcase_add_test(c, symbols_are_found_by_word);
    tcase_add_test(c, builder_types_and_inherits);
    tcase_add_test(c, phis_grow);
    tcase_add_test(c, replacing_follows_chains);
    tcase_add_test(c, moving_and_removing);
    tcase_add_test(c, removing_a_predecessor);
    tcase_add_test(c, a_copy_is_equal_and_independent);
    tcase_add_test(c, arenas_outlive_the_reserve);
    tcase_add_test(c, a_copy_has_facts_of_its_own);
    tcase_add_test(c, fingerprints_see_what_is_computed);
    tcase_add_test(c, uses_and_numbers);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
