/* The issue model: what the hardware does with an op, as far as schedules depend on it. Which units it needs
 * and what it keeps out of its instruction, how long its result takes, what has to follow it at the end of a
 * block or program: each fact stands here once, and start, graph, list, fill, finish, bound, prove and
 * placement read it.
 *
 * Requires: ops as graph.c leaves them, with their constants in the stream. Keeps everything: these are
 * questions. The rule checker and the machine know the same hardware from its guide and share nothing with
 * this; tests/sched compares the two. */
#ifndef QPUCC_MODEL_H
#define QPUCC_MODEL_H

#include "mir/mir.h"

/* What an op asks of an instruction as a whole; an instruction that has no more of it refuses the op. */
enum sched_trait {
    T_ADD_ONLY = 1 << 0, /* which ALU can do it */
    T_MUL_ONLY = 1 << 1,
    T_EITHER = 1 << 2,
    T_SIGNAL = 1 << 3,
    T_COUPLED = 1 << 4, /* the one access to a closely coupled unit */
    T_DIRECT = 1 << 5,  /* a texture unit's direct lookup */
    T_VARY = 1 << 6,
    T_VPM_READ = 1 << 7, /* also its set-up */
    T_VPM_WRITE = 1 << 8,
    T_VPM_SETUP = 1 << 9,
    T_PACK = 1 << 10,
    T_TMU = 1 << 11,    /* pulls a word of the stream for the texture unit */
    T_STREAM = 1 << 12, /* reads a word of the stream */
    /* what a list-scheduling run wants to know besides */
    T_SWITCH = 1 << 13,
    T_RESTLESS = 1 << 14, /* leaves something in r4, r5 or the flags, which a thread switch would lose */
    T_MAKES = 1 << 15,    /* makes a value that takes a place */
    T_ROTATES = 1 << 16,
    T_CONDITION = 1 << 17, /* reads the flags */
    T_MAY_STICK =
        1 << 18, /* a value may have to move for it, even when its operands lie in different files */
    T_PORT_READ = 1 << 19, /* m_is_port_read */
    T_PAIR = 1 << 20,      /* may end two values and makes none */
};
enum { T_ALUS = T_ADD_ONLY | T_MUL_ONLY | T_EITHER, T_WORD = T_TMU | T_STREAM };

uint32_t model_traits(const struct mir *m, const struct m_op *op);

/* --- one instruction ------------------------------------------------------------------------------------ */

/* What an instruction has no room for once an op of these traits is in, and, with its ALUs taken so. */
static inline uint32_t model_excludes(uint32_t traits) {
    uint32_t refused =
        traits & (T_SIGNAL | T_COUPLED | T_VARY | T_VPM_READ | T_VPM_WRITE | T_VPM_SETUP | T_PACK);
    refused |= traits & T_VPM_SETUP ? T_VPM_WRITE : 0; /* the set-up to write goes beside a read */
    refused |= traits & T_VPM_WRITE ? T_VPM_SETUP : 0;
    refused |= traits & T_TMU ? T_WORD : 0; /* one word of the stream an instruction */
    return refused | (traits & T_STREAM ? T_TMU : 0);
}
static inline uint32_t model_excludes_alus(bool add_taken, bool mul_taken) {
    return (add_taken ? T_ADD_ONLY : 0) | (mul_taken ? T_MUL_ONLY : 0) |
           (add_taken && mul_taken ? T_EITHER : 0);
}

/* Its immediate can't be a word of the stream instead: a texture unit's write takes a word of its own. */
static inline bool model_imm_only(const struct m_op *op) {
    return op->small_imm_only || op->tmu_slot != M_NO_VALUE;
}

/* What serves at most `width` ops an instruction. */
enum { MODEL_UNITS = 6, MODEL_UNIT_STREAM = 4 };
extern const struct model_unit {
    uint32_t traits; /* ops with one of these need it */
    unsigned width;
} model_unit[MODEL_UNITS];

/* Those that an op needs, as bits; a thread switch none. */
static inline uint32_t model_units(uint32_t traits) {
    uint32_t units = 0;
    for (unsigned u = 0; u < MODEL_UNITS && !(traits & T_SWITCH); u++)
        units |= (traits & model_unit[u].traits ? 1u : 0) << u;
    return units;
}

/* --- latencies: instructions from the one to the first other that may ----------------------------------- */

