/* What the files of selection share; see select.c. */
#ifndef QPUCC_SELECT_H
#define QPUCC_SELECT_H

#include "backend/parts.h"

/* What selection knows by IR id, and room for its lists: one set for all blocks of a shader. */
struct sel_tables {
    uint32_t ids, attr_words, fetches;
    uint32_t *val, *uses, *level, *readers; /* as in struct sel */
    uint8_t *word_cond;
    bool *word_mask;
    uint32_t *tmu_ld[2], *thread_switch;
    uint32_t *touched, *ntouched; /* ids whose entries the block before may have set */
};

/* A truth value as flags: run `op a, b` with flags, then test `cond`. */
struct test {
    uint8_t add_op, cond;
    struct m_src a, b;
};

/* Conditional writes that share one flag setting; see join_cluster. */
struct cluster {
    const struct ir_inst *cond;
    uint32_t setter;
    uint8_t test;
    uint32_t nmember;
    uint32_t level; /* switches that its members wait for: all for those of the last one */
};

/* A run-time index in bytes that is at most what a slot says; low: not negative, at least. */
struct limited_index {
    const struct ir_inst *index;
    bool words; /* which the index counts, not bytes */
    uint32_t most, low, value;
};

struct sel {
    struct mir *m;
    struct be_result *result;
    uint32_t *val;      /* IR id -> value */
    uint8_t *word_cond; /* IR id of a boolean -> condition its word stands for, 0: no word yet */
    bool *word_mask;    /* ... whose word is all ones or none */
    uint32_t *uses;     /* IR id -> uses left in the IR */
    uint32_t *readers;  /* IR id of a word of the stream -> its readers in this block */
    uint32_t hold;      /* with this many it is read from a register */
    uint32_t *seen, *stack, cap_seen, stamp; /* op -> stamp of the last search that saw it */
    uint64_t visits;                         /* of ops by searches, not counted as work yet */
    struct cluster *cluster;
    uint32_t ncluster, cap_cluster;
    struct ir_loc loc;
    uint32_t last_vary_read, last_vary_add, last_vpm_read, last_vpm_write, last_tlb;
    uint32_t vpm_row; /* where the next VPM write goes without another setup */
    bool vpm_down;    /* the rows written fall */
    uint32_t tmu_last_s[2], tmu_last_ld[2], tmu_count[2], *tmu_ld[2];
    uint32_t mask;          /* value of the lane mask now */
    uint32_t start_in[64];  /* register -> value of another block that is there at the start and read here */
    uint32_t branch_setter; /* of the flags that the block's branch asks, by branch_cond */
    uint8_t branch_cond;
    struct limited_index limited[8]; /* those of uniforms that this block has made last */
    uint32_t nlimited;
    uint32_t *level, *thread_switch, nswitch, batch_words[2]; /* two threads: see "texture requests" */
    uint32_t *touched, *ntouched;
    bool failed;
};

/* An entry of another block's instruction gets a value: the next block has to find it without one. */
static inline void sel_set_value(struct sel *s, const struct ir_inst *inst, uint32_t v) {
    if (s->val[inst->id] == M_NO_VALUE)
        s->touched[(*s->ntouched)++] = inst->id;
    s->val[inst->id] = v;
}

static inline struct m_src src_val(uint32_t v) {
    return (struct m_src){.kind = M_VAL, .v = v};
}
static inline struct m_src src_imm(uint32_t bits) {
    return (struct m_src){.kind = M_IMM, .v = bits};
}
static inline struct m_src src_slot(uint32_t slot) {
    return (struct m_src){.kind = M_SLOT, .v = slot};
}
static inline struct m_src src_read(uint32_t addr, enum m_side side) {
    return (struct m_src){.kind = M_READ, .v = addr, .side = (uint8_t)side};
}

/* --- select_emit.c: operations, operands, peripheral writes --------------------------------------------- */

void sel_unsupported(struct sel *s, const struct ir_inst *inst, const char *what);

bool sel_is_local(const struct sel *s, const struct ir_inst *i);

/* Makes an op, by its opcode on each ALU (0: that one cannot do it); returns it. The ports have to have room
 * for both operands. */
uint32_t sel_emit_raw(struct sel *s, unsigned add_op, unsigned mul_op, unsigned nsrc, struct m_src a,
                      struct m_src b);

/* The op makes a new value; returns that. */
uint32_t sel_emit_to_new(struct sel *s, uint32_t op);

/* A move first, unless it is a value that is read as it is. */
struct m_src sel_in_register(struct sel *s, struct m_src a);

/* An op of two operands, one of which is moved first where the ports have no room for both; and its value. */
uint32_t sel_emit2(struct sel *s, unsigned add_op, unsigned mul_op, struct m_src a, struct m_src b);

uint32_t sel_value2(struct sel *s, unsigned add_op, unsigned mul_op, struct m_src a, struct m_src b);

/* A move; one that unpacks to float does float work on either ALU. */
uint32_t sel_move_op(struct sel *s, struct m_src a);

/* The value of such a move. */
uint32_t sel_emit_mov(struct sel *s, struct m_src a);

/* How `inst` reads as an operand. `floats`: the reading operation takes floats, so a float unpack can ride
 * along. */
struct m_src sel_operand(struct sel *s, const struct ir_inst *inst, bool floats);

/* Where an op that is there already gets another operand: something depends on what makes that one. */
void sel_note_read(struct sel *s, struct m_src a);

/* The op takes over the value's register: it keeps what it does not write. M_NO_VALUE: none. */
void sel_tie(struct sel *s, uint32_t op, uint32_t value);

/* What an unpacking instruction of this block takes apart, to be unpacked by the operation that reads it. */
struct m_src sel_unpacked(struct sel *s, const struct ir_inst *inst);

