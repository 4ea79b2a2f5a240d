/* What explanations say of real programs, against what else knows it.
 *
 *     explain_pairs [--pairs FILE.jsonl] [--filter PREFIX] [--part 2/4] [PREFIX of .vert and .frag]...
 *
 * Names change no code. Sums are those of the instructions, and what the machine counts in a draw. Live
 * registers are what a search from every read finds. Bounds are no longer than the code. Where a slot is idle
 * by choice, the operation that was found is moved there, and the rule checker has to agree; where the
 * instruction is said to have no room for it, it must not go. */
#include "backend/isa/isa.h"
#include "tests/compiler/program_equal.h"
#include "tests/tools/pairs.h"
#include "tools/render.h"

#include <getopt.h>
#include <qpucc/explain.h>
#include <stdlib.h>

struct run {
    unsigned programs, stages, faults, moves, refused, drawn;
};

static const char *current;

static void fault(struct run *run, enum qpucc_stage stage, const char *text, uint32_t at, long x, long y) {
    if (run->faults++ < 40)
        printf("%s, %s shader, instruction %u: %s: %ld, %ld\n", current, qpucc_stage_name(stage), at, text, x,
               y);
}

/* --- live registers ------------------------------------------------------------------------------------- */

/* Places by number: file A, file B, r0 to r5, the flags. */
enum { B = 32, ACC = 64, FLAGS = 70, PLACES = 71 };

static bool reads_place(const struct qpu_inst *q, int place) {
    bool uses = false;
    if (q->type == QPU_BRANCH)
        return (q->br_reg && place == q->raddr_a) || (place == FLAGS && q->cond_br != QPU_BR_ALWAYS);
    for (int mul = 0; mul < 2; mul++) {
        unsigned op = mul ? q->op_mul : q->op_add, cond = mul ? q->cond_mul : q->cond_add;
        unsigned waddr = mul ? q->waddr_mul : q->waddr_add;
        const struct qpu_op_info *info = mul ? qpu_mul_info(op) : qpu_add_info(op);
        unsigned mux[2] = {mul ? q->mul_a : q->add_a, mul ? q->mul_b : q->add_b};
        bool active = q->type != QPU_ALU || op;
        if (active && cond != QPU_COND_NEVER && cond != QPU_COND_ALWAYS && waddr != QPU_W_NOP &&
            place == FLAGS)
            uses = true;
        for (unsigned k = 0; q->type == QPU_ALU && op && k < (info->nsrc == 1 ? 1u : 2u); k++) {
            uses |= mux[k] <= QPU_MUX_R5 && place == ACC + (int)mux[k];
            uses |= mux[k] == QPU_MUX_A && place < B && q->raddr_a == place;
            uses |= mux[k] == QPU_MUX_B && q->sig != QPU_SIG_SMALL_IMM && place >= B && place < ACC &&
                    q->raddr_b == place - B;
        }
        if (mul && q->type == QPU_ALU && op && q->sig == QPU_SIG_SMALL_IMM && q->raddr_b == 48)
            uses |= place == ACC + 5;
    }
    return uses;
}

