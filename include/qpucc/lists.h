/* Control lists: how software talks to the VideoCore IV 3D block, and the block itself.
 *
 * A driver writes two lists of records into memory, one for binning and one for rendering; the block executes
 * them (guide sections 8 and 9). Binning runs coordinate shaders and writes a list of primitives for each
 * tile; rendering visits tile after tile, runs vertex and fragment shaders and stores the pixels.
 *
 *     struct qpusim_memory *memory = qpusim_memory_new(0);
 *     qpusim_memory_add(memory, 0x10000000, size, NULL, "bin list");
 *     ... more buffers: records, code, uniforms, vertices, tile memory, the picture ...
 *     struct qpusim_block *block = qpusim_block_new(memory);
 *     status = qpusim_run_lists(block, bin, bin_end, render, render_end, NULL, &error);
 *
 * Conventions are those of qpusim.h. Addresses are bus addresses. */
#ifndef QPUCC_LISTS_H
#define QPUCC_LISTS_H

#include <qpucc/qpusim.h>
#include <qpucc/records.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- the block ------------------------------------------------------------------------------------------ */

/* The 3D block with its registers and state. It keeps what the chip keeps from one list to the next: state
 * that records set, counters, semaphores. Not for two threads at a time. */
struct qpusim_block;

/* NULL when memory runs out. `memory` is borrowed until the block is freed; buffers may come and go between
 * calls. */
struct qpusim_block *qpusim_block_new(struct qpusim_memory *memory);
void qpusim_block_free(struct qpusim_block *block);

/* Executes [bin_start, bin_end) on control thread 0 and [render_start, render_end) on thread 1, each in its
 * order and otherwise as their semaphores demand. A list whose ends are equal is left out. Returns when both
 * threads have stopped. On error the pictures hold what was stored so far, and the block is as after a reset.
 * A record that is malformed or in the wrong list is QPUSIM_BAD_LIST, an access outside all buffers
 * QPUSIM_BAD_ADDRESS; both give the record's address in error->record. `options` and `error` may be NULL. */
enum qpusim_status qpusim_run_lists(struct qpusim_block *block, uint32_t bin_start, uint32_t bin_end,
                                    uint32_t render_start, uint32_t render_end,
                                    const struct qpusim_options *options, struct qpusim_error *error);

/* Called when the binner needs memory and register BPOS is 0. It may write BPOA and BPOS (qpusim_block_write)
 * and return true; otherwise binning ends with an error. */
typedef bool qpusim_overflow_fn(void *user, struct qpusim_block *block);
void qpusim_block_on_overflow(struct qpusim_block *block, qpusim_overflow_fn *overflow, void *user);

/* Registers (guide section 10), by their offsets. */
enum qpusim_register {
    QPUSIM_IDENT0 = 0x000,
    QPUSIM_IDENT1 = 0x004,
    QPUSIM_IDENT2 = 0x008,
    QPUSIM_SCRATCH = 0x010,
    QPUSIM_L2CACTL = 0x020,
    QPUSIM_SLCACTL = 0x024,
    QPUSIM_INTCTL = 0x030,
    QPUSIM_INTENA = 0x034,
    QPUSIM_INTDIS = 0x038,
    QPUSIM_CT0CS = 0x100, /* of thread n at CT0CS + 4 * n; so are the other CT registers */
    QPUSIM_CT1CS = 0x104,
    QPUSIM_CT0EA = 0x108, /* writing it starts the thread */
    QPUSIM_CT1EA = 0x10c,
    QPUSIM_CT0CA = 0x110,
    QPUSIM_CT1CA = 0x114,
    QPUSIM_CT0RA0 = 0x118,
    QPUSIM_CT1RA0 = 0x11c,
    QPUSIM_CT0LC = 0x120,
    QPUSIM_CT1LC = 0x124,
    QPUSIM_CT0PC = 0x128,
    QPUSIM_CT1PC = 0x12c,
    QPUSIM_PCS = 0x130,
    QPUSIM_BFC = 0x134,
    QPUSIM_RFC = 0x138,
    QPUSIM_BPCA = 0x300,
    QPUSIM_BPCS = 0x304,
    QPUSIM_BPOA = 0x308,
    QPUSIM_BPOS = 0x30c,
    QPUSIM_BXCF = 0x310,
    QPUSIM_SQRSV0 = 0x410,
    QPUSIM_SQRSV1 = 0x414,
    QPUSIM_SQCNTL = 0x418,
    QPUSIM_SRQPC = 0x430, /* writing it queues a user program */
    QPUSIM_SRQUA = 0x434,
    QPUSIM_SRQUL = 0x438,
    QPUSIM_SRQCS = 0x43c,
    QPUSIM_VPACNTL = 0x500,
    QPUSIM_VPMBASE = 0x504,
    QPUSIM_DBQITE = 0x52c, /* QPU interrupts; the guide's map leaves their places out */
    QPUSIM_DBQITC = 0x530,
    QPUSIM_PCTRC = 0x670,
    QPUSIM_PCTRE = 0x674,
    QPUSIM_PCTR0 = 0x680,  /* counter n at PCTR0 + 8 * n */
    QPUSIM_PCTRS0 = 0x684, /* its source at PCTRS0 + 8 * n */
    QPUSIM_DBGE = 0xf00,
    QPUSIM_ERRSTAT = 0xf20,
};

