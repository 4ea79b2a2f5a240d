/* The last instructions of a fragment shader without the empty ones that they would need.
 *
 * Requires: a program's last block in order, before its end. Keeps: what it computes. Breaks: places and
 * positions of its last instructions.
 *
 * A colour whose bytes are packed one by one is in a register from the first to the last of them, and what
 * lives long is in a file. There its last byte can't be read in the next instruction: an instruction passes
 * with nothing in it. Where a free ALU can take the colour to a free accumulator before that, the last bytes
 * go there and nothing passes.
 *
 * The thread end and its two slots read no word of the stream, and the first and the last of the three have a
 * signal of their own, so no small immediate (guide section 3, "Summary of Instruction Restrictions"). Where
 * a free ALU can load the operand into a free accumulator before, they are among the last ones all the
 * same. */
#include "sched/schedule.h"

#include <string.h>

enum { REACH = 32 }; /* instructions before the tile write in which the colour may move */

static bool writes_place(const struct qpu_inst *q, bool on_mul, int place) {
    unsigned waddr = on_mul ? q->waddr_mul : q->waddr_add;
    return waddr < 32 && place == (int)waddr + (on_mul != q->ws ? PLACE_B : PLACE_A);
}

static bool writes(const struct qpu_inst *q, int place) {
    return writes_place(q, false, place) || writes_place(q, true, place);
}

static bool uses_mux(const struct qpu_inst *q, unsigned mux) {
    return (q->op_add && (q->add_a == mux || q->add_b == mux)) ||
           (q->op_mul && (q->mul_a == mux || q->mul_b == mux));
}

static bool has_small_imm(const struct qpu_inst *q) {
    return q->sig == QPU_SIG_SMALL_IMM;
}

/* The port of the file that holds `place`, as the instruction sets it. */
static bool port_is(const struct qpu_inst *q, int place) {
    return place_in_a(place) ? q->raddr_a == place : !has_small_imm(q) && q->raddr_b == place - PLACE_B;
}

static unsigned mux_of(int place) {
    return place_in_a(place) ? QPU_MUX_A : QPU_MUX_B;
}

static bool reads(const struct qpu_inst *q, int place) {
    return q->type == QPU_ALU && port_is(q, place) && uses_mux(q, mux_of(place));
}

/* Accumulators that the instruction reads or writes. */
static unsigned accumulators(const struct qpu_inst *q, bool only_written) {
    unsigned used = 0;
    for (unsigned k = 0; k < 4; k++)
        if (q->waddr_add == QPU_W_ACC0 + k || q->waddr_mul == QPU_W_ACC0 + k ||
            (!only_written && q->type == QPU_ALU && uses_mux(q, QPU_MUX_R0 + k)))
            used |= 1u << k;
    return used;
}

static bool in_shadow_of_switch(const struct m_code *code, uint32_t at) {
    for (uint32_t i = 0; i <= QPU_THREAD_SLOTS && i <= at; i++) {
        const struct qpu_inst *q = &code->inst[at - i].q;
        if (q->type == QPU_ALU && (q->sig == QPU_SIG_THRSW || q->sig == QPU_SIG_LTHRSW))
            return true;
    }
    return false;
}

/* Can what the instruction does to the register be done to an accumulator? */
static bool can_rename(const struct qpu_inst *q, int place) {
    bool unpacks = q->unpack && !q->pm && place_in_a(place);
    bool packs = q->pack && !q->pm && place_in_a(place);
    return !(reads(q, place) && unpacks) && !(writes(q, place) && packs);
}

/* Does the write leave nothing of what was there? */
static bool replaces(const struct qpu_inst *q, int place) {
    bool on_mul = writes_place(q, true, place);
    bool packs = q->pm && on_mul && q->pack >= QPU_PACK_8A;
    return q->type == QPU_ALU && (on_mul ? q->cond_mul : q->cond_add) == QPU_COND_ALWAYS && !packs;
}

static bool writes_tmu(unsigned waddr) {
    return waddr >= QPU_W_TMU0_S && waddr <= QPU_W_TMU1_B;
}

/* A free ALU moves what port `mux` delivers to accumulator `acc`. Not beside a direct lookup. */
static bool take_alu(struct qpu_inst *q, unsigned mux, unsigned acc) {
    if (writes_tmu(q->waddr_add) || writes_tmu(q->waddr_mul))
        return false;
    if (!q->op_add && q->waddr_add == QPU_W_NOP && !q->sf) {
        q->op_add = QPU_A_OR;
        q->add_a = q->add_b = (uint8_t)mux;
        q->cond_add = QPU_COND_ALWAYS;
        q->waddr_add = (uint8_t)(QPU_W_ACC0 + acc);
    } else if (!q->op_mul && q->waddr_mul == QPU_W_NOP && !(q->pm && q->pack)) {
        q->op_mul = QPU_M_V8MIN;
        q->mul_a = q->mul_b = (uint8_t)mux;
        q->cond_mul = QPU_COND_ALWAYS;
        q->waddr_mul = (uint8_t)(QPU_W_ACC0 + acc);
    } else {
        return false;
    }
    return true;
}

