/* The machine's inner interfaces: decoded programs, a QPU thread and the peripherals around it. */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include <qpucc/qpusim.h>

#include "backend/isa/isa.h"
#include "runtime/alu.h"
#include "runtime/fault.h"
#include "runtime/lanes.h"
#include "runtime/texture.h"

/* --- the host ------------------------------------------------------------------------------------------- */

/* Which version of what is compiled once for each kind of host (parts.h). */
enum sim_host { SIM_HOST_PLAIN, SIM_HOST_AVX2, SIM_HOST_AVX512 };
static inline enum sim_host sim_host(void) {
#ifdef SIM_X86_LOOPS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return SIM_HOST_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return SIM_HOST_AVX2;
#endif
    return SIM_HOST_PLAIN;
}

/* --- errors (error.c) ----------------------------------------------------------------------------------- */

enum sim_rule {
#define SIM_RULE(id, name, section) SIM_##id,
#include "runtime/rules.def"
#undef SIM_RULE
    SIM_RULE_COUNT
};

/* --- memory (memory.c) ---------------------------------------------------------------------------------- */

/* Buffers in a table of the pages that they touch, each page with the first one there; `next` is the buffer
 * at the next higher address. */
#define SIM_PAGE_BITS 12
#define SIM_LEAF_BITS 10

struct sim_buffer {
    uint32_t address, size;
    uint8_t *bytes;
    struct sim_buffer *next;
    bool owned;
    char owner[];
};

struct sim_leaf {
    struct sim_buffer *first[1 << SIM_LEAF_BITS];
};

struct qpusim_memory {
    struct sim_leaf *leaf[1 << (32 - SIM_PAGE_BITS - SIM_LEAF_BITS)];
    struct sim_buffer *buffers;
    size_t used; /* of the buffer at QPUSIM_MEMORY_BASE */
};

static inline const struct sim_buffer *sim_memory_buffer(const struct qpusim_memory *m, uint32_t address) {
    const struct sim_leaf *leaf = m->leaf[address >> (SIM_PAGE_BITS + SIM_LEAF_BITS)];
    if (!leaf)
        return NULL;
    const struct sim_buffer *b = leaf->first[address >> SIM_PAGE_BITS & ((1 << SIM_LEAF_BITS) - 1)];
    while (b && address - b->address >= b->size)
        b = b->address > address ? NULL : b->next;
    return b;
}

/* Where [address, address + size) lies; NULL when it is not within one buffer, or there is no memory. */
static inline uint8_t *sim_memory_at(const struct qpusim_memory *m, uint32_t address, size_t size) {
    const struct sim_buffer *b = m ? sim_memory_buffer(m, address) : NULL;
    return b && size <= b->size - (address - b->address) ? b->bytes + (address - b->address) : NULL;
}

/* The word at a bus address (low two bits ignored); false outside memory. */
static inline bool sim_memory_word(const struct qpusim_memory *m, uint32_t address, uint32_t *out) {
    const uint8_t *p = sim_memory_at(m, address & ~3u, 4);
    if (p)
        memcpy(out, p, 4);
    return p;
}

/* Bytes from `address` to the end of its buffer; 0 outside. */
size_t sim_memory_rest(const struct qpusim_memory *m, uint32_t address);
/* "0x00001000, 16 bytes, lies outside all buffers; 'code' ends at 0x00000800" */
void sim_memory_explain(const struct qpusim_memory *m, uint32_t address, size_t size, char *text,
                        size_t text_size);

/* --- programs (program.c) ------------------------------------------------------------------------------- */

enum sim_kind { SIM_K_ALU, SIM_K_LDI, SIM_K_SEMAPHORE, SIM_K_BRANCH, SIM_K_BAD };
enum sim_dst { SIM_DST_NONE, SIM_DST_REG, SIM_DST_R5_QUAD, SIM_DST_R5_ALL, SIM_DST_IO };

