/* Registers of what crosses blocks, against lives found anew: whatever is alive where a block begins has a
 * register of its own, in every random shader and with as few registers as it can do with. Lives here are
 * those of the shader's own edges, so they are a part of what the allocator has to keep apart, but an
 * independent one. */
#include "mir/objective.h"
#include "regalloc/regalloc.h"
#include "tests/backend/random_ir.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct flow flow;
static struct flow_peak peak;

/* A copy's flow: analysis changes the shader. */
static bool analyse(struct ir_shader *shader, unsigned regs, bool tight) {
    memset(&flow, 0, sizeof flow);
    peak = (struct flow_peak){0};
    flow_analyse(&flow, shader, shader->arena, tight);
    if (!cross_block_assign(&flow, regs, &peak))
        return false;
    flow_define(&flow);
    return true;
}

static struct ir_shader *parse(const char *text) {
    char error[300];
    struct ir_shader *shader = ir_parse(text, strlen(text), error, sizeof error);
    ck_assert_msg(shader != NULL, "%s", error);
    return shader;
}

/* --- lives ---------------------------------------------------------------------------------------------- */

/* Sets of values, a bit each. */
static uint32_t words_of(uint32_t count) {
    return count / 64 + 1;
}

static bool has(const uint64_t *set, uint32_t v) {
    return set[v / 64] >> v % 64 & 1;
}

static void put(uint64_t *set, uint32_t v, bool in) {
    uint64_t bit = 1ull << v % 64;
    set[v / 64] = in ? set[v / 64] | bit : set[v / 64] & ~bit;
}

/* A set for each block: needed when the block begins; phis of the block are. */
static uint64_t *lives(const struct ir_shader *shader, uint32_t count) {
    uint32_t words = words_of(count);
    uint64_t *alive = calloc((size_t)shader->nblocks * words, sizeof *alive);
    uint64_t *now = calloc(2 * (size_t)words, sizeof *now), *over = now + words;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t n = shader->nblocks; n--;) {
            const struct ir_block *b = shader->blocks[n];
            uint64_t *here = alive + (size_t)b->id * words;
            memset(now, 0, words * sizeof *now);
            for (int k = 0; k < 2; k++) {
                const struct ir_block *to = b->succ[k];
                if (!to)
                    continue;
                memcpy(over, alive + (size_t)to->id * words, words * sizeof *over);
                ir_for_insts(to, phi) if (phi->op == IR_PHI) put(over, phi->id, false);
                for (uint32_t w = 0; w < words; w++)
                    now[w] |= over[w];
            }
            for (int k = 0; k < 2; k++)
                if (b->succ[k])
                    ir_for_insts(b->succ[k], phi) for (uint32_t i = 0; phi->op == IR_PHI && i < phi->nsrc;
                                                       i++) if (phi->phi_block[i] == b)
                        put(now, ir_through_bits(phi->src[i])->id, true);
            for (const struct ir_inst *i = b->last; i; i = i->prev) {
                put(now, i->id, i->op == IR_PHI);
                for (uint32_t k = 0; i->op != IR_PHI && k < i->nsrc; k++)
                    put(now, ir_through_bits(i->src[k])->id, true);
            }
            for (uint32_t w = 0; w < words; w++) {
                again |= now[w] & ~here[w];
                here[w] |= now[w];
            }
        }
    }
    free(now);
    return alive;
}

/* By id: the value that it always equals, itself if no other: a phi of one value and itself is that value,
 * and may lie where it lies. */
static uint32_t *equals(const struct ir_shader *shader, uint32_t count) {
    uint32_t *same = calloc(count + 1, sizeof *same);
    for (uint32_t v = 0; v < count; v++)
        same[v] = v;
    for (bool again = true; again;) {
        again = false;
        ir_for_blocks(shader, b) ir_for_insts(b, phi) {
            uint32_t one = UINT32_MAX;
            bool alone = phi->op == IR_PHI && same[phi->id] == phi->id;
            for (uint32_t k = 0; alone && k < phi->nsrc; k++) {
                uint32_t source = same[ir_through_bits(phi->src[k])->id];
                alone = source == phi->id || one == UINT32_MAX || source == one;
                one = source == phi->id ? one : source;
            }
            if (!alone || one == UINT32_MAX)
                continue;
            for (uint32_t v = 0; v < count; v++)
                same[v] = same[v] == phi->id ? one : same[v];
            again = true;
        }
    }
    return same;
}