/* File A's port is free, or file B's. */
static bool port_is_free(const struct qpu_inst *q, unsigned mux) {
    return !uses_mux(q, mux) && (mux == QPU_MUX_A ? !(q->unpack && !q->pm) : !has_small_imm(q));
}

static bool try_copy(struct qpu_inst *q, int place, unsigned acc) {
    unsigned mux = mux_of(place);
    bool same = reads(q, place) && !(q->unpack && !q->pm && place_in_a(place));
    if (q->type != QPU_ALU || !(same || port_is_free(q, mux)) || !take_alu(q, mux, acc))
        return false;
    *(place_in_a(place) ? &q->raddr_a : &q->raddr_b) = (uint8_t)(place & 31);
    return true;
}

/* The same with a word of the stream, or a small immediate (no word: `code`). */
static bool try_load(struct m_inst *inst, uint32_t slot, uint8_t code, unsigned acc) {
    struct qpu_inst *q = &inst->q;
    if (q->type != QPU_ALU)
        return false;
    if (slot == M_NO_VALUE) {
        if (q->sig != QPU_SIG_NONE || !port_is_free(q, QPU_MUX_B) || !take_alu(q, QPU_MUX_B, acc))
            return false;
        q->sig = QPU_SIG_SMALL_IMM;
        q->raddr_b = code;
        return true;
    }
    unsigned mux = port_is_free(q, QPU_MUX_A) ? QPU_MUX_A : QPU_MUX_B;
    if (inst->slot != M_NO_VALUE || !port_is_free(q, mux) || !take_alu(q, mux, acc))
        return false;
    *(mux == QPU_MUX_A ? &q->raddr_a : &q->raddr_b) = QPU_R_UNIF;
    inst->slot = slot;
    return true;
}

static void rename_mux(uint8_t *mux, unsigned from, unsigned acc) {
    *mux = *mux == from ? (uint8_t)(QPU_MUX_R0 + acc) : *mux;
}

static bool has_no_side(unsigned waddr) {
    return waddr == QPU_W_NOP || (waddr >= QPU_W_ACC0 && waddr <= QPU_W_ACC3);
}

static void rename_in(struct qpu_inst *q, int place, unsigned acc) {
    unsigned mux = mux_of(place);
    if (reads(q, place)) {
        rename_mux(&q->add_a, mux, acc), rename_mux(&q->add_b, mux, acc);
        rename_mux(&q->mul_a, mux, acc), rename_mux(&q->mul_b, mux, acc);
        *(place_in_a(place) ? &q->raddr_a : &q->raddr_b) = QPU_R_NOP;
    }
    if (!writes(q, place))
        return;
    *(writes_place(q, true, place) ? &q->waddr_mul : &q->waddr_add) = (uint8_t)(QPU_W_ACC0 + acc);
    if (has_no_side(q->waddr_add) && has_no_side(q->waddr_mul))
        q->ws = q->pm && q->pack; /* the form the assembler writes */
}

/* Moves the register that instruction `last` reads to an accumulator, from as late an instruction as
 * possible. */
static bool move_to_accumulator(struct m_code *code, uint32_t last, int place) {
    unsigned used = accumulators(&code->inst[last].q, false);
    for (uint32_t at = last - 1; at > 0 && last - at < REACH && !in_shadow_of_switch(code, at); at--) {
        struct qpu_inst *q = &code->inst[at].q;
        if (!can_rename(q, place))
            return false;
        unsigned vacant = ~(used | accumulators(q, true)) & 15, acc = (unsigned)__builtin_ctz(vacant | 16);
        bool moved = false;
        if (writes(q, place) && replaces(q, place)) {
            if (!vacant || reads(q, place))
                return false;
            moved = true;
            *(writes_place(q, true, place) ? &q->waddr_mul : &q->waddr_add) = (uint8_t)(QPU_W_ACC0 + acc);
            if (has_no_side(q->waddr_add) && has_no_side(q->waddr_mul))
                q->ws = q->pm && q->pack;
        } else if (!writes(q, place) && !writes(&code->inst[at - 1].q, place) && vacant) {
            moved = try_copy(q, place, acc);
        }
        if (moved) {
            for (uint32_t i = at + 1; i <= last; i++)
                rename_in(&code->inst[i].q, place, acc);
            return true;
        }
        used |= accumulators(q, false);
    }
    return false;
}

/* The stream's address was set less than three instructions before (guide section 3, "Uniforms"). */
static bool stream_is_new(const struct m_code *code, uint32_t at) {
    for (uint32_t i = 0; i < QPU_LAT_UNIF_ADDR && i <= at; i++) {
        const struct qpu_inst *q = &code->inst[at - i].q;
        if (q->waddr_add == QPU_W_UNIF_ADDR || q->waddr_mul == QPU_W_UNIF_ADDR)
            return true;
    }
    return false;
}

/* The port by which the instruction reads its word of the stream; false: by both. */
static bool word_port(const struct qpu_inst *q, unsigned *mux) {
    bool a = uses_mux(q, QPU_MUX_A) && q->raddr_a == QPU_R_UNIF,
         b = uses_mux(q, QPU_MUX_B) && q->raddr_b == QPU_R_UNIF && !has_small_imm(q);
    *mux = a ? QPU_MUX_A : QPU_MUX_B;
    return a != b;
}