/* Is nothing left of what was there? */
static bool overwrites(const struct qpu_inst *q, int place) {
    if (q->type == QPU_ALU && place == ACC + 5) {
        bool vary = false;
        unsigned mux[4] = {q->add_a, q->add_b, q->mul_a, q->mul_b};
        for (int k = 0; k < 4; k++) {
            bool used = k < 2 ? q->op_add : q->op_mul;
            const struct qpu_op_info *info = k < 2 ? qpu_add_info(q->op_add) : qpu_mul_info(q->op_mul);
            used = used && !(k % 2 && info->nsrc == 1);
            vary |= used && mux[k] == QPU_MUX_A && q->raddr_a == QPU_R_VARY;
            vary |= used && mux[k] == QPU_MUX_B && q->raddr_b == QPU_R_VARY && q->sig != QPU_SIG_SMALL_IMM;
        }
        if (vary)
            return true;
    }
    if (place == ACC + 4 && q->sig >= QPU_SIG_LOADCV && q->sig <= QPU_SIG_LOADAM)
        return true;
    if (place == FLAGS)
        return q->sf && q->type != QPU_BRANCH && (q->type != QPU_ALU || q->op_add || q->op_mul);
    for (int mul = 0; mul < 2; mul++) {
        unsigned waddr = mul ? q->waddr_mul : q->waddr_add, cond = mul ? q->cond_mul : q->cond_add;
        bool active = q->type != QPU_ALU || (mul ? q->op_mul : q->op_add), file_b = (bool)q->ws != (mul != 0);
        unsigned pack = q->pack & 7u;
        if (!active || cond != QPU_COND_ALWAYS)
            continue;
        bool partial =
            !q->pm && !file_b && waddr < 32 && q->type != QPU_BRANCH && pack && pack != QPU_PACK_8888;
        partial |= q->type == QPU_ALU && mul && q->pm && q->pack >= QPU_PACK_8A;
        int to = waddr < 32                                           ? (file_b ? B : 0) + (int)waddr
                 : waddr < 36                                         ? ACC + (int)waddr - 32
                 : waddr == QPU_W_ACC5                                ? ACC + 5
                 : waddr >= QPU_W_SFU_RECIP && waddr <= QPU_W_SFU_LOG ? ACC + 4
                                                                      : -1;
        if (to == place && !partial)
            return true;
    }
    return false;
}

static uint32_t previous(const struct qpu_inst *code, uint32_t count, uint32_t i, uint32_t *out) {
    uint32_t n = 0;
    for (uint32_t b = 0; b + 3 < count; b++) { /* branches that come here after their slots */
        if (code[b].type != QPU_BRANCH)
            continue;
        bool here = (int64_t)b + 4 + (int32_t)code[b].imm / 8 == (int64_t)i;
        if (here)
            out[n++] = b + 3;
    }
    bool falls = i > 0;
    if (i >= 4 && code[i - 4].type == QPU_BRANCH && code[i - 4].cond_br == QPU_BR_ALWAYS)
        falls = false;
    if (i >= 3 && code[i - 3].sig == QPU_SIG_THREND)
        falls = false;
    if (falls)
        out[n++] = i - 1;
    return n;
}

static void check_live(struct run *run, const struct qpucc_explain_stage *s) {
    struct qpu_inst *code = calloc(s->count, sizeof *code);
    bool *live = malloc(s->count);
    uint32_t *stack = malloc((s->count + 1) * sizeof *stack), *from = malloc((s->count + 2) * sizeof *from);
    for (uint32_t i = 0; i < s->count; i++)
        qpu_decode(s->instruction[i].word, &code[i]);
    for (int place = 0; place < PLACES; place++) {
        memset(live, 0, s->count); /* live after the instruction */
        for (uint32_t r = 0; r < s->count; r++) {
            uint32_t depth = 0;
            if (!reads_place(&code[r], place))
                continue;
            stack[depth++] = r;
            while (depth) {
                uint32_t n = previous(code, s->count, stack[--depth], from);
                for (uint32_t k = 0; k < n; k++)
                    if (!live[from[k]]) {
                        live[from[k]] = true;
                        if (!overwrites(&code[from[k]], place))
                            stack[depth++] = from[k];
                    }
            }
        }
        for (uint32_t i = 0; i < s->count; i++) {
            const struct qpucc_explain_instruction *in = &s->instruction[i];
            bool said = place < B        ? in->live_a >> place & 1
                        : place < ACC    ? in->live_b >> (place - B) & 1
                        : place == FLAGS ? in->live_flags
                                         : in->live_acc >> (place - ACC) & 1;
            if (said != live[i])
                fault(run, s->stage, "live after it", i, place, said);
        }
    }
    free(code);
    free(live);
    free(stack);
    free(from);
}