/* Why an instruction leaves the fast path. */
enum sim_slow {
    SIM_SLOW_READ = 1,   /* reads an I/O address, or address 39 */
    SIM_SLOW_SIGNAL = 2, /* any signal with an effect */
    SIM_SLOW_WRITE = 4,  /* writes an I/O address */
    SIM_SLOW_KIND = 8,   /* branch, semaphore, bad */
    SIM_SLOW_ROTATE = 16,
    SIM_SLOW_STATIC = 32, /* breaks a rule whenever it is executed: `rule` */
};

/* One register file for all: file A at 0, file B at 32, accumulators at 64. */
#define SIM_REG_B 32
#define SIM_REG_ACC 64
/* Places for operands that are no registers: what the two ports read, an unpacked value, the immediate (whose
 * value stays in the instruction). */
#define SIM_REG_PORT 70
#define SIM_REG_UNPACKED 72
#define SIM_REG_IMM 73
#define SIM_REG_NOWHERE 74 /* for results that nothing keeps */
#define SIM_REG_COUNT 75
#define SIM_NO_READ 255
#define SIM_NO_WRITE 254
#define SIM_R4 (SIM_REG_ACC + 4)
#define SIM_R5 (SIM_REG_ACC + 5)
#define SIM_FLAGS_BIT 127
enum sim_fast_read { SIM_FAST_NO_READ, SIM_FAST_UNIFORM, SIM_FAST_VARYING };

/* What the fast loop chooses by. All but the general form have no pack or unpack; conditions and flags only
 * the forms named after them. The pairs of an add and a mul operation that code is mostly made of have a form
 * each, so that one jump leads to both, and so have the operations that flags mostly come from. */
#define SIM_PAIRS(PAIR)                                                                                      \
    PAIR(FADD, NOP)                                                                                          \
    PAIR(FSUB, NOP)                                                                                          \
    PAIR(OR, NOP)                                                                                            \
    PAIR(NOP, FMUL)                                                                                          \
    PAIR(NOP, V8MIN)                                                                                         \
    PAIR(FADD, FMUL)                                                                                         \
    PAIR(FSUB, FMUL)                                                                                         \
    PAIR(OR, FMUL)                                                                                           \
    PAIR(FADD, V8MIN)                                                                                        \
    PAIR(FSUB, V8MIN)                                                                                        \
    PAIR(OR, V8MIN)                                                                                          \
    PAIR(FMIN, NOP)                                                                                          \
    PAIR(FMAX, NOP)                                                                                          \
    PAIR(FMAX, FMUL)                                                                                         \
    PAIR(FTOI, FMUL)                                                                                         \
    PAIR(ADD, NOP)                                                                                           \
    PAIR(SUB, NOP)                                                                                           \
    PAIR(SHL, NOP)                                                                                           \
    PAIR(AND, NOP)                                                                                           \
    PAIR(ADD, V8MIN)                                                                                         \
    PAIR(SHL, V8MIN)
#define SIM_COMPARISONS(COMPARISON)                                                                          \
    COMPARISON(FSUB)                                                                                         \
    COMPARISON(SUB)                                                                                          \
    COMPARISON(OR)                                                                                           \
    COMPARISON(AND)                                                                                          \
    COMPARISON(XOR)
enum sim_form {
    SIM_FORM_GENERAL,
    SIM_FORM_PLAIN,   /* any operations */
    SIM_FORM_SELECT,  /* moves, each with a condition */
    SIM_FORM_COMPARE, /* flags of any add operation in all lanes, and no more */
#define COMPARISON(op) SIM_FORM_COMPARE_##op,
#define PAIR(add, mul) SIM_FORM_##add##_##mul,
    SIM_COMPARISONS(COMPARISON) SIM_PAIRS(PAIR)
#undef COMPARISON
#undef PAIR
    /* what comes before the form: a read of a port, an immediate that goes to its place */
    SIM_BEGIN_UNIFORM,
    SIM_BEGIN_VARYING,
    SIM_BEGIN_IMMEDIATE,
};