/* Shaders with values in registers that the program's end must not read. */
static unsigned with_restricted;

/* All registers are in use somewhere, but those that a program's end must not read or its start not write. */
static bool is_full(const struct ir_shader *shader, unsigned regs) {
    uint64_t others = ((1ull << regs) - 1) & ~(3ull << 14), used[2] = {0, 0};
    for (uint32_t b = 0; b < shader->nblocks; b++)
        used[0] |= flow.occupied[0][b], used[1] |= flow.occupied[1][b];
    return !(others & ~(used[0] & used[1]));
}

/* Returns the most registers in use where a block begins. */
static unsigned check_lives(struct ir_shader *shader, unsigned regs, const char *what) {
    uint32_t count = 0;
    ir_for_blocks(shader, b) ir_for_insts(b, i) count = i->id >= count ? i->id + 1 : count;
    const struct ir_inst **inst = calloc(count + 1, sizeof *inst);
    ir_for_blocks(shader, b) ir_for_insts(b, i) inst[i->id] = i;
    uint64_t *alive = lives(shader, count);
    uint32_t *same = equals(shader, count);
    unsigned most = 0;
    const bool full = is_full(shader, regs);
    bool restricted = false;
    for (uint32_t b = 0; b < shader->nblocks; b++) {
        uint32_t owner[64], used = 0;
        memset(owner, 0xff, sizeof owner);
        for (uint32_t v = 0; v < count; v++) {
            if (!has(alive + (size_t)b * words_of(count), v))
                continue;
            int reg = flow.cross_reg[v];
            if (reg == FLOW_NO_REG) {
                ck_assert_msg(flow_rematerialises(inst[v]), "%s: block %u: %%%u has no register", what, b, v);
                continue;
            }
            ck_assert_msg(reg >= 0 && reg < 64, "%s: register %d", what, reg);
            ck_assert_msg(owner[reg] == UINT32_MAX || same[owner[reg]] == same[v],
                          "%s: block %u: %%%u and %%%u are in register %d", what, b, v, owner[reg], reg);
            ck_assert_msg(reg != flow.mask_reg && (flow.budget_reg == FLOW_NO_REG || reg != flow.budget_reg),
                          "%s: %%%u is in the mask's register", what, v);
            restricted |= b + 1 == shader->nblocks && reg % 32 == 14;
            ck_assert_msg(!restricted || full,
                          "%s: %%%u is in a register that the program's end must not read", what, v);
            ck_assert_msg(b != 1 || shader->stage != QPUCC_FRAGMENT || inst[v]->op == IR_PHI ||
                              reg % 32 != 15,
                          "%s: %%%u is where W or Z is at the start", what, v);
            used += owner[reg] == UINT32_MAX;
            owner[reg] = v;
        }
        most = used > most ? used : most;
    }
    with_restricted += restricted;
    free(inst);
    free(alive);
    free(same);
    return most;
}

/* What lanes get at the end of `from`, if they go to `to`, or NULL. */
static const struct ir_inst *given(const struct ir_inst *phi, const struct ir_block *from) {
    for (uint32_t k = 0; k < phi->nsrc; k++)
        if (phi->phi_block[k] == from)
            return ir_through_bits(phi->src[k]);
    return NULL;
}

/* Is it written in all lanes in the blocks between the two, with something else than `phi` has? */
static bool overwritten(const struct ir_inst *i, const struct ir_inst *phi, const struct ir_block *from,
                        const struct ir_block *to) {
    const struct ir_block *where = i->op == IR_PHI ? flow_first_edge(i->block) : i->block;
    if (i == phi || flow.cross_reg[i->id] != flow.cross_reg[phi->id] || flow.guarded[i->id] ||
        where->id <= from->id || where->id >= to->id)
        return false;
    const struct ir_inst *written = i->op == IR_PHI ? given(i, where) : i;
    return written != phi && written != given(phi, from);
}

/* Lanes that have written a phi at the end of a block wait for its block, while others go through those
 * between: nothing that all lanes write there is in its register. */