enum {
    MODEL_SIGNAL_R4 = 1,   /* read r4 after the signal that fetched it */
    MODEL_ROTATE_MORE = 1, /* rotate an accumulator, beyond reading it (guide section 3) */
    MODEL_TMU_TYPICAL =
        20, /* get a texture's result as a rule, for modelled cycles; the least: QPU_LAT_TMU */
    MODEL_SWITCH = QPU_THREAD_SLOTS + 1,      /* run on the other side of a thread switch */
    MODEL_RESET = 2,                          /* instructions that set the stream's address */
    MODEL_STREAM_SET = QPU_LAT_UNIF_ADDR - 1, /* read a word, after these */
    MODEL_ENTRY = 2,                          /* touch tile buffer and texture units in a program */
    MODEL_BRANCH = QPU_BRANCH_SLOTS + 1,      /* follow a branch */
    MODEL_END = QPU_THREAD_SLOTS + 1,         /* the last instructions of a program, from the thread end on */
};

/* Read what `op` (NULL: a move) writes to `place`. */
static inline uint32_t model_latency(const struct m_op *op, int place) {
    if (place == PLACE_R4)
        return op->sig == QPU_SIG_NONE ? QPU_LAT_SFU : MODEL_SIGNAL_R4;
    return place_is_acc(place) ? QPU_LAT_ACC : QPU_LAT_REGFILE;
}

/* First instruction that may read a value as an operand that is readable from `available` on. */
static inline uint32_t model_operand_from(uint32_t available, uint32_t traits) {
    return available + (traits & T_ROTATES ? MODEL_ROTATE_MORE : 0);
}

/* First that may write over part of it: the register has to be written, not readable. */
static inline uint32_t model_overwrite_from(uint32_t available, int place) {
    uint32_t early = place_is_acc(place) ? 0 : QPU_LAT_REGFILE - 1;
    return available > early ? available - early : 0;
}

/* The least, over all places, from `def` to operand k of `op`, which reads its value; 0: a read port feeds
 * both in one instruction. */
static inline unsigned model_flow_latency(const struct m_op *def, const struct m_op *op, unsigned k) {
    bool sums = op->nsrc == 2 && op->src[1].kind == M_R5; /* r5 follows the varying by one */
    if (m_is_port_read(def) && k < op->nsrc && !op->src[k].unpack && !sums)
        return 0;
    return def->r4 ? model_latency(def, PLACE_R4) : QPU_LAT_ACC;
}

/* What is to be added to that latency where `def` can write the value to a file only, or the operand be read
 * from one only. */
static inline unsigned model_flow_more(const struct mir *m, const struct m_op *def, const struct m_op *op,
                                       unsigned k, unsigned latency) {
    const struct m_val *val = &m->val[def->dst];
    if (def->r4 || k == op->nsrc || latency != QPU_LAT_ACC)
        return 0;
    bool in_file = !(val->written_in & M_IN_ACC) || val->fixed >= 0 || op->src[k].unpack;
    return in_file ? QPU_LAT_REGFILE - QPU_LAT_ACC : 0;
}

/* The least that lies between two ops when the block is done: finish.c may move a switch up. */
static inline uint32_t model_distance(const struct mir *m, const struct m_edge *edge) {
    uint32_t latency = edge->soft ? 1 : edge->latency;
    if (m->options.threads == 1)
        return latency;
    if (!m_is_switch(&m->op[edge->from]) && !m_is_switch(&m->op[edge->to]))
        return latency;
    return latency > MODEL_SWITCH ? latency - MODEL_SWITCH : 0;
}

/* The same in finished code, where a switch stands for the last of its slots, the last instruction before it
 * takes effect. */
static inline uint32_t model_least_distance(const struct mir *m, const struct m_edge *edge) {
    uint32_t latency = edge->soft ? 1 : edge->latency;
    if (m->options.threads == 1)
        return latency;
    uint32_t to = m_is_switch(&m->op[edge->to]);
    if (m_is_switch(&m->op[edge->from])) /* the whole shadow may have gone */
        latency = latency > QPU_THREAD_SLOTS ? latency - QPU_THREAD_SLOTS : 0;
    return latency > to ? latency - to : 0;
}

/* --- beginning and end ---------------------------------------------------------------------------------- */

/* First instruction that may read what registers hold when the block begins: the block before may write one
 * in its last instruction. */
static inline uint32_t model_start(const struct mir *m) {
    return m->entry ? 0 : QPU_LAT_REGFILE - 1;
}

/* First instruction of its block that the op may be in, whatever it waits for. */
uint32_t model_earliest(const struct mir *m, const struct m_op *op);

/* Instructions that have to follow an op at the end of its block. */
uint32_t model_tail(const struct mir *m, uint32_t index);

/* The block's length is no less, whatever is in it. */
uint32_t model_least(const struct mir *m);

/* Can these be the last MODEL_END instructions of a program, the first of which carries the thread end? */
bool model_may_end(const struct mir *m, const struct m_inst *last);

/* The instruction waits for the scoreboard. */
bool model_touches_tile(const struct qpu_inst *q);

/* Does `b` read a register that `a` writes? Then the two must not become neighbours. */
bool model_reads_written(const struct qpu_inst *a, const struct qpu_inst *b);

#endif
