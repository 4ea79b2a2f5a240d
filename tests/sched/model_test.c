/* The issue model against the rule checker, which knows the same hardware from its guide and shares no code
 * with it.
 *
 * Ops are drawn at random. Two that the model lets into one instruction, or at a distance, must pass the
 * checker; one that it keeps out must be refused, where the checker has a rule for it. */
#include "backend/isa/isa.h"
#include "sched/schedule.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 24, AT = 6 }; /* instructions of a test program; where the one under test stands */

static uint32_t state;

static uint32_t draw(uint32_t n) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % n;
}

/* --- a block with a few ops ----------------------------------------------------------------------------- */

struct bench {
    struct mir m;
    struct sched s;
    struct flow flow;
    uint64_t none[2];
    bool taken[PLACE_COUNT];
};

static void begin(struct bench *b) {
    static const struct sched_strategy plain = {.height = 1, .acc = 0.3};
    memset(b, 0, sizeof *b);
    struct ir_shader *shader = ir_shader_create(NULL, QPUCC_FRAGMENT);
    b->flow.occupied[0] = &b->none[0];
    b->flow.occupied[1] = &b->none[1];
    b->m = (struct mir){.shader = shader,
                        .arena = shader->arena,
                        .options = {.threads = 1, .opt_level = 2},
                        .flow = &b->flow};
    b->m.block = shader->blocks[0];
    b->m.branch_setter = M_NO_VALUE;
    b->m.branch_to = b->m.branch_to2 = -1;
    b->s =
        (struct sched){.m = &b->m, .options = {.strategy = &plain, .weights = &sched_weights}, .nregs = 32};
}

/* Graph and tables, as for a list-scheduling run that has come to instruction AT. */
static void settle(struct bench *b) {
    ck_assert(sched_graph(&b->s));
    sched_start(&b->s);
    sched_paths(&b->s);
    b->s.now.t = AT;
}

static void end(struct bench *b) {
    ir_arena_destroy(b->m.arena);
}

static uint32_t value_at(struct bench *b, int place) {
    uint32_t v = m_new_val(&b->m);
    b->m.val[v].start = (int16_t)place;
    b->taken[place] = true;
    return v;
}

static int free_place(struct bench *b, int first, int count) {
    int place;
    do
        place = first + (int)draw((uint32_t)count);
    while (b->taken[place] || (place & 31) == 14); /* 14 is special at the end */
    return place;
}

static uint32_t op_of(struct bench *b, unsigned add, unsigned mul, unsigned nsrc) {
    uint32_t i = m_new_op(&b->m);
    b->m.op[i].add_op = (uint8_t)add;
    b->m.op[i].mul_op = (uint8_t)mul;
    b->m.op[i].nsrc = (uint8_t)nsrc;
    return i;
}

/* Gives the op a result that somebody reads. */
static uint32_t result_of(struct bench *b, uint32_t op) {
    uint32_t v = m_new_val(&b->m);
    b->m.op[op].dst = v;
    b->m.val[v].def = op;
    uint32_t reader = op_of(b, QPU_A_OR, QPU_M_V8MIN, 1);
    b->m.op[reader].src[0] = (struct m_src){.kind = M_VAL, .v = v};
    b->m.op[reader].waddr = QPU_W_TLB_COLOR;
    return v;
}

static struct m_src random_source(struct bench *b) {
    switch (draw(8)) {
    case 0: return (struct m_src){.kind = M_IMM, .v = draw(16)};
    case 1: return (struct m_src){.kind = M_SLOT, .v = ir_slot_const(b->m.shader, IR_I32, 1000 + draw(2))};
    case 2: return (struct m_src){.kind = M_READ, .v = QPU_R_XY, .side = draw(2) ? M_SIDE_A : M_SIDE_B};
    case 3: {
        bool r4 = !b->taken[PLACE_R4] && draw(2);
        uint32_t v = value_at(b, r4 ? PLACE_R4 : free_place(b, PLACE_A, 32));
        return (struct m_src){.kind = M_VAL, .v = v, .unpack = (uint8_t)(draw(2) ? QPU_UNPACK_8A : 0)};
    }
    default: return (struct m_src){.kind = M_VAL, .v = value_at(b, free_place(b, 0, PLACE_R4))};
    }
}