struct sim_inst {
    u32x16 imm; /* small immediate or loaded values */
    uint64_t word;
    uint8_t kind, sig, slow;
    uint8_t op[2];         /* add, mul; 0 also when nothing can come of it */
    uint8_t src[2][2];     /* enum qpu_mux */
    uint8_t operand[2][2]; /* the same as register numbers */
    bool same[2];          /* both operands are the same one */
    uint8_t muxes;         /* bit m: enum qpu_mux m is an operand of something executed */
    uint8_t raddr[2];      /* what the ports read: register index or I/O address; 39 none */
    bool small_imm;
    uint8_t unpack;                  /* enum qpu_unpack */
    uint8_t unpack_from;             /* register number */
    bool unpack_float, packs, extra; /* extra: carry or overflow matters */
    uint8_t cond[2], dst_kind[2], dst[2],
        io_file[2];   /* dst: register index, or I/O address (file in io_file) */
    uint8_t pack[2];  /* file A pack of each ALU's result, when it goes there */
    uint8_t pack_mul; /* pm 1 pack of the mul result */
    bool float_result[2];
    uint8_t flags;  /* 0: none set, 1: by add, 2: by mul */
    uint8_t rotate; /* 0 none, 1..15, 16: by r5 */
    bool same_dst;
    uint8_t rule; /* enum sim_rule, with SIM_SLOW_STATIC */
    /* For hazards with the neighbours; SIM_NO_READ and SIM_NO_WRITE never meet. */
    uint8_t reads[2];    /* registers of file A and B that are operands */
    uint8_t writes[2];   /* registers of file A and B written */
    uint8_t writes_acc;  /* accumulators written, bit mask */
    uint8_t rotated_acc; /* accumulators that are mul operands of a rotation */
    bool touches_r14;
    /* The fast loop (loop.h): may it execute this, and what must be defined, or is afterwards. Bit per
     * register, SIM_FLAGS_BIT for the flags. */
    bool fast;
    uint8_t begin, form; /* enum sim_form */
    uint8_t to[2];       /* of all forms but the general one */
    uint8_t fast_read;   /* what the ports deliver */
    uint64_t uses[2], kills[2];
    /* Of it and those that follow, as many as the fast loop may execute in a row: what must be defined at the
     * beginning, and what is at the end. */
    uint32_t run;
    uint64_t run_uses[2], run_kills[2];
    uint8_t cond_br;
    bool br_rel, br_reg, sem_down;
    uint8_t sem;
    int32_t offset; /* of a branch, bytes */
};

struct qpusim_program {
    enum qpusim_stage stage;
    bool threaded, has_branch;
    size_t count;
    struct sim_inst *code;
};

/* --- cycles (cycles.c) ---------------------------------------------------------------------------------- */

struct sim_clock {
    uint64_t now;         /* instruction slots since the QPU started */
    uint64_t tmu_free[2]; /* when each TMU can take the next request */
    unsigned tmu_latency; /* slots from a request to its answer; 0: QPU_LAT_TMU, the least */
    unsigned tmu_sharers; /* QPUs that each TMU serves in turn; 0: this one alone */
};
/* A request is made now; returns when its result can be read. `passes`: 1 bilinear or nearest, 2 trilinear.
 */
uint64_t sim_clock_tmu_request(struct sim_clock *c, unsigned unit, unsigned passes);
/* The program waits for time `t`; returns the slots lost. */
uint64_t sim_clock_wait(struct sim_clock *c, uint64_t t);
/* When data of a VPM read setup made now can be read. */
uint64_t sim_clock_vpm_ready(const struct sim_clock *c);

/* Adds what one tile counted; branches of each stage's program, which has `instructions`, are moved. */
void sim_counters_add(struct qpusim_counters *to, const struct qpusim_counters *from,
                      const size_t instructions[3]);

/* --- TMU (tmu.c) ---------------------------------------------------------------------------------------- */

struct sim_tmu_request {
    u32x16 coord[4]; /* s, t, r, b */
    uint32_t param[4];
    unsigned written; /* bit n: coord[n] */
    unsigned params;  /* config words taken */
    unsigned live;    /* lanes whose answer counts; the others do without one if there is none */
    unsigned asked;   /* lanes with coordinates: all of a fragment batch */
};
struct sim_tmu_answer {
    u32x16 value[2];
    unsigned words; /* loads that it takes: 2 for RGBA64 */
};
struct sim_tmu_error {
    enum sim_rule rule;
    int lane;
    uint32_t address; /* outside memory; or */
    const char *why;  /* the set-up makes no sense */
};
#define SIM_SAMPLERS 4
struct sim_sampler_cache {
    unsigned next, fault;
    struct sim_sampler sampler[SIM_SAMPLERS];
    struct sim_lines *lines; /* NULL: nobody asks which lines are read */
};
/* Performs a lookup. Returns the passes for the clock, 0 on error. */
unsigned sim_tmu_lookup(const struct qpusim_memory *memory, struct sim_sampler_cache *cache,
                        const struct sim_tmu_request *request, struct sim_tmu_answer *answer,
                        struct sim_tmu_error *error);