/* True if the value's defining op may be changed in place to write elsewhere: its only reader is asking.
 * `peripheral`: it is to write to a peripheral, by itself. */
bool sel_fold_target(struct sel *s, const struct ir_inst *inst, bool peripheral);

/* `waddr` := inst, by its own operation if that may be. The write has to come after the ops `after`
 * (M_NO_VALUE: none). `no_stream`: the write pulls a word of the stream itself, so its op must not read one.
 * Returns the op. */
uint32_t sel_write_peripheral(struct sel *s, const struct ir_inst *inst, unsigned waddr,
                              const uint32_t after[3], bool no_stream);

/* The op comes after *last (M_NO_VALUE: none), and is the last one now. */
void sel_chain(struct sel *s, uint32_t *last, uint32_t op);

uint32_t sel_unary(struct sel *s, unsigned add_op, struct m_src a);

/* The value of something that select_inst left for its readers. */
uint32_t sel_value_of(struct sel *s, const struct ir_inst *inst);

/* The operation that makes the value of `inst`, where there is one yet, is called as that is. */
static inline void sel_label(struct sel *s, const struct ir_inst *inst) {
    uint32_t v = inst->label ? s->val[inst->id] : M_NO_VALUE;
    if (v != M_NO_VALUE && s->m->val[v].def != M_NO_VALUE)
        s->m->op[s->m->val[v].def].label = inst->label;
}

/* --- select_flags.c: booleans, shared flags, reachability ----------------------------------------------- */

uint32_t sel_bool_word(struct sel *s, const struct ir_inst *b, uint8_t *cond);

struct test sel_bool_test(struct sel *s, const struct ir_inst *b);

/* Does the op wait for the target; does anything under flags? */
bool sel_depends(struct sel *s, uint32_t op, uint32_t target);
bool sel_conditional_depends(struct sel *s, uint32_t target);

/* The flag setting for a conditional `inst` on boolean `cond`: an existing one when no cycle comes of sharing
 * it. `after`: an op that has to come before, or M_NO_VALUE. */
struct cluster *sel_join_cluster(struct sel *s, struct ir_inst *inst, const struct ir_inst *cond,
                                 uint32_t after);

void sel_under_flags(struct sel *s, uint32_t op, uint32_t setter, uint8_t cond);

void sel_make_conditional(struct sel *s, uint32_t op, uint32_t tied, struct cluster *c, uint8_t cond);

void select_bool_value(struct sel *s, struct ir_inst *i, uint32_t *word);

struct m_src sel_word_of(struct sel *s, const struct ir_inst *x);

/* --- select_sections.c: registers that hold one thing at a time ----------------------------------------- */

void sel_close_sections(struct sel *s);

/* --- select_pack.c: bytes and halves -------------------------------------------------------------------- */

/* One byte (or all four, pack 8888) of a packed colour; `here`: how many bytes of it are this same value. */
uint32_t sel_pack_byte(struct sel *s, const struct ir_inst *x, uint32_t here, uint8_t pack, uint32_t tied);

void select_pack_color(struct sel *s, struct ir_inst *i);

uint32_t sel_pack_half(struct sel *s, const struct ir_inst *x, bool to_float, uint8_t pack, uint32_t tied);

/* PACK_16I whose upper half is a word's own upper half: the lower one is written over it. M_NO_VALUE: it is
 * none. */
uint32_t sel_pack_over(struct sel *s, const struct ir_inst *i);

/* --- select_tex.c: texture requests --------------------------------------------------------------------- */

/* Switches that the value of an instruction waits for. */
uint32_t sel_level_of(const struct sel *s, const struct ir_inst *inst);

/* Coordinates go T, R, B, S: S last submits. Each pulls the next set-up word (guide section 4). */
void select_tex(struct sel *s, struct ir_inst *i);

/* A word of a uniform array from memory, in the one form that the kernel accepts (docs/hardware.md, Kernel):
 * max(x, 0), min(that, uniform), add(that, uniform) to S, add ALU only, operands in this order. */
void select_uniform_at(struct sel *s, struct ir_inst *i);
void select_buffer_at(struct sel *s, struct ir_inst *i);

/* The last switch says so, and the tile buffer is touched only after it (guide section 3, "Thread control").
 * What lives across a switch does so in a file. */
void sel_last_switch(struct sel *s);

/* --- select_flow.c: across lanes and blocks ------------------------------------------------------------- */

/* Second minus first of each pair, in both its lanes. Rotating by `bit` brings the first to the second, by 16
 * - bit the second to the first; what comes over from other quads is not used. */
uint32_t sel_derivative(struct sel *s, const struct ir_inst *i, unsigned bit);

/* The test of the block's branch: a reader of what the block writes to cross-block registers next. */
void sel_branch_test(struct sel *s);

/* What later blocks read from cross-block registers, and the copies to the phis of the one successor that has
 * any. */
void sel_write_cross_block(struct sel *s);

void sel_begin_block(struct sel *s);

void sel_end_uniform(struct sel *s);

void sel_end_divergent(struct sel *s);

/* --- select_words.c ------------------------------------------------------------------------------------- */

/* Fills `readers` and `hold`, before anything else of the block is selected. */
void sel_hold_words(struct sel *s);

/* --- select_tidy.c -------------------------------------------------------------------------------------- */

/* A VPM read whose value has one reader goes into the reader, if that keeps the order of the FIFO:
 * nothing else it reads may come from a later word. */
void sel_fold_vpm_reads(struct mir *m);

/* Ops whose result nothing reads and that do nothing else. */
void sel_drop_dead(struct mir *m);

#endif