/* --- idle slots ------------------------------------------------------------------------------------- */

static bool uses_mux(const struct qpu_inst *q, unsigned mux) {
    bool add = q->op_add && (q->add_a == mux || (qpu_add_info(q->op_add)->nsrc != 1 && q->add_b == mux));
    bool mul = q->op_mul && (q->mul_a == mux || (qpu_mul_info(q->op_mul)->nsrc != 1 && q->mul_b == mux));
    return add || mul;
}

/* Of the uniform stream: read, or pulled by a texture coordinate. */
static bool takes_word(const struct qpu_inst *q) {
    return (uses_mux(q, QPU_MUX_A) && q->raddr_a == QPU_R_UNIF) ||
           (uses_mux(q, QPU_MUX_B) && q->raddr_b == QPU_R_UNIF && q->sig != QPU_SIG_SMALL_IMM) ||
           (q->op_add && q->waddr_add >= QPU_W_TMU0_S) || (q->op_mul && q->waddr_mul >= QPU_W_TMU0_S);
}

/* Write addresses that only one of the files has. */
static bool is_bound(unsigned waddr) {
    return waddr < 32 || waddr == 37 || waddr == 40 || waddr == 41 || waddr == 42 || waddr == 49 ||
           waddr == 50;
}

/* A free read port of `to` for what `from` reads through one; false: there is none. */
static bool move_operand(const struct qpu_inst *from, struct qpu_inst *to, bool used_a, bool used_b,
                         uint8_t *mux) {
    bool both = false;
    if (*mux < QPU_MUX_A)
        return true;
    if (*mux == QPU_MUX_B && from->sig == QPU_SIG_SMALL_IMM) {
        if (to->sig == QPU_SIG_SMALL_IMM)
            return to->raddr_b == from->raddr_b;
        if (used_b || to->sig != QPU_SIG_NONE)
            return false;
        to->sig = QPU_SIG_SMALL_IMM;
        to->raddr_b = from->raddr_b;
        return true;
    }
    unsigned address = *mux == QPU_MUX_A ? from->raddr_a : from->raddr_b;
    if (address == QPU_R_UNIF && takes_word(to))
        return false;
    both = address == QPU_R_UNIF || address == QPU_R_VARY || address == QPU_R_VPM;
    bool a_free = !used_a || to->raddr_a == address,
         b_free = to->sig != QPU_SIG_SMALL_IMM && (!used_b || to->raddr_b == address);
    if ((*mux == QPU_MUX_A || both) && a_free && (*mux == QPU_MUX_A || !b_free)) {
        to->raddr_a = (uint8_t)address;
        *mux = QPU_MUX_A;
        return true;
    }
    if ((*mux == QPU_MUX_B || both) && b_free) {
        to->raddr_b = (uint8_t)address;
        *mux = QPU_MUX_B;
        return true;
    }
    return false;
}