/* --- VPM (vpm.c) ---------------------------------------------------------------------------------------- */

struct sim_vpm_block { /* a generic block setup, guide tables 32 and 33 */
    unsigned addr, stride, size, remaining;
    bool horizontal, laned;
};
struct sim_vpm_block sim_vpm_decode(uint32_t setup);
/* Byte offsets (row * 64 + column * 4 + byte) and width of the sixteen elements of the current vector. */
unsigned sim_vpm_elements(const struct sim_vpm_block *block, uint16_t offset[SIM_LANES]);

struct sim_vpm {
    unsigned rows_in, rows_out;
    uint64_t read_rows, written_rows; /* bit per row */
    struct sim_vpm_block read[2], write;
    unsigned queued;
    bool write_set;
    uint64_t ready; /* clock when the setup's data is there */
    uint32_t in[QPUSIM_MAX_VPM_ROWS][SIM_LANES], out[QPUSIM_MAX_VPM_ROWS][SIM_LANES];
};

/* --- TLB (tlb.c) ---------------------------------------------------------------------------------------- */

/* Quads that wrote a Z: how many had no pixel passing the stencil test; a stencil but no Z test; both; no
 * covered pixel; some. `written`: quads with a pixel that wrote its colour. */
struct sim_quad_counts {
    uint64_t failing_stencil, failing_z, passing, uncovered, covered, written;
};

struct sim_tlb {
    uint32_t color[QPUSIM_TILE_WORDS][SIM_LANES], depth[QPUSIM_SAMPLES][SIM_LANES];
    /* A thread begins with all of these zero. */
    unsigned words, sample_words;    /* of a pixel, of a sample */
    unsigned reads, writes, opaques; /* so far: which word is next */
    uint8_t samples[SIM_LANES];      /* the ms flags, of lanes in `mask` */
    uint8_t stencil[QPUSIM_SAMPLES][SIM_LANES];
    unsigned mask;     /* ms flags: pixels still to be written */
    unsigned coverage; /* as started */
    unsigned back;
    unsigned color_written, z_written;
    bool depth_test, depth_write;
    unsigned depth_func, fault;
    uint32_t stencil_setup[2]; /* front, back; 0: off */
    uint8_t stencil_write[2];
    struct sim_quad_counts quads;
    uint8_t alpha[SIM_LANES];
};
void sim_tlb_stencil_setup(struct sim_tlb *tlb, uint32_t word);
/* Stencil and Z test of the lanes in `lanes`; others and those that fail leave the mask. */
void sim_tlb_z(struct sim_tlb *tlb, const u32x16 *z, unsigned lanes);
/* A write to all samples, or to the next one. */
void sim_tlb_color(struct sim_tlb *tlb, const u32x16 *color, unsigned lanes, bool one_sample);
void sim_tlb_read_color(struct sim_tlb *tlb, uint32_t lanes[SIM_LANES]);
void sim_tlb_alpha(struct sim_tlb *tlb, const u32x16 *value, unsigned lanes);
/* What a read of the coverage buffer delivers; covered lanes lose theirs unless `left`. */
void sim_tlb_read_coverage(struct sim_tlb *tlb, bool bits, bool left, uint32_t lanes[SIM_LANES]);

/* --- a thread (thread.c, thread_setup.c, thread_control.c) ---------------------------------------------- */

enum sim_stop { SIM_STOP_END, SIM_STOP_SWITCH, SIM_STOP_ERROR };

#define SIM_TMU_DEPTH 8