static uint32_t random_alu(struct bench *b) {
    static const uint8_t kinds[][3] = {{QPU_A_FADD, 0, 2},         {0, QPU_M_FMUL, 2},
                                       {QPU_A_SUB, 0, 2},          {QPU_A_FMAX, 0, 2},
                                       {QPU_A_OR, QPU_M_V8MIN, 1}, {QPU_A_V8ADDS, QPU_M_V8ADDS, 2}};
    const uint8_t *kind = kinds[draw(6)];
    uint32_t i = op_of(b, kind[0], kind[1], kind[2]);
    for (unsigned k = 0; k < kind[2]; k++)
        b->m.op[i].src[k] = random_source(b);
    return i;
}

/* Any op, or rather one of each kind that selection makes. */
static uint32_t random_op(struct bench *b) {
    static const uint8_t tile[] = {QPU_W_TLB_COLOR, QPU_W_TLB_Z, QPU_W_TLB_STENCIL};
    uint32_t kind = draw(12), i = kind < 9 ? random_alu(b) : op_of(b, 0, 0, 0);
    struct m_op *op = &b->m.op[i];
    switch (kind) {
    case 0: op->waddr = (uint8_t)(QPU_W_SFU_RECIP + draw(4)), op->r4 = true; break;
    case 1: op->waddr = tile[draw(3)]; return i;
    case 2:
        op->waddr = (uint8_t)(QPU_W_TMU0_S + draw(2));
        if (op->waddr != QPU_W_TMU0_S || draw(2))
            op->tmu_slot = ir_slot_const(b->m.shader, IR_I32, 2000);
        return i;
    case 3: op->waddr = QPU_W_VPM; return i;
    case 4: op->waddr = QPU_W_VPM_SETUP, op->wside = draw(2) ? M_SIDE_A : M_SIDE_B; return i;
    case 5: op->sf = op->add_op != 0; break;
    case 9: op->sig = (uint8_t)(draw(2) ? QPU_SIG_LDTMU0 : QPU_SIG_LOADC), op->r4 = true; break;
    case 10: { /* a rotation, a byte or a half packed */
        uint32_t how = draw(3);
        op->mul_op = QPU_M_V8MIN, op->nsrc = 1;
        op->src[0] = (struct m_src){.kind = M_VAL, .v = value_at(b, free_place(b, PLACE_ACC, 4))};
        b->m.op[i].rotate = (uint8_t)(how ? 0 : 1 + draw(15));
        b->m.op[i].pack = (uint8_t)(how == 1 ? QPU_PACK_8A + draw(4) : how == 2 ? QPU_PACK_16A : 0);
        b->m.op[i].pm = how == 1;
        if (how == 2)
            b->m.op[i].add_op = QPU_A_OR;
        uint32_t v = result_of(b, i);
        if (how == 2)
            m_restrict_write(&b->m, v, M_IN_A);
        return i;
    }
    case 11: {
        bool vary = draw(2);
        op->add_op = QPU_A_OR, op->mul_op = QPU_M_V8MIN, op->nsrc = 1;
        op->src[0] = (struct m_src){.kind = M_READ, .v = vary ? QPU_R_VARY : QPU_R_VPM, .side = M_SIDE_ANY};
        op->reads_vary = vary, op->reads_vpm = !vary;
        break;
    }
    default: break;
    }
    result_of(b, i);
    return i;
}

/* --- programs for the checker --------------------------------------------------------------------------- */

static void empty_program(struct qpu_inst *program) {
    for (int i = 0; i < LENGTH; i++)
        program[i] = qpu_nop();
    program[LENGTH - MODEL_END].sig = QPU_SIG_THREND;
}

static const struct qpucc_chip *chip; /* that the checker checks for; NULL: one that does everything */

/* How many violations there are of rules in `rules` (names between spaces). */
static unsigned violations(const struct qpu_inst *program, size_t count, bool threaded, const char *rules) {
    struct qpu_check_options options = {.stage = QPUCC_FRAGMENT, .threaded = threaded, .chip = chip};
    uint64_t words[64];
    static struct qpu_violation found[64];
    unsigned n = 0;
    for (size_t i = 0; i < count; i++)
        words[i] = qpu_encode(&program[i]);
    size_t all = qpu_check(words, count, &options, found, 64);
    for (size_t k = 0; k < all && k < 64; k++) {
        char name[64];
        snprintf(name, sizeof name, " %s ", found[k].rule);
        n += strstr(rules, name) != NULL;
    }
    return n;
}