static void check_waiting(const struct ir_shader *shader, const char *what) {
    const uint32_t *uses = ir_count_uses(shader);
    ir_for_blocks(shader, to) ir_for_insts(to, phi) {
        for (uint32_t k = 0; phi->op == IR_PHI && k < phi->nsrc && uses[phi->id]; k++) {
            const struct ir_block *from = phi->phi_block[k];
            bool waits = flow.block[from->id].masked || flow.block[from->id + 1].masked;
            for (uint32_t m = from->id + 1; m < to->id && waits; m++)
                ir_for_insts(shader->blocks[m], i)
                    ck_assert_msg(!overwritten(i, phi, from, to),
                                  "%s: %%%u overwrites %%%u, which lanes have from block %u on", what, i->id,
                                  phi->id, from->id);
        }
    }
}

/* --- random shaders ------------------------------------------------------------------------------------- */

START_TEST(random_shaders) {
    unsigned refused = 0, crowded = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        char error[300], what[60];
        struct ir_shader *shader = random_ir(seed * 31, 10 + (int)(seed % 60), error, sizeof error);
        ck_assert_msg(shader != NULL, "%s", error);
        for (unsigned regs = 32; regs; regs = regs > 4 ? regs / 2 : regs - 1) {
            struct ir_shader *copy = ir_shader_clone(shader);
            snprintf(what, sizeof what, "seed %u, %u registers", (unsigned)seed, regs);
            bool ok = analyse(copy, regs, seed % 2);
            if (ok) {
                unsigned most = check_lives(copy, regs, what);
                check_waiting(copy, what);
                ck_assert_msg(most <= 2 * regs, "%s: %u used", what, most);
                ck_assert_msg(most <= peak.values, "%s: %u alive, the peak is %u", what, most, peak.values);
                crowded += most + 2 >= 2 * regs;
                for (uint32_t b = 0; b < copy->nblocks; b++)
                    for (int file = 0; file < 2; file++)
                        ck_assert_msg(!(flow.occupied[file][b] >> (regs - 1) >> 1),
                                      "%s: beyond its registers", what);
            } else {
                ck_assert_msg(peak.values > 0, "%s: refused without a reason", what);
                refused++;
            }
            ir_shader_destroy(copy);
        }
        ir_shader_destroy(shader);
    }
    ck_assert_uint_gt(refused, 20);  /* the generator's shaders come to their limits */
    ck_assert_uint_le(refused, 670); /* 688 where lanes that wait share no registers with the active ones */
    ck_assert_uint_gt(crowded, 10);
    ck_assert_uint_le(with_restricted, 2); /* a last resort */
}
END_TEST

/* What is refused gets another chance when values are rematerialised in the blocks that read them. The shader
 * stays one, the peak falls, and no bound that is told as proven exceeds what did. */
START_TEST(rematerialised_where_they_are_read) {
    unsigned helped = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        char error[300], what[60];
        struct ir_shader *shader = random_ir(seed * 31, 10 + (int)(seed % 60), error, sizeof error);
        ck_assert_msg(shader != NULL, "%s", error);
        for (unsigned regs = 8; regs > 1; regs--) {
            struct ir_shader *copy = ir_shader_clone(shader);
            snprintf(what, sizeof what, "seed %u, %u registers", (unsigned)seed, regs);
            bool ok = analyse(copy, regs, true), changed = !ok;
            struct ir_loc where;
            unsigned bound = ok ? 0 : remat_least(&flow, &peak, &where);
            for (unsigned rounds = 0; !ok && changed && rounds < 20; rounds++) {
                changed = remat_cross_blocks(&flow, &peak.active);
                struct flow_lanes all_lanes = flow.all_lanes;
                ck_assert_msg(ir_verify(copy, error, sizeof error), "%s: %s", what, error);
                flow_analyse(&flow, copy, copy->arena, true);
                flow.all_lanes = all_lanes;
                ok = cross_block_assign(&flow, regs, &peak);
                helped += ok;
            }
            if (ok) {
                flow_define(&flow);
                unsigned most = check_lives(copy, regs, what);
                ck_assert_msg(most <= 2 * regs, "%s: %u used", what, most);
                ck_assert_msg(bound <= 2 * regs, "%s: %u were said to be needed", what, bound);
            }
            ir_shader_destroy(copy);
        }
        ir_shader_destroy(shader);
    }
    ck_assert_uint_gt(helped, 20);
}
END_TEST