/* General-purpose programs (user.c): their VPM, of which `rows` are theirs. */
struct sim_user {
    uint32_t vpm[QPUSIM_MAX_VPM_ROWS][SIM_LANES];
    unsigned rows;
    uint32_t *interrupts; /* bit n: of QPU n */
};

struct sim_shared { /* what the threads of one machine share */
    uint8_t semaphore[16];
    bool mutex;
    struct sim_sampler_cache samplers;
    struct sim_user *user; /* NULL: shaders */
};

struct sim_thread {
    u32x16 reg[SIM_REG_COUNT];
    i32x16 zf, nf, cf;
    u32x16 sfu_value;
    sim_poison poison[SIM_REG_COUNT];
    sim_poison sfu_poison;
    unsigned flag_poison;
    uint64_t poisoned[2]; /* registers and flags with any poison */

    const struct qpusim_program *program;
    struct qpusim_memory *memory;
    const struct qpusim_options *options;
    struct qpusim_error *error;
    struct sim_shared *shared;
    struct sim_clock *clock;
    struct qpusim_counters *counters; /* never NULL */

    unsigned pc, index, number; /* instructions executed is `executed`; index: the one being executed */
    uint64_t executed, budget;
    unsigned live; /* lanes whose values matter */
    uint32_t poison_state;

    const struct sim_inst *previous; /* NULL at the start */
    /* Countdowns in instructions; 0 off. */
    uint8_t sfu, branch, end, change;
    unsigned branch_target;
    bool change_last, last_done;
    uint64_t since_branch, since_change, since_z, since_address,
        since_noswap; /* instruction counts when it happened, +1 */
    uint64_t switches;

    struct qpusim_stream uniforms;
    uint32_t unif_base; /* stream address */
    uint32_t unif_next, unif_limit;
    const uint8_t *unif_host; /* where the next word is, as far as `unif_left` words are in one place */
    uint32_t unif_left;
    bool unif_moved;

    const struct qpusim_fragments *fragments;
    unsigned varyings_read;
    bool vary_c; /* this instruction read varying number varyings_read - 1: r5 gets its C */
    struct sim_tlb tlb;
    bool holds_mutex;
    struct { /* setup words of VPM DMA */
        uint32_t load, pitch, store, stride;
    } dma;
    bool sb_locked, sb_unlocked, sb_done; /* sb_done: given up in this instruction or before */

    struct sim_tmu_request tmu[2]; /* being written */
    struct {
        struct sim_tmu_answer answer;
        uint64_t ready, switches;
        unsigned words, loaded; /* of the request; of the answer so far */
    } results[2][SIM_TMU_DEPTH];
    unsigned result_head[2], result_count[2];
    unsigned tmu_words[2];
    bool tmu_used;
    bool traced;
    struct qpusim_trace *trace; /* being filled, or NULL */
    struct sim_vpm vpm;
};

/* Sets up a thread; the caller fills fragments or vpm.in before running it. */
void sim_thread_init(struct sim_thread *t, const struct qpusim_program *program,
                     const struct qpusim_options *options, struct qpusim_error *error,
                     struct sim_shared *shared, struct sim_clock *clock, struct qpusim_counters *counters);
void sim_thread_set_uniforms(struct sim_thread *t, const struct qpusim_stream *stream,
                             struct qpusim_memory *memory);