/* The half `from_mul` of `from` goes into the half `to_mul` of `to`. */
static bool move_half(struct qpu_inst *from, bool from_mul, struct qpu_inst *to, bool to_mul) {
    uint8_t op = from_mul ? from->op_mul : from->op_add, a = from_mul ? from->mul_a : from->add_a,
            b = from_mul ? from->mul_b : from->add_b, cond = from_mul ? from->cond_mul : from->cond_add,
            waddr = from_mul ? from->waddr_mul : from->waddr_add;
    const struct qpu_op_info *info = from_mul ? qpu_mul_info(op) : qpu_add_info(op);
    bool move = a == b && op == (from_mul ? (unsigned)QPU_M_V8MIN : (unsigned)QPU_A_OR);
    bool read_a = uses_mux(to, QPU_MUX_A), reads_r4 = uses_mux(to, QPU_MUX_R4);
    bool used_a = read_a, used_b = uses_mux(to, QPU_MUX_B), sets = from->sf && (!from_mul || !from->op_add);
    bool bytes =
        from_mul ? op == QPU_M_V8ADDS || op == QPU_M_V8SUBS : op == QPU_A_V8ADDS || op == QPU_A_V8SUBS;
    if ((from_mul != to_mul && !move && !bytes) || (sets && (to->sf || (to_mul && to->op_add))))
        return false;
    if (!sets && to->sf && !to_mul && !to->op_add)
        return false; /* the add ALU would set the flags */
    if (from_mul != to_mul)
        op = move ? (uint8_t)(to_mul ? (unsigned)QPU_M_V8MIN : (unsigned)QPU_A_OR)
                  : (uint8_t)(op == (from_mul ? (unsigned)QPU_M_V8ADDS : (unsigned)QPU_A_V8ADDS)
                                  ? (to_mul ? (unsigned)QPU_M_V8ADDS : (unsigned)QPU_A_V8ADDS)
                                  : (to_mul ? (unsigned)QPU_M_V8SUBS : (unsigned)QPU_A_V8SUBS));
    if (waddr >= QPU_W_TMU0_S && takes_word(to))
        return false;
    if (!move_operand(from, to, used_a, used_b, &a))
        return false;
    used_a |= a == QPU_MUX_A;
    used_b |= a == QPU_MUX_B;
    if (move || info->nsrc == 1)
        b = a;
    else if (!move_operand(from, to, used_a, used_b, &b))
        return false;
    if (from_mul && from->sig == QPU_SIG_SMALL_IMM && from->raddr_b >= 48) {
        bool taken =
            to->sig == QPU_SIG_SMALL_IMM ? to->raddr_b != from->raddr_b : to->sig != QPU_SIG_NONE || used_b;
        if (taken)
            return false;
        to->sig = QPU_SIG_SMALL_IMM;
        to->raddr_b = from->raddr_b;
    }
    bool file_b = (bool)from->ws != from_mul, bound = is_bound(waddr);
    unsigned other = to_mul ? to->waddr_add : to->waddr_mul;
    bool other_bound = (to_mul ? to->op_add : to->op_mul) && is_bound(other),
         other_b = (bool)to->ws == to_mul;
    if (bound && other_bound && file_b == other_b)
        return false;
    if (bound)
        to->ws = file_b != to_mul;
    bool packs = from->pack && (from->pm ? from_mul : waddr < 32 && !file_b);
    bool unpacks =
        from->unpack && (from->pm ? a == QPU_MUX_R4 || b == QPU_MUX_R4 : a == QPU_MUX_A || b == QPU_MUX_A);
    bool from_a = a == QPU_MUX_A || b == QPU_MUX_A, from_r4 = a == QPU_MUX_R4 || b == QPU_MUX_R4;
    bool modes = to->pack || to->unpack;
    if ((packs || unpacks) && modes && to->pm != from->pm)
        return false;
    if (packs && ((to->pack && to->pack != from->pack) || (from->pm && !to_mul)))
        return false;
    if (packs && !to->pack && !from->pm && other_bound && other < 32 && !other_b)
        return false;
    if (!packs && to->pack && (to->pm ? to_mul : waddr < 32 && !file_b))
        return false;
    if (unpacks && to->unpack && to->unpack != from->unpack)
        return false;
    if (unpacks && !to->unpack && (from->pm ? reads_r4 : read_a))
        return false;
    if (!unpacks && to->unpack && (to->pm ? from_r4 : from_a))
        return false;
    if (packs)
        to->pack = from->pack, to->pm = from->pm;
    if (unpacks)
        to->unpack = from->unpack, to->pm = from->pm;
    *(to_mul ? &to->op_mul : &to->op_add) = op;
    *(to_mul ? &to->mul_a : &to->add_a) = a;
    *(to_mul ? &to->mul_b : &to->add_b) = b;
    *(to_mul ? &to->cond_mul : &to->cond_add) = cond;
    *(to_mul ? &to->waddr_mul : &to->waddr_add) = waddr;
    to->sf |= sets;
    *(from_mul ? &from->op_mul : &from->op_add) = 0;
    *(from_mul ? &from->waddr_mul : &from->waddr_add) = QPU_W_NOP;
    *(from_mul ? &from->cond_mul : &from->cond_add) = QPU_COND_NEVER;
    *(from_mul ? &from->mul_a : &from->add_a) = *(from_mul ? &from->mul_b : &from->add_b) = QPU_MUX_R0;
    if (sets)
        from->sf = 0;
    if (!uses_mux(from, QPU_MUX_A))
        from->raddr_a = QPU_R_NOP;
    bool rotates = from->op_mul && from->sig == QPU_SIG_SMALL_IMM && from->raddr_b >= 48;
    if (!uses_mux(from, QPU_MUX_B) && !rotates) {
        from->raddr_b = QPU_R_NOP;
        if (from->sig == QPU_SIG_SMALL_IMM)
            from->sig = QPU_SIG_NONE;
    }
    if (packs)
        from->pack = 0;
    if (unpacks && !from->pack)
        from->unpack = 0;
    if (!from->pack && !from->unpack)
        from->pm = 0;
    return true;
}