/* The instruction reads the accumulator instead of its word of the stream or its immediate. */
static void read_loaded(struct m_inst *inst, unsigned mux, unsigned acc) {
    struct qpu_inst *q = &inst->q;
    rename_mux(&q->add_a, mux, acc), rename_mux(&q->add_b, mux, acc);
    rename_mux(&q->mul_a, mux, acc), rename_mux(&q->mul_b, mux, acc);
    *(mux == QPU_MUX_A ? &q->raddr_a : &q->raddr_b) = QPU_R_NOP;
    if (inst->slot == M_NO_VALUE)
        q->sig = QPU_SIG_NONE;
    inst->slot = M_NO_VALUE;
}

/* What instruction `at` takes from the stream or as an immediate, it takes from an accumulator, which an
 * instruction before `end` loads; and so do those after it that take the same word. */
static bool load_before(struct m_code *code, uint32_t at, uint32_t end) {
    struct m_inst *inst = &code->inst[at];
    uint32_t slot = inst->slot;
    unsigned used = 0, mux = QPU_MUX_B;
    if (slot == M_NO_VALUE ? inst->q.raddr_b >= 48 /* a rotation */ : !word_port(&inst->q, &mux))
        return false;
    for (uint32_t i = at + 1; i < code->count; i++)
        used |= accumulators(&code->inst[i].q, false);
    for (uint32_t i = at; i > 0 && at - i < REACH; i--) {
        uint32_t from = i - 1;
        used |= accumulators(&code->inst[i].q, false);
        unsigned vacant = ~(used | accumulators(&code->inst[from].q, true)) & 15;
        if (!vacant || in_shadow_of_switch(code, from) || stream_is_new(code, from))
            return false;
        unsigned acc = (unsigned)__builtin_ctz(vacant);
        if (from >= end || !try_load(&code->inst[from], slot, inst->q.raddr_b, acc))
            continue;
        read_loaded(inst, mux, acc);
        for (uint32_t j = at + 1; slot != M_NO_VALUE && j < code->count; j++)
            if (code->inst[j].slot == slot && word_port(&code->inst[j].q, &mux))
                read_loaded(&code->inst[j], mux, acc);
        return true;
    }
    return false;
}

/* Makes the instructions from `end` on such as a program may end with. */
static bool clear_end(struct m_code *code, uint32_t end) {
    for (uint32_t at = end; at < code->count; at++) {
        struct m_inst *inst = &code->inst[at];
        if (inst->q.type != QPU_ALU)
            return false;
        bool signals = at == end || at == end + MODEL_END - 1;
        if (signals && has_small_imm(&inst->q) && !load_before(code, at, end))
            return false;
        if (inst->slot != M_NO_VALUE && !load_before(code, at, end))
            return false;
    }
    return true;
}

/* Fewer empty instructions after the last work. */
static void move_end_up(const struct mir *m, struct m_code *code) {
    struct m_inst keep[REACH + MODEL_END], end[MODEL_END];
    uint32_t n = code->count, first = n > REACH + MODEL_END ? n - (REACH + MODEL_END) : 0;
    for (uint32_t pad = 0; pad < MODEL_END && n + pad > MODEL_END; pad++) {
        memcpy(keep, &code->inst[first], (n - first) * sizeof *keep);
        uint32_t at = n + pad - MODEL_END;
        bool ok = clear_end(code, at);
        for (uint32_t i = 0; i < MODEL_END; i++)
            end[i] = at + i < n ? code->inst[at + i] : m_nop_inst();
        if (ok && model_may_end(m, end))
            return;
        memcpy(&code->inst[first], keep, (n - first) * sizeof *keep);
    }
}

/* The last tile write does not wait for a register of a file. */
static void move_write_up(struct m_code *code) {
    if (code->count < 4)
        return;
    uint32_t last = code->count - 1;
    const struct m_inst *idle = &code->inst[last - 1];
    const struct qpu_inst *q = &code->inst[last].q, *before = &code->inst[last - 2].q;
    if (q->type != QPU_ALU || idle->q.type != QPU_ALU || idle->q.op_add || idle->q.op_mul ||
        idle->q.sig != QPU_SIG_NONE || !model_touches_tile(q))
        return;
    int place = reads(q, q->raddr_a) ? q->raddr_a : PLACE_NONE;
    if (place == PLACE_NONE || place >= 32 || !writes(before, place))
        place = !has_small_imm(q) && q->raddr_b < 32 ? PLACE_B + q->raddr_b : PLACE_NONE;
    if (place == PLACE_NONE || !reads(q, place) || !can_rename(q, place) || !writes(before, place) ||
        !move_to_accumulator(code, last, place) || model_reads_written(before, q))
        return;
    code->inst[last - 1] = code->inst[last];
    code->count--;
}

void sched_free_tail(const struct mir *m, struct m_code *code) {
    move_write_up(code);
    move_end_up(m, code);
}