static const char in_one[] = " reserved-encoding one-peripheral-access same-destination idle-alu-writes "
                             "read-address unused-read fifo-read-twice "
                             "flags-of-never pack-destination rotate-operands vpm-access "
                             "conditional-peripheral r5-written-twice tmu-uniform-read ";
static const char between[] =
    " regfile-read-after-write sfu-r4-read sfu-r4-write rotate-after-write uniform-after-address ";
static const char at_end[] = " end-io end-regfile-write end-address-14 end-tlb-z chip-end-receives ";
static const char at_start[] = " scoreboard-wait-early tmu-write-early ";

static void show(const struct qpu_inst *q) {
    char text[200];
    qpu_disassemble(qpu_encode(q), 0, text, sizeof text);
    fprintf(stderr, "%s\n", text);
}

static bool try_op(struct bench *b, struct slots *w, uint32_t op, int *place) {
    bool first = draw(2);
    if (b->s.op[op].traits & T_SIGNAL)
        return slots_try(&b->s, w, op, false, place);
    return slots_try(&b->s, w, op, first, place) || slots_try(&b->s, w, op, !first, place);
}

/* The op alone in an instruction; false: it can't be issued as things are. */
static bool issue_inst(struct bench *b, uint32_t op, struct m_inst *inst, int *place) {
    struct slots w;
    slots_begin(&b->s, &w);
    if (!try_op(b, &w, op, place))
        return false;
    slots_end(&w, inst);
    return true;
}

static bool issue(struct bench *b, uint32_t op, struct qpu_inst *q, int *place) {
    struct m_inst inst;
    if (!issue_inst(b, op, &inst, place))
        return false;
    *q = inst.q;
    return true;
}

/* --- one instruction ------------------------------------------------------------------------------------ */

START_TEST(one_instruction) {
    enum { PAIRS = 60000 };
    unsigned let_in = 0, kept_out = 0;
    state = 12345;
    for (int k = 0; k < PAIRS; k++) {
        struct bench b;
        struct slots w;
        struct qpu_inst program[LENGTH];
        struct m_inst inst;
        int place;
        begin(&b);
        uint32_t first = random_op(&b), second = random_op(&b);
        settle(&b);
        slots_begin(&b.s, &w);
        empty_program(program);
        if (try_op(&b, &w, first, &place)) {
            if (place != PLACE_NONE)
                place_take(&b.s, b.m.op[first].dst, place, AT + 1);
            uint32_t refused = b.s.op[second].traits & w.refused, old = b.s.op[first].traits;
            bool both = try_op(&b, &w, second, &place);
            if (both) {
                let_in++;
                slots_end(&w, &inst);
                program[AT] = inst.q;
                if (violations(program, LENGTH, false, in_one)) {
                    show(&program[AT]);
                    ck_abort_msg("the checker refuses what the model lets into one instruction");
                }
            } else if ((refused & (T_COUPLED | T_VPM_WRITE | T_VPM_SETUP) ||
                        (refused & T_VPM_READ && (old | b.s.op[second].traits) & T_VPM_SETUP)) &&
                       b.m.op[first].sig == QPU_SIG_NONE && b.m.op[second].sig == QPU_SIG_NONE) {
                w.refused = 0; /* what only the model keeps out */
                if (try_op(&b, &w, second, &place)) {
                    kept_out++;
                    slots_end(&w, &inst);
                    program[AT] = inst.q;
                    if (!violations(program, LENGTH, false, in_one)) {
                        show(&program[AT]);
                        ck_abort_msg("the checker accepts what the model keeps out of one instruction");
                    }
                }
            }
        }
        end(&b);
    }
    ck_assert_uint_gt(let_in, PAIRS / 10);
    ck_assert_uint_gt(kept_out, PAIRS / 400);
}
END_TEST