/* Goes the operation that an idle slot waits for into it? */
static bool goes_there(const struct qpucc_explain_stage *s, uint32_t at, bool to_mul,
                       const struct qpucc_explain_slot *slot, struct qpucc_rule_violation *found) {
    uint64_t *code = malloc(s->count * sizeof *code);
    struct qpu_inst from, to;
    for (uint32_t i = 0; i < s->count; i++)
        code[i] = s->instruction[i].word;
    qpu_decode(code[slot->waits_for], &from);
    qpu_decode(code[at], &to);
    bool fits = move_half(&from, slot->waits_for_mul, &to, to_mul);
    code[slot->waits_for] = qpu_encode(&from);
    code[at] = qpu_encode(&to);
    fits = fits && !qpucc_check(code, s->count, s->stage, s->stats->threads > 1, false, found, 4);
    free(code);
    return fits;
}

/* What fits goes there; what an instruction has no room for does not. */
static void check_idle(struct run *run, const struct qpucc_explain_stage *s, uint32_t at, bool to_mul) {
    const struct qpucc_explain_instruction *in = &s->instruction[at];
    const struct qpucc_explain_slot *slot = to_mul ? &in->mul : &in->add;
    struct qpucc_rule_violation found[4] = {{.text = "no room"}};
    bool choice = slot->idle == QPUCC_IDLE_CHOICE;
    bool is_full =
        (slot->idle >= QPUCC_IDLE_WRITE && slot->idle <= QPUCC_IDLE_PACK) && slot->because_of == at;
    if (!choice && !is_full)
        return;
    *(choice ? &run->moves : &run->refused) += 1;
    if (goes_there(s, at, to_mul, slot, found) == choice)
        return;
    fault(run, s->stage, choice ? found[0].text : qpucc_idle_name(slot->idle, NULL), at, slot->waits_for,
          to_mul);
    if (getenv("EXPLAIN_VERBOSE"))
        printf("    %s\n    %s\n", in->text, s->instruction[slot->waits_for].text);
}

/* --- sums ----------------------------------------------------------------------------------------------- */

/* What binds is what needs most. */
static void check_binding(struct run *run, const struct qpucc_explain_stage *s) {
    unsigned units = 0, of = s->dependency_bound;
    for (unsigned u = 0; u < QPUCC_RESOURCE_COUNT; u++) {
        units = s->unit_bound[u] > units ? s->unit_bound[u] : units;
        if (!strcmp(s->bound_by, qpucc_resource_name((enum qpucc_resource)u)))
            of = s->unit_bound[u];
    }
    of = strcmp(s->bound_by, "alus") ? of : s->alu_bound;
    if (of < units || of < s->dependency_bound || of < s->alu_bound)
        fault(run, s->stage, s->bound_by, 0, of, units);
}