/* --- by hand -------------------------------------------------------------------------------------------- */

/* A loop of nine iterations that changes `n` values in each. */
static char *loop_of(unsigned n, char *text, size_t size) {
    size_t at = 0;
#define EMIT(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
    EMIT("shader vertex lowered\nb0:\n  %%0 = const.i32 1\n  %%1 = const.i32 9\n");
    for (unsigned k = 0; k < n; k++)
        EMIT("  %%%u = attr.i32 %u\n", 10 + k, k);
    EMIT("  jump b1\nb1:\n  %%2 = phi.i32 b0 %%0, b1 %%3\n");
    for (unsigned k = 0; k < n; k++)
        EMIT("  %%%u = phi.i32 b0 %%%u, b1 %%%u\n", 200 + k, 10 + k, 400 + k);
    for (unsigned k = 0; k < n; k++)
        EMIT("  %%%u = iadd %%%u, %%0\n", 400 + k, 200 + k);
    EMIT("  %%3 = iadd %%2, %%0\n  %%4 = ilt %%3, %%1\n  branch %%4, b1, b2\nb2:\n");
    for (unsigned k = 0; k < n; k++)
        EMIT("  vpm_out %u, %%%u\n", k, 400 + k);
    EMIT("  end\n");
#undef EMIT
    return text;
}

static unsigned registers_in_use(const struct ir_shader *shader) {
    uint64_t used[2] = {0, 0};
    for (uint32_t b = 0; b < shader->nblocks; b++)
        for (int file = 0; file < 2; file++)
            used[file] |= flow.occupied[file][b];
    return (unsigned)(__builtin_popcountll(used[0]) + __builtin_popcountll(used[1]));
}

/* What goes round shares a register with what it becomes: one each, and one for the counter. */
START_TEST(loops) {
    static char text[20000];
    for (unsigned n = 1; n < 12; n += 2) {
        struct ir_shader *shader = parse(loop_of(n, text, sizeof text));
        ck_assert(analyse(shader, 32, false));
        ck_assert_uint_eq(registers_in_use(shader), n + 1);
        ck_assert_int_eq(flow.mask_reg, FLOW_NO_REG); /* all lanes take the same number of iterations */
        check_lives(shader, false, "loop");
        ir_for_blocks(shader, b)
            ir_for_insts(b, phi) for (uint32_t k = 0; phi->op == IR_PHI && k < phi->nsrc; k++) {
            int source = flow.cross_reg[phi->src[k]->id];
            ck_assert_msg(source == flow.cross_reg[phi->id] || source == FLOW_NO_REG || k == 0,
                          "phi in %d, source in %d", flow.cross_reg[phi->id], source);
        }
        ir_shader_destroy(shader);
        shader = parse(text);
        ck_assert(analyse(shader, (n + 1) / 2, false)); /* in both files together */
        ir_shader_destroy(shader);
        shader = parse(text);
        ck_assert(n == 1 || !analyse(shader, (n + 1) / 2 - 1, false));
        ck_assert_msg(n == 1 || peak.values > n, "%u values, the peak is said to be %u", n + 1, peak.values);
        ir_shader_destroy(shader);
    }
}
END_TEST

/* Where lanes leave in different iterations there is a mask, and a vertex shader counts iterations. What
 * differs between lanes is listed here once more: taking one out of the compiler's list must not go
 * unnoticed. */