/* What other blocks read in a register is written over there or not at all. */
START_TEST(written_over) {
    for (int at = PLACE_A; at < PLACE_ACC; at += 5) {
        struct bench b;
        struct qpu_inst inst;
        int place;
        begin(&b);
        uint32_t old = value_at(&b, PLACE_B + 3), op = op_of(&b, QPU_A_OR, QPU_M_V8MIN, 1);
        b.m.op[op].src[0] = (struct m_src){.kind = M_IMM, .v = 1};
        b.m.op[op].tied = old;
        b.m.val[result_of(&b, op)].fixed = PLACE_B + 3;
        settle(&b);
        b.s.value[old].where = (int16_t)at;
        ck_assert_int_eq(issue(&b, op, &inst, &place), at == PLACE_B + 3);
        end(&b);
    }
}
END_TEST

/* --- distances ------------------------------------------------------------------------------------------ */

/* A value written in AT and read by the kind of reader that its place allows. */
START_TEST(written_and_read) {
    enum { PAIRS = 20000 };
    unsigned checked = 0, refused = 0;
    state = 54321;
    for (int k = 0; k < PAIRS; k++) {
        struct bench b;
        struct qpu_inst program[LENGTH], read;
        int place;
        begin(&b);
        uint32_t kind = draw(4), writer = random_alu(&b);
        if (kind == 1)
            b.m.op[writer].waddr = QPU_W_SFU_RECIP, b.m.op[writer].r4 = true;
        uint32_t v = result_of(&b, writer), reader = b.m.nop - 1;
        struct m_op *op = &b.m.op[reader];
        if (kind == 2) {
            m_restrict_reads(&b.m, v, M_IN_ACC);
            op->add_op = 0, op->rotate = (uint8_t)(1 + draw(15));
        } else if (kind == 3) {
            m_restrict_reads(&b.m, v, M_IN_UNPACKER);
            op->src[0].unpack = QPU_UNPACK_8A;
            op->add_op = QPU_A_FMAX, op->mul_op = QPU_M_FMUL, op->factor = 0x3f800000;
        }
        settle(&b);
        empty_program(program);
        if (issue(&b, writer, &program[AT], &place)) {
            place_take(&b.s, v, place, AT + model_latency(&b.m.op[writer], place));
            uint32_t from = model_operand_from(b.s.value[v].available, b.s.op[reader].traits);
            b.s.now.t = from;
            b.s.value[v].born = AT;
            ck_assert(issue(&b, reader, &read, &place));
            ck_assert_uint_ge(from - AT, model_flow_latency(&b.m.op[writer], &b.m.op[reader], 0));
            program[from] = read;
            ck_assert_uint_eq(violations(program, LENGTH, false, between), 0);
            program[from] = qpu_nop();
            if (from - 1 > AT) {
                program[from - 1] = read;
                ck_assert_uint_gt(violations(program, LENGTH, false, between), 0);
                refused++;
            }
            checked++;
        }
        end(&b);
    }
    ck_assert_uint_gt(checked, PAIRS / 2);
    ck_assert_uint_gt(refused, PAIRS / 4);
}
END_TEST

/* r4 is another's before the result of a special function is in it. */
START_TEST(r4_twice) {
    struct m_op sfu = {.sig = QPU_SIG_NONE, .r4 = true};
    uint32_t from = AT + model_latency(&sfu, PLACE_R4);
    for (uint32_t at = AT + 1; at <= from; at++) {
        struct qpu_inst program[LENGTH];
        empty_program(program);
        program[AT].op_add = QPU_A_OR, program[AT].waddr_add = QPU_W_SFU_RECIP;
        program[AT].cond_add = QPU_COND_ALWAYS;
        program[at].sig = QPU_SIG_LDTMU0;
        ck_assert_int_eq(violations(program, LENGTH, false, between) > 0, at < from);
    }
}
END_TEST

START_TEST(stream_set) {
    for (uint32_t at = AT + 1; at <= AT + 1 + MODEL_STREAM_SET; at++) {
        struct qpu_inst program[LENGTH];
        empty_program(program);
        program[AT].op_add = QPU_A_OR, program[AT].waddr_add = QPU_W_UNIF_ADDR;
        program[AT].cond_add = QPU_COND_ALWAYS;
        program[at].op_add = QPU_A_OR, program[at].raddr_a = QPU_R_UNIF;
        program[at].add_a = program[at].add_b = QPU_MUX_A;
        program[at].waddr_add = QPU_W_ACC0, program[at].cond_add = QPU_COND_ALWAYS;
        ck_assert_int_eq(violations(program, LENGTH, false, between) > 0, at < AT + 1 + MODEL_STREAM_SET);
    }
}
END_TEST