static void check_sums(struct run *run, const struct qpucc_explain_stage *s) {
    unsigned used[QPUCC_RESOURCE_COUNT] = {0}, idle[2] = {0, 0}, stalls = 0, peak = 0, operations = 0,
             lines = 0;
    double share = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct qpucc_explain_instruction *in = &s->instruction[i];
        for (unsigned u = 0; u < QPUCC_RESOURCE_COUNT; u++)
            used[u] += in->units >> u & 1;
        idle[0] += in->add.idle != QPUCC_IDLE_NONE;
        idle[1] += in->mul.idle != QPUCC_IDLE_NONE;
        if (!in->add.text != (in->add.idle != QPUCC_IDLE_NONE) ||
            !in->mul.text != (in->mul.idle != QPUCC_IDLE_NONE))
            fault(run, s->stage, "idle, or not", i, in->add.idle, in->mul.idle);
        if (in->add.waits_for != UINT32_MAX &&
            (in->add.waits_for <= i || s->instruction[in->add.waits_for].block != in->block))
            fault(run, s->stage, "waits for an instruction of elsewhere", i, in->add.waits_for, 0);
        unsigned count = (unsigned)__builtin_popcount(in->live_a) + (unsigned)__builtin_popcount(in->live_b) +
                         (unsigned)__builtin_popcount(in->live_acc & 15u);
        if (count != in->pressure)
            fault(run, s->stage, "pressure", i, in->pressure, count);
        peak = count > peak ? count : peak;
        stalls += in->stall;
        operations += !!in->add.text + !!in->mul.text + !!in->signal.text;
    }
    for (unsigned u = 0; u < QPUCC_RESOURCE_COUNT; u++)
        if (used[u] != s->used[u])
            fault(run, s->stage, qpucc_resource_name((enum qpucc_resource)u), 0, used[u], s->used[u]);
    if (used[0] + idle[0] != s->count || used[1] + idle[1] != s->count)
        fault(run, s->stage, "slots in use and idle", 0, used[0] + idle[0], used[1] + idle[1]);
    if (peak != s->peak || (s->count && s->instruction[s->peak_at].pressure != peak))
        fault(run, s->stage, "peak", s->peak_at, peak, s->peak);
    if (stalls != s->stalls || s->cycles != s->count + stalls)
        fault(run, s->stage, "stalls", 0, stalls, s->stalls);
    for (uint32_t k = 0; k < s->line_count; k++) {
        operations -= s->line[k].operations;
        lines += s->line[k].instructions;
        share += s->line[k].weight;
    }
    if (operations || lines != s->count || share < 0.999 || share > 1.001)
        fault(run, s->stage, "sums over lines", 0, operations, lines);
}

static void check_bounds(struct run *run, const struct qpucc_explain_stage *s) {
    uint32_t instructions = 0, previous_end = 0;
    for (uint32_t b = 0; b < s->block_count; b++) {
        const struct qpucc_explain_block *block = &s->block[b];
        if (block->first != previous_end)
            fault(run, s->stage, "a block begins elsewhere than the one before it ends", block->first,
                  previous_end, b);
        previous_end = block->first + block->count;
        instructions += block->count;
        if (block->bound > block->count || block->dependency_bound > block->bound)
            fault(run, s->stage, "bound of a block", block->first, block->bound, block->count);
        for (uint32_t k = 0; k < block->path_count; k++)
            if (block->path[k] < block->first || block->path[k] >= previous_end ||
                (k && block->path[k] < block->path[k - 1]) || !s->instruction[block->path[k]].on_longest_path)
                fault(run, s->stage, "longest path", block->path[k], k, b);
    }
    if (instructions != s->count || s->lower_bound > s->count || s->lower_bound + s->gap != s->count)
        fault(run, s->stage, "lower bound", 0, s->lower_bound, s->count);
}