/* What a read of the register gives; 0 for those that the guide does not name. */
uint32_t qpusim_block_read(const struct qpusim_block *block, unsigned offset);
/* Writes a register. Starting a control thread (CTnEA) or user programs (SRQPC) runs it before the call
 * returns; then status and error are those of the run. Other writes, to unknown registers, too, always
 * succeed. */
enum qpusim_status qpusim_block_write(struct qpusim_block *block, unsigned offset, uint32_t value,
                                      const struct qpusim_options *options, struct qpusim_error *error);

/* Sources of performance counters, by the guide's numbers (table 82). */
enum qpusim_count {
    QPUSIM_COUNT_PRIMITIVES_WITHOUT_PIXELS,
    QPUSIM_COUNT_PRIMITIVES, /* that rendered tiles see: one in two tiles counts twice */
    QPUSIM_COUNT_QUADS_CLIPPED,
    QPUSIM_COUNT_QUADS,
    QPUSIM_COUNT_QUADS_FAILING_STENCIL,
    QPUSIM_COUNT_QUADS_FAILING_Z,
    QPUSIM_COUNT_QUADS_PASSING,
    QPUSIM_COUNT_QUADS_UNCOVERED,
    QPUSIM_COUNT_QUADS_COVERED,
    QPUSIM_COUNT_QUADS_WRITTEN,
    QPUSIM_COUNT_PRIMITIVES_OUTSIDE,
    QPUSIM_COUNT_PRIMITIVES_CLIPPED,
    QPUSIM_COUNT_PRIMITIVES_REVERSED,
    QPUSIM_COUNT_IDLE,
    QPUSIM_COUNT_VERTEX_CYCLES,
    QPUSIM_COUNT_FRAGMENT_CYCLES,
    QPUSIM_COUNT_INSTRUCTION_CYCLES,
    QPUSIM_COUNT_TMU_STALLS,
    QPUSIM_COUNT_SCOREBOARD_STALLS,
    QPUSIM_COUNT_VARYING_STALLS,
    QPUSIM_COUNT_INSTRUCTION_HITS,
    QPUSIM_COUNT_INSTRUCTION_MISSES,
    QPUSIM_COUNT_UNIFORM_HITS,
    QPUSIM_COUNT_UNIFORM_MISSES,
    QPUSIM_COUNT_TEXTURE_QUADS,
    QPUSIM_COUNT_TEXTURE_MISSES,
    QPUSIM_COUNT_VDW_STALLS,
    QPUSIM_COUNT_VCD_STALLS,
    QPUSIM_COUNT_L2_HITS,
    QPUSIM_COUNT_L2_MISSES,
    QPUSIM_COUNTS
};
/* Events since the block was made, whatever counter registers are mapped to them. */
uint64_t qpusim_block_count(const struct qpusim_block *block, enum qpusim_count source);

/* --- time ----------------------------------------------------------------------------------------------- */

/* When batches would run on the chip's twelve QPUs, by the model that runtime/front/timing.c describes and
 * docs/machine.md judges. Unit: instruction slots of four clocks. With qpusim_options.timing set, each draw
 * or run of lists goes on where the one before ended. The times do not depend on the number of host
 * threads. */
enum qpusim_wait {
    QPUSIM_WAIT_INSTRUCTIONS, /* cache misses */
    QPUSIM_WAIT_UNIFORMS,
    QPUSIM_WAIT_TMU,      /* an answer, or the slice's other QPUs at its two TMUs */
    QPUSIM_WAIT_SFU,      /* the slice's other QPUs */
    QPUSIM_WAIT_VARYINGS, /* the same, at its interpolation unit */
    QPUSIM_WAIT_FIFO,     /* VPM reads */
    QPUSIM_WAIT_VPM,      /* room for a batch of vertices */
    QPUSIM_WAIT_SCOREBOARD,
    QPUSIM_WAITS
};

struct qpusim_event {
    enum qpusim_stage stage;
    bool user;           /* a user program, of no stage */
    unsigned qpu;        /* 0..11; four in each slice */
    uint64_t start, end; /* slots */
    unsigned instructions;
    unsigned wait[QPUSIM_WAITS]; /* slots of end - start that are not instructions, by cause */
    unsigned column, row;        /* of the tile; fragments and vertices of rendering */
    uint32_t code;               /* where the program lies; 0 in draws */
};

struct qpusim_time_report {
    uint64_t slots;    /* from the first batch to the last one's end */
    uint64_t busy[3];  /* slots of all QPUs, by stage */
    uint64_t user;     /* by user programs */
    uint64_t executed; /* of these, instructions */
    uint64_t wait[QPUSIM_WAITS];
    uint64_t idle;        /* slots in which a QPU had no batch */
    uint64_t tile_buffer; /* in which tiles were loaded and stored */
    uint64_t instruction_hits, instruction_misses, uniform_hits, uniform_misses; /* cache lines */
    uint64_t texel_hits, texel_misses;                                           /* of the TMUs' caches */
    uint64_t level2_hits, level2_misses;
    uint64_t memory_bytes; /* of lines fetched and tiles stored */
};

struct qpusim_timing *qpusim_timing_new(void); /* NULL when memory runs out */
void qpusim_timing_free(struct qpusim_timing *timing);
/* In the order in which batches were started; valid until the next run. When memory ran out some are
 * missing. */
const struct qpusim_event *qpusim_timing_events(const struct qpusim_timing *timing, size_t *count);
struct qpusim_time_report qpusim_timing_report(const struct qpusim_timing *timing);
/* "instruction cache", ...; static storage. */
const char *qpusim_wait_name(enum qpusim_wait wait);

#ifdef __cplusplus
}
#endif

#endif