void sim_thread_set_fragments(struct sim_thread *t, const struct qpusim_fragments *f);
/* `rows` x 16 attribute words; lanes from `count` on are filled with poison patterns. */
void sim_thread_set_vertices(struct sim_thread *t, const struct qpusim_vertices *v);
/* Runs until the thread ends, gives way to the other thread, or fails. */
enum sim_stop sim_thread_run(struct sim_thread *t);
/* One instruction of any kind; false: stop. The fast loops, and what they need besides. */
bool sim_thread_step(struct sim_thread *t, enum sim_stop *stop);
enum sim_stop sim_loop_plain(struct sim_thread *t);
enum sim_stop sim_loop_avx2(struct sim_thread *t);
enum sim_stop sim_loop_avx512(struct sim_thread *t);
/* A branch. True: a rule was broken, stop. *links: it is taken, so its link address has to be written. */
bool sim_thread_branch(struct sim_thread *t, const struct sim_inst *in, bool *links);
/* Begins a thread switch or end, if `sig` is one. False: stop. */
bool sim_thread_start_signal(struct sim_thread *t, unsigned sig);
/* What arrives at the end of the instruction and where the program goes next. False: stop with *stop. */
bool sim_thread_finish_instruction(struct sim_thread *t, enum sim_stop *stop);
/* Lanes without a pixel get something. */
void sim_thread_fill_absent(const struct sim_thread *t, u32x16 *value);
/* A special function's result arrives in r4. */
void sim_thread_take_sfu(struct sim_thread *t);
/* All of these registers is defined now. */
void sim_thread_defined(struct sim_thread *t, const uint64_t kills[2]);
/* Finds unif_host for unif_next. */
void sim_io_locate_uniforms(struct sim_thread *t);
/* Checks that everything was read, written and received; SIM_STOP_END or SIM_STOP_ERROR. With partial inputs
 * words of the uniform stream and of attributes may be left over: a driver may give more than a program
 * takes. */
enum sim_stop sim_thread_finish(struct sim_thread *t, unsigned expected_outputs, bool partial_inputs);

/* Fills the error (first one wins). Returns false when strict mode is off: then go on. */
bool sim_fail(struct sim_thread *t, enum sim_rule rule, int lane, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
const char *sim_rule_name(enum sim_rule rule);
const char *sim_rule_section(enum sim_rule rule);
/* Lowest lane in a mask, or -1. */
static inline int sim_first_lane(unsigned lanes) {
    return lanes ? __builtin_ctz(lanes) : -1;
}

/* poison.c: of a rotated, unpacked, computed value, and of a register after a (packed) write. */
sim_poison sim_poison_rotated(sim_poison p, unsigned n, bool full);
sim_poison sim_poison_unpacked(unsigned mode, sim_poison p);
sim_poison sim_poison_result(const struct sim_inst *in, unsigned alu, const u32x16 *a, const u32x16 *b,
                             sim_poison pa, sim_poison pb);
sim_poison sim_poison_packed(unsigned mode, sim_poison value, sim_poison old);

/* trace.c */
/* A draw's batch is about to run: is it traced? */
void sim_trace_select(struct sim_thread *t, const struct qpusim_fragments *f, const uint32_t *vertex,
                      unsigned count);
void sim_trace_begin(struct sim_thread *t, const struct sim_inst *in, struct qpusim_trace *tr, char *text,
                     size_t size);
void sim_trace_write(struct sim_thread *t, const char *name, const u32x16 *value, unsigned lanes);
void sim_trace_destination(struct sim_thread *t, const struct sim_inst *in, unsigned alu, unsigned lanes,
                           const u32x16 *io_value);

/* I/O registers (io.c). False: stop with the error set. */
bool sim_io_read(struct sim_thread *t, unsigned file, unsigned addr, u32x16 *value, sim_poison *poison);
/* `lanes`: lanes whose condition holds; `cond_poison`: lanes whose condition is undefined. */
bool sim_io_write(struct sim_thread *t, unsigned file, unsigned addr, const u32x16 *value, sim_poison poison,
                  unsigned lanes, unsigned cond_poison);
bool sim_io_signal(struct sim_thread *t, unsigned sig, u32x16 *r4, sim_poison *poison, bool *loads_r4);
bool sim_io_uniform(struct sim_thread *t, uint32_t *word);
bool sim_io_semaphore(struct sim_thread *t, unsigned number, bool down);
/* user.c: a setup word of DMA, its address, and whether the next instruction waits for another program. */
bool sim_user_setup(struct sim_thread *t, bool write, uint32_t word);
bool sim_user_dma(struct sim_thread *t, bool write, uint32_t address);
bool sim_user_waits(const struct sim_thread *t);
/* A repeatable pattern of undefined bits, and the next sixteen. */
uint32_t sim_pattern(uint32_t *state);
SIM_INLINE u32x16 sim_patterns(uint32_t *state) {
    const u32x16 step = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    u32x16 x = step * 0x9e3779b9u + *state;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    *state += SIM_LANES * 0x9e3779b9u;
    return x ^ x >> 16;
}

#endif