/* --- the machine ---------------------------------------------------------------------------------------- */

static bool is_straight(const struct qpucc_explain_stage *s) {
    return s->block_count == 1;
}

static void check_machine(struct run *run, struct scene *scene, const qpucc_program *program,
                          const qpucc_explanation *explain) {
    struct qpusim_counters counters = {0};
    struct picture picture = {0};
    char error[600];
    struct render_options options = {0};
    uint64_t uniforms = 0, varyings = 0, sfu = 0, requests = 0, switches = 0;
    bool straight = true;
    scene->nearest = true; /* one pass a request */
    if (!render_scene(scene, program, &options, &picture, &counters, error, sizeof error)) {
        picture_free(&picture);
        return;
    }
    picture_free(&picture);
    run->drawn++;
    for (int k = 0; k < QPUCC_STAGE_COUNT; k++) {
        const struct qpucc_explain_stage *s = qpucc_explanation_stage(explain, (enum qpucc_stage)k);
        uint64_t batches = counters.stage_batches[k];
        unsigned slots = 0, asks = 0;
        if (!s || !is_straight(s)) {
            straight = false;
            continue;
        }
        if (counters.stage_instructions[k] != batches * s->count)
            fault(run, s->stage, "instructions in the machine", 0, (long)counters.stage_instructions[k],
                  (long)(batches * s->count));
        if (s->stats->threads == 1 && counters.stage_cycles[k] != batches * s->cycles)
            fault(run, s->stage, "cycles in the machine", 0, (long)counters.stage_cycles[k],
                  (long)(batches * s->cycles));
        for (uint32_t i = 0; i < s->count; i++) {
            struct qpu_inst q;
            qpu_decode(s->instruction[i].word, &q);
            slots += s->instruction[i].word_index != SIZE_MAX;
            if (q.type == QPU_ALU)
                asks += (q.op_add && (q.waddr_add == QPU_W_TMU0_S || q.waddr_add == QPU_W_TMU1_S)) +
                        (q.op_mul && (q.waddr_mul == QPU_W_TMU0_S || q.waddr_mul == QPU_W_TMU1_S));
        }
        if (slots != s->used[QPUCC_RESOURCE_UNIFORM])
            fault(run, s->stage, "words of the stream", 0, slots, s->used[QPUCC_RESOURCE_UNIFORM]);
        uniforms += batches * slots;
        varyings += batches * s->used[QPUCC_RESOURCE_VARYING];
        sfu += batches * s->used[QPUCC_RESOURCE_SFU];
        requests += batches * asks;
        switches += batches * s->thread_switches;
    }
    if (!straight)
        return;
    const uint64_t said[] = {uniforms, varyings, sfu, requests, switches};
    const uint64_t counted[] = {counters.uniforms, counters.varyings, counters.sfu, counters.tmu_requests,
                                counters.thread_switches};
    static const char *const names[] = {"uniforms", "varyings", "special functions", "texture requests",
                                        "switches"};
    for (unsigned k = 0; k < 5; k++)
        if (said[k] != counted[k])
            fault(run, QPUCC_FRAGMENT, names[k], 0, (long)said[k], (long)counted[k]);
}

/* --- passes --------------------------------------------------------------------------------------------- */

/* Repeating the compile has come to the IR of the code (compiler/replay.c compares them), and all texts are
 * texts of the IR. */
static void check_passes(struct run *run, const qpucc_explanation *explain,
                         const struct qpucc_explain_stage *s) {
    size_t count = qpucc_explain_pass_count(explain, s->stage);
    char error[300];
    if (!count)
        fault(run, s->stage, "no passes", 0, 0, 0);
    for (size_t i = 0; i < count; i += i + 2 < count ? 5 : 1) {
        const struct qpucc_explain_pass *pass = qpucc_explanation_pass(explain, s->stage, i);
        char *again = qpucc_opt(pass->text, strlen(pass->text), "", error, sizeof error);
        if (!again || strcmp(again, pass->text))
            fault(run, s->stage, again ? pass->name : error, 0, (long)i, (long)count);
        free(again);
    }
    if (qpucc_explanation_pass(explain, s->stage, count))
        fault(run, s->stage, "a pass after the last", 0, (long)count, 0);
}