START_TEST(neighbours) {
    state = 777;
    unsigned apart = 0;
    for (int k = 0; k < 20000; k++) {
        struct bench b;
        struct qpu_inst program[LENGTH];
        int place;
        begin(&b);
        uint32_t first = random_alu(&b), second = random_alu(&b);
        m_restrict_write(&b.m, result_of(&b, first), M_IN_FILES);
        settle(&b);
        empty_program(program);
        if (!issue(&b, first, &program[AT], &place)) {
            end(&b);
            continue;
        }
        for (unsigned n = 0; n < b.m.op[second].nsrc;
             n++) /* often there, or at that address of the other file */
            if (b.m.op[second].src[n].kind == M_VAL && place < PLACE_ACC && draw(2))
                b.s.value[b.m.op[second].src[n].v].where = (int16_t)(draw(4) ? place : place ^ PLACE_B);
        if (issue(&b, second, &program[AT + 1], &place)) {
            bool model = model_reads_written(&program[AT], &program[AT + 1]);
            bool checker = violations(program, LENGTH, false, " regfile-read-after-write ");
            ck_assert(model || !checker); /* an address that no operand selects counts for the model alone */
            apart += model && checker;
        }
        end(&b);
    }
    ck_assert_uint_gt(apart, 20);
}
END_TEST

/* --- beginnings and ends -------------------------------------------------------------------------------- */

/* Any op as early as a program allows, and one earlier; as late, and one later. */
START_TEST(first_and_last) {
    enum { OPS = 20000 };
    static const struct qpucc_chip shipped;
    unsigned early = 0, late = 0, received = 0;
    state = 999;
    for (int k = 0; k < OPS; k++) {
        struct bench b;
        struct qpu_inst program[LENGTH];
        struct m_inst inst;
        int place;
        begin(&b);
        uint32_t op = random_op(&b);
        b.m.entry = b.m.last = true;
        b.m.options.end_receives = k & 1;
        chip = b.m.options.end_receives ? NULL : &shipped;
        settle(&b);
        uint32_t from = model_earliest(&b.m, &b.m.op[op]), tail = model_tail(&b.m, op);
        if (issue_inst(&b, op, &inst, &place)) {
            for (uint32_t at = 0; at <= from; at++) {
                empty_program(program);
                program[at] = inst.q;
                bool refused = violations(program, LENGTH, false, at_start);
                ck_assert(at < from || !refused);
                ck_assert(at == from || refused || b.m.op[op].sig == QPU_SIG_LOADC ||
                          inst.q.waddr_add == QPU_W_TLB_STENCIL || inst.q.waddr_mul == QPU_W_TLB_STENCIL);
                early += refused;
            }
            for (uint32_t more = 0; more <= !!tail; more++) {
                empty_program(program);
                uint32_t after = more && inst.q.sig != QPU_SIG_NONE && inst.q.sig != QPU_SIG_SMALL_IMM;
                program[LENGTH - MODEL_END - 1 + (tail ? more + after : 0)] = inst.q;
                program[LENGTH - MODEL_END].sig = QPU_SIG_THREND;
                bool depth = b.m.op[op].waddr == QPU_W_TLB_Z; /* kept out without a rule (HW-2806) */
                bool refused = violations(program, LENGTH, false, " end-io chip-end-receives ");
                ck_assert(refused == (more > 0) || (more && depth));
                late += more;
                received += more && violations(program, LENGTH, false, " chip-end-receives ");
            }
            struct m_inst last[MODEL_END];
            uint32_t at = draw(MODEL_END);
            empty_program(program);
            for (uint32_t n = 0; n < MODEL_END; n++)
                last[n] = m_nop_inst();
            last[at] = inst;
            for (uint32_t n = 0; n < MODEL_END; n++)
                program[LENGTH - MODEL_END + n] = last[n].q;
            program[LENGTH - MODEL_END].sig = QPU_SIG_THREND;
            if (model_may_end(&b.m, last))
                ck_assert_uint_eq(violations(program, LENGTH, false, at_end), 0);
        }
        end(&b);
    }
    ck_assert_uint_gt(early, OPS / 50);
    ck_assert_uint_gt(late, OPS / 10);
    ck_assert_uint_gt(received, OPS / 100);
    chip = NULL;
}
END_TEST