START_TEST(masks) {
    static const char body[] =
        "b0:\n  %0 = const.i32 1\n  SOURCE\n  jump b1\nb1:\n  %2 = phi.i32 b0 %0, b1 %3\n"
        "  %3 = iadd %2, %0\n  %4 = ilt %3, %1\n  branch %4, b1, b2\nb2:\n  WRITE %3\n  end\n";
    static const struct {
        const char *stage, *source, *write;
        bool mask, budget;
    } cases[] = {
        {"vertex", "%1 = const.i32 9", "vpm_out 0,", false, false},
        {"vertex", "%1 = attr.i32 0", "vpm_out 0,", true, true},
        {"vertex", "%9 = attr.f32 0\n  %1 = f2i %9", "vpm_out 0,", true, true},
        {"fragment", "%1 = const.i32 9", "tlb_color", false, false},
        {"fragment", "%9 = const.f32 5.0\n  %8 = sfu_rcp %9\n  %1 = f2i %8", "tlb_color", false, false},
        {"fragment", "%1 = frag_x", "tlb_color", true, false},
        {"fragment", "%1 = frag_y", "tlb_color", true, false},
        {"fragment", "%1 = frag_z", "tlb_color", true, false},
        {"fragment", "%1 = frag_rev", "tlb_color", true, false},
        {"fragment", "%1 = frag_mask", "tlb_color", true, false},
        {"fragment", "%1 = tlb_read", "tlb_color", true, false},
        {"fragment", "%9 = frag_w\n  %1 = f2i %9", "tlb_color", true, false},
        {"fragment", "%9 = frag_w\n  %8 = sfu_rcp %9\n  %1 = f2i %8", "tlb_color", true, false},
        {"fragment", "%9 = vary 0\n  %1 = f2i %9", "tlb_color", true, false},
        {"fragment", "%9 = frag_y\n  %1 = iadd %9, %0", "tlb_color", true, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[600];
        const char *source = strstr(body, "SOURCE"), *write = strstr(body, "WRITE");
        snprintf(text, sizeof text, "shader %s lowered\n%.*s%s%.*s%s%s", cases[k].stage, (int)(source - body),
                 body, cases[k].source, (int)(write - source) - 6, source + 6, cases[k].write, write + 5);
        struct ir_shader *shader = parse(text);
        ck_assert(analyse(shader, 32, false));
        ck_assert_msg((flow.mask_reg != FLOW_NO_REG) == cases[k].mask, "case %zu: mask in %d", k,
                      flow.mask_reg);
        ck_assert_msg((flow.budget_reg != FLOW_NO_REG) == cases[k].budget, "case %zu: count in %d", k,
                      flow.budget_reg);
        check_lives(shader, false, "mask");
        ir_shader_destroy(shader);
    }
}
END_TEST

/* The loop inside needs what the one around it has made of its two values, and two of its own. */
START_TEST(least_in_the_inner_loop) {
    struct ir_shader *shader =
        parse("shader fragment lowered\nb0:\n  %0 = const.i32 1\n  %1 = const.i32 9\n  jump b1\n"
              "b1:\n  %2 = phi.i32 b0 %0, b3 %7\n  %3 = phi.i32 b0 %0, b3 %8\n  %13 = iadd %2, %0\n"
              "  %14 = iadd %3, %0\n  jump b2\n"
              "b2:\n  %4 = phi.i32 b1 %0, b2 %9\n  %5 = phi.i32 b1 %0, b2 %10\n  %9 = iadd %4, %5\n"
              "  %10 = iadd %5, %0\n  %11 = ilt %9, %1\n  branch %11, b2, b3\n"
              "b3:\n  %7 = iadd %13, %9\n  %8 = iadd %14, %10\n  %12 = ilt %7, %1\n  branch %12, b1, b4\n"
              "b4:\n  tlb_color %8\n  end\n");
    struct ir_loc where;
    ck_assert(!analyse(shader, 1, true));
    ck_assert_uint_eq(remat_least(&flow, &peak, &where), 4);
    ir_shader_destroy(shader);
}
END_TEST

/* Each side of a branch that all lanes take alike counts half of what the branch counts, also in a branch;
 * where sides meet the branch's own share counts. */
START_TEST(shares_in_branches) {
    static const uint32_t shares[] = {OBJECTIVE_ALWAYS,     OBJECTIVE_ALWAYS / 2, OBJECTIVE_ALWAYS / 4,
                                      OBJECTIVE_ALWAYS / 4, OBJECTIVE_ALWAYS / 2, OBJECTIVE_ALWAYS / 2,
                                      OBJECTIVE_ALWAYS};
    struct ir_shader *shader =
        parse("shader fragment lowered\nuniform \"u\" int 1x1 word 0\n"
              "b0:\n  %0 = uniform.i32 0\n  %1 = const.i32 9\n  %2 = ilt %0, %1\n  branch %2, b1, b5\n"
              "b1:\n  %3 = iadd %0, %1\n  %4 = ilt %3, %0\n  branch %4, b2, b3\n"
              "b2:\n  %5 = iadd %3, %1\n  jump b4\n"
              "b3:\n  %6 = iadd %3, %3\n  jump b4\n"
              "b4:\n  %7 = phi.i32 b2 %5, b3 %6\n  jump b6\n"
              "b5:\n  %8 = iadd %0, %0\n  jump b6\n"
              "b6:\n  %9 = phi.i32 b4 %7, b5 %8\n  tlb_color %9\n  end\n");
    ck_assert(analyse(shader, 32, false));
    for (uint32_t b = 0; b < sizeof shares / sizeof *shares; b++)
        ck_assert_msg(flow.block[b].share == shares[b], "b%u: %u", b, flow.block[b].share);
    ir_shader_destroy(shader);
}
END_TEST

/* A loop carries one value over it, and what is made of two varyings lives on: they can be read behind it,
 * from W alone. A varying that the loop needs can not. */
START_TEST(least_with_varyings) {
    static const char *const read_in_loop[] = {"%5", "%1", "%2"};
    for (unsigned k = 0; k < 3; k++) {
        char text[800];
        snprintf(text, sizeof text,
                 "shader fragment lowered\ninput \"v\" float 2x1 word 0\nvary 0\nvary 1\n"
                 "b0:\n  %%0 = frag_w\n  %%1 = vary 0, %%0\n  %%2 = vary 1, %%0\n  %%3 = fmul %%1, %%1\n"
                 "  %%4 = fadd %%1, %%2\n  %%5 = const.f32 0.5\n  jump b1\n"
                 "b1:\n  %%6 = phi.f32 b0 %%5, b1 %%7\n  %%7 = fadd %%6, %s\n  %%8 = flt %%7, %%5\n"
                 "  branch %%8, b1, b2\n"
                 "b2:\n  %%9 = packcolor %%3, %%4, %%1, %%2\n  tlb_color %%9\n  %%10 = fbits %%7\n  "
                 "tlb_color %%10\n  end\n",
                 read_in_loop[k]);
        struct ir_shader *shader = parse(text);
        struct ir_loc where;
        ck_assert(!analyse(shader, 1, true));
        ck_assert_uint_eq(remat_least(&flow, &peak, &where), (k ? 3 : 2) + flow.masked);
        ir_shader_destroy(shader);
    }
}
END_TEST

/* Lanes leave a loop in two ways, and what they take with them was made before it: no lane has the phi before
 * they leave, so that it may have that register. A phi that some lane has already may not: lanes come to the
 * end of the first arm before those that go through the loop. */
START_TEST(phis_begin_where_they_are_written) {
    static const struct {
        const char *condition;
        bool same;
    } cases[] = {{"%2", true}, {"%4", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "shader fragment lowered\n"
                 "b0:\n  %%1 = frag_z\n  %%10 = const.i32 5\n  %%2 = const.bool true\n"
                 "  %%4 = ilt %%10, %%1\n  branch %s, b1, b2\n"
                 "b1:\n  %%5 = iadd %%1, %%10\n  jump b7\n"
                 "b2:\n  %%6 = isub %%1, %%10\n  jump b3\n"
                 "b3:\n  %%7 = phi.i32 b2 %%10, b4 %%8\n  %%9 = ilt %%7, %%10\n  branch %%9, b4, b6\n"
                 "b4:\n  %%8 = iadd %%7, %%1\n  %%11 = ilt %%1, %%8\n  branch %%11, b5, b3\n"
                 "b5:\n  jump b7\nb6:\n  jump b7\n"
                 "b7:\n  %%12 = phi.i32 b1 %%5, b5 %%6, b6 %%6\n  tlb_color %%12\n  end\n",
                 cases[k].condition);
        struct ir_shader *shader = parse(text);
        ck_assert(analyse(shader, 32, true));
        const struct ir_inst *phi = NULL;
        ir_for_blocks(shader, b) ir_for_insts(b, i) phi = i->op == IR_PHI && b->last->op == IR_END ? i : phi;
        ck_assert(phi != NULL);
        ck_assert_int_eq(flow.cross_reg[phi->id] == flow.cross_reg[phi->src[1]->id], cases[k].same);
        ir_shader_destroy(shader);
    }
}
END_TEST

/* Which ops of the tile buffer the first block has after early_z, before its jump. */
static const char *early_in(const char *body) {
    static char found[100];
    char text[600];
    *found = 0;
    snprintf(text, sizeof text, "shader fragment lowered\n%s", body);
    struct ir_shader *shader = parse(text);
    early_z(shader);
    ck_assert(analyse(shader, 32, false));
    ir_for_insts(shader->blocks[0], i) if (ir_op_info(i->op)->cls == IR_CLASS_TILE)
        strcat(found, i->op == IR_TLB_Z         ? " z"
                      : i->op == IR_TLB_STENCIL ? " stencil"
                                                : " other");
    ir_shader_destroy(shader);
    return found;
}

START_TEST(depth_before_loops) {
    static const struct {
        const char *test, *last, *early;
    } cases[] = {
        {"", "tlb_z %3", " z"},
        {"", "%7 = const.i32 77\n  tlb_stencil %7\n  tlb_stencil %1\n  tlb_z %3", " stencil stencil z"},
        /* the word for the stencil test is found in the loop; a mask; discarded fragments; another depth */
        {"", "tlb_stencil %5\n  tlb_z %3", ""},
        {"", "tlb_mask %1\n  tlb_z %3", ""},
        {"%8 = ilt %1, %3\n  ", "tlb_z %3, %8", ""},
        {"", "tlb_z %5", ""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[500];
        snprintf(text, sizeof text,
                 "b0:\n  %%3 = frag_z\n  %%1 = const.i32 5\n  %sjump b1\n"
                 "b1:\n  %%4 = phi.i32 b0 %%1, b1 %%5\n  %%5 = isub %%4, %%1\n  %%6 = ilt %%1, %%5\n"
                 "  branch %%6, b1, b2\nb2:\n  %s\n  tlb_color %%5\n  end\n",
                 cases[k].test, cases[k].last);
        const char *early = early_in(text);
        ck_assert_msg(!strcmp(early, cases[k].early), "case %zu:%s", k, early);
    }
    ck_assert_str_eq(early_in("b0:\n  %1 = frag_z\n  tlb_z %1\n  tlb_color %1\n  end\n"), " z other");
}
END_TEST

/* A loop that moves n values along by one. */
static const char *moves(unsigned n) {
    enum { SIZE = 200000 };
    static char text[SIZE];
    size_t at = 0;
#define EMIT(...) at += (size_t)snprintf(text + at, SIZE - at, __VA_ARGS__)
    EMIT("shader fragment lowered\nb0:\n  %%0 = frag_x\n  %%1 = frag_y\n  jump b1\nb1:\n");
    for (unsigned k = 0; k < n; k++)
        EMIT("  %%%u = phi.i32 b0 %%0, b1 %%%u\n", 10 + k, 10 + k + 1);
    EMIT("  %%%u = iadd %%10, %%1\n  %%2 = ilt %%10, %%1\n  branch %%2, b1, b2\n", 10 + n);
    EMIT("b2:\n  tlb_color %%10\n  end\n");
#undef EMIT
    return text;
}

/* Colouring takes the square of what is alive. That is counted; and it is not done where it can't help. */
START_TEST(work_is_counted) {
    uint64_t work[2];
    for (unsigned k = 0; k < 2; k++) {
        struct ir_shader *shader = parse(moves(k ? 3000 : 200));
        uint64_t before = ir_usage(shader->arena).work;
        ck_assert(!analyse(shader, 32, false));
        work[k] = ir_usage(shader->arena).work - before;
        ir_shader_destroy(shader);
    }
    ck_assert_uint_gt(work[0], 200 * 200);
    ck_assert_uint_lt(work[1], work[0]);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("regalloc_cross_block");
    TCase *c = tcase_create("registers");
    tcase_add_test(c, work_is_counted);
    tcase_set_timeout(c, 60);
    tcase_add_test(c, random_shaders);
    tcase_add_test(c, rematerialised_where_they_are_read);
    tcase_add_test(c, loops);
    tcase_add_test(c, masks);
    tcase_add_test(c, least_in_the_inner_loop);
    tcase_add_test(c, shares_in_branches);
    tcase_add_test(c, depth_before_loops);
    tcase_add_test(c, phis_begin_where_they_are_written);
    tcase_add_test(c, least_with_varyings);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