/* --- one pair ------------------------------------------------------------------------------------------- */

static void check_pair(void *user, const char *name, struct scene *scene, const char *vertex,
                       const char *fragment, const char *error) {
    struct run *run = user;
    struct qpucc_source sources[] = {{"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL},
                                     {"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    struct qpucc_options options = qpucc_options_default();
    (void)error;
    current = name;
    struct qpucc_state state = {0};
    if (scene)
        state = render_state(scene);
    qpucc_program *plain = qpucc_compile(sources, 2, &state, &options);
    options.flags |= QPUCC_GENERATE_NAMES;
    qpucc_program *named = qpucc_compile(sources, 2, &state, &options);
    qpucc_explanation *explain = named ? qpucc_explain(named, QPUCC_EXPLAIN_PASSES) : NULL;
    const char *difference = plain && named ? program_difference(plain, named) : "memory";
    run->programs++;
    if (difference) {
        printf("%s: with names, other %s\n", name, difference);
        run->faults++;
    }
    for (int k = 0; explain && k < QPUCC_STAGE_COUNT; k++) {
        const struct qpucc_explain_stage *s = qpucc_explanation_stage(explain, (enum qpucc_stage)k);
        if (!s)
            continue;
        run->stages++;
        check_sums(run, s);
        check_binding(run, s);
        check_bounds(run, s);
        check_passes(run, explain, s);
        if (s->count < 600)
            check_live(run, s);
        for (uint32_t i = 0; i < s->count; i++) {
            check_idle(run, s, i, false);
            check_idle(run, s, i, true);
        }
    }
    if (scene && explain && qpucc_program_status(named) == QPUCC_OK)
        check_machine(run, scene, named, explain);
    qpucc_explain_free(explain);
    qpucc_program_free(named);
    qpucc_program_free(plain);
}

/* PREFIX.vert and PREFIX.frag. */
static bool check_files(struct run *run, const char *prefix) {
    char path[600], error[600] = "";
    struct file_data vertex = {0}, fragment = {0};
    struct scene scene;
    scene_init(&scene);
    snprintf(path, sizeof path, "%s.vert", prefix);
    bool ok = file_read(path, &vertex, error, sizeof error);
    snprintf(path, sizeof path, "%s.frag", prefix);
    ok = ok && file_read(path, &fragment, error, sizeof error);
    scene.mesh_name = strdup(ok && strstr(vertex.data, "mat4") ? "sphere" : "quad");
    ok = ok && scene_size_option(&scene, "48x32", error, sizeof error) &&
         scene_prepare(&scene, error, sizeof error);
    if (ok)
        check_pair(run, prefix, &scene, vertex.data, fragment.data, error);
    else
        fprintf(stderr, "%s\n", error);
    file_free(&vertex);
    file_free(&fragment);
    scene_free(&scene);
    return ok;
}

int main(int argc, char **argv) {
    static const struct option longs[] = {PAIR_LONG, {NULL, 0, NULL, 0}};
    struct pair_options options = {.size = "48x32"};
    struct run run = {0};
    bool skipped = false;
    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;)
        if (!pairs_option(&options, c, optarg))
            return 2;
    for (int i = optind; i < argc; i++)
        if (!check_files(&run, argv[i]))
            return 2;
    if (options.pairs && !pairs_each(&options, check_pair, &run, &skipped))
        return 2;
    if (skipped)
        return 77;
    printf("%u programs, %u stages, %u drawn, %u operations moved, %u refused, %u faults\n", run.programs,
           run.stages, run.drawn, run.moves, run.refused, run.faults);
    return run.faults > 0 || !run.stages;
}