/* What the checker refuses in the last instructions the model refuses, too, each rule for itself. */
START_TEST(refused_at_the_end) {
    struct bench b;
    begin(&b);
    for (int rule = 0; rule < 5; rule++)
        for (uint32_t at = 0; at < MODEL_END; at++) {
            struct m_inst last[MODEL_END];
            struct qpu_inst program[LENGTH];
            empty_program(program);
            for (uint32_t n = 0; n < MODEL_END; n++)
                last[n] = m_nop_inst();
            struct qpu_inst *q = &last[at].q;
            q->op_add = QPU_A_OR, q->cond_add = QPU_COND_ALWAYS, q->add_a = q->add_b = QPU_MUX_A;
            q->raddr_a = (uint8_t)(rule == 0 ? 14 : rule == 1 ? QPU_R_VARY : 3);
            q->waddr_add = (uint8_t)(rule == 2 ? 14 : rule == 3 ? 5 : rule == 4 ? QPU_W_TLB_Z : QPU_W_ACC0);
            for (uint32_t n = 0; n < MODEL_END; n++)
                program[LENGTH - MODEL_END + n] = last[n].q;
            program[LENGTH - MODEL_END].sig = QPU_SIG_THREND;
            bool refused = violations(program, LENGTH, false, at_end);
            ck_assert(!refused || !model_may_end(&b.m, last));
            ck_assert(refused || (rule == 3 && at > 0) || (rule == 4 && at < 2));
        }
    end(&b);
}
END_TEST

/* An accumulator is lost from MODEL_SWITCH on after the switch's own instruction, not before. */
START_TEST(across_a_switch) {
    for (uint32_t distance = 1; distance <= MODEL_SWITCH; distance++) {
        struct qpu_inst program[LENGTH];
        empty_program(program);
        program[AT].op_add = QPU_A_OR, program[AT].cond_add = QPU_COND_ALWAYS;
        program[AT].waddr_add = QPU_W_ACC0;
        program[AT].sig = QPU_SIG_LTHRSW;
        struct qpu_inst *q = &program[AT + distance];
        q->op_add = QPU_A_OR, q->cond_add = QPU_COND_ALWAYS, q->add_a = q->add_b = QPU_MUX_R0;
        q->waddr_add = QPU_W_ACC1;
        ck_assert_int_eq(violations(program, LENGTH, true, " accumulator-across-switch ") > 0,
                         distance == MODEL_SWITCH);
    }
}
END_TEST

START_TEST(after_a_branch) {
    for (uint32_t distance = 1; distance <= MODEL_BRANCH; distance++) {
        struct qpu_inst program[LENGTH];
        empty_program(program);
        for (int n = 0; n < 2; n++) {
            struct qpu_inst *q = &program[AT + (n ? distance : 0)];
            q->type = QPU_BRANCH, q->sig = QPU_SIG_BRANCH;
            q->cond_br = QPU_BR_ALL_ZS, q->br_rel = 1, q->raddr_a = 0, q->imm = 8 * 5;
        }
        ck_assert_int_eq(violations(program, LENGTH, false, " branch-slots ") > 0, distance < MODEL_BRANCH);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("sched_model");
    TCase *model = tcase_create("model");
    tcase_add_test(model, one_instruction);
    tcase_add_test(model, written_over);
    tcase_add_test(model, written_and_read);
    tcase_add_test(model, r4_twice);
    tcase_add_test(model, stream_set);
    tcase_add_test(model, neighbours);
    tcase_add_test(model, first_and_last);
    tcase_add_test(model, refused_at_the_end);
    tcase_add_test(model, across_a_switch);
    tcase_add_test(model, after_a_branch);
    tcase_set_timeout(model, 300);
    suite_add_tcase(suite, model);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
