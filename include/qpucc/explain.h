/* libqpucc: what a program's code does, instruction by instruction, and why it costs what it costs.
 *
 *     options.flags |= QPUCC_GENERATE_NAMES;               names of variables and exact places in the source
 *     program = qpucc_compile(sources, 2, &state, &options);
 *     explain = qpucc_explain(program, 0);
 *     stage = qpucc_explanation_stage(explain, QPUCC_FRAGMENT);
 *     for (i = 0; i < stage->count; i++) print(stage->instruction[i].text);
 *
 * All of it is computed from the instruction words with the issue model that the scheduler has, except names
 * and source places, which the compiler leaves in the program when it is asked to. An explanation does not
 * change; any number of threads may read it. What it points to belongs to it, or to the program, which has to
 * outlive it. "Slot" is one of the two ALUs in one instruction; a cycle is an instruction slot, the four
 * clocks in which a QPU executes an instruction for 16 lanes. */
#ifndef QPUCC_EXPLAIN_H
#define QPUCC_EXPLAIN_H

#include <qpucc/qpucc.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qpucc_explanation qpucc_explanation;

/* --- units ---------------------------------------------------------------------------------------------- */

/* What serves a fixed number of operations an instruction. */
enum qpucc_resource {
    QPUCC_RESOURCE_ADD,     /* the add ALU */
    QPUCC_RESOURCE_MUL,     /* the mul ALU */
    QPUCC_RESOURCE_READ_A,  /* the read port of register file A, registers only */
    QPUCC_RESOURCE_READ_B,  /* of register file B; small immediates are encoded in its address */
    QPUCC_RESOURCE_UNIFORM, /* the uniform stream: words read, texture set-up words included */
    QPUCC_RESOURCE_VARYING, /* the interpolator */
    QPUCC_RESOURCE_SFU,     /* reciprocal, square root, exponential, logarithm */
    QPUCC_RESOURCE_TMU,     /* texture units: coordinates written and results fetched */
    QPUCC_RESOURCE_VPM,     /* vertex data: reads and writes */
    QPUCC_RESOURCE_TLB,     /* the tile buffer: colours, Z and stencil, read or written */
    QPUCC_RESOURCE_SIGNAL,  /* the signalling field, small immediates included */
    QPUCC_RESOURCE_COUNT
};

/* "add", "mul", "read_a", ...; NULL for no unit. */
const char *qpucc_resource_name(enum qpucc_resource unit);

/* --- why a slot is idle --------------------------------------------------------------------------------- */

/* Later operations of the same block are the candidates for an idle slot. Of all that the ALU could do, the
 * one that came closest to filling it gives the reason; the order below is the order of closeness, from "only
 * the schedule's choice kept it out" to "there is no candidate". */
enum qpucc_idle {
    QPUCC_IDLE_NONE,      /* the slot is in use */
    QPUCC_IDLE_CHOICE,    /* an operation fits; the schedule has it later, where it costs nothing */
    QPUCC_IDLE_REGISTER,  /* the register of its result holds another value until later */
    QPUCC_IDLE_WRITE,     /* both ALUs would write the same register file */
    QPUCC_IDLE_SMALL_IMM, /* read port B is taken by a small immediate, or is needed for one */
    QPUCC_IDLE_READ_A,    /* read port A delivers another register */
    QPUCC_IDLE_READ_B,    /* read port B delivers another register */
    QPUCC_IDLE_UNIFORM,   /* one word of the uniform stream an instruction, in the stream's order */
    QPUCC_IDLE_PACK,      /* one pack or unpack mode an instruction */
    QPUCC_IDLE_UNIT,      /* one access to SFU, TMU, VPM and tile buffer an instruction, in order */
    QPUCC_IDLE_FLAGS,     /* flags: they are set once an instruction, or are still needed */
    QPUCC_IDLE_LATENCY,   /* operands come from the instruction before, or the one before that */
    QPUCC_IDLE_SFU,       /* operands come from the special function unit */
    QPUCC_IDLE_TMU,       /* operands come from a texture unit */
    QPUCC_IDLE_OPERANDS,  /* operands are not computed yet: a chain of dependent operations */
    QPUCC_IDLE_OTHER_ALU, /* all that is left of the block is the other ALU's */
    QPUCC_IDLE_TAIL,      /* nothing is left but what ends the block: delay slots, the thread's end */
    QPUCC_IDLE_ENCODING,  /* the instruction is a branch, a semaphore or a load immediate: no ALU is free */
    QPUCC_IDLE_COUNT
};

/* "choice", "register", "read_a", ...; NULL for no reason. *text, unless NULL: the reason as a clause. */
const char *qpucc_idle_name(enum qpucc_idle idle, const char **text);

/* --- one instruction ------------------------------------------------------------------------------------ */

/* One of the two ALUs, or the signal. */
struct qpucc_explain_slot {
    const char *text; /* "fmul r0, ra3, unif"; NULL: idle */
    const char
        *name; /* the GLSL variable that the result belongs to, with its component: "color.x"; or NULL */
    /* What it writes, as traces of the machine call it: "r0", "ra12", "tlbc", "rsqrt"; "r4" for a signal that
     * loads it; NULL: nothing. */
    const char *target;
    enum qpucc_idle idle; /* of an idle ALU; QPUCC_IDLE_NONE for the signal */
    uint32_t waits_for;   /* the candidate that gives the reason: its instruction, or UINT32_MAX */
    bool waits_for_mul;   /* and there the mul ALU's operation, else the add ALU's */
    uint32_t because_of;  /* the instruction that is in its way or whose result it needs, or UINT32_MAX */
};

enum qpucc_stall { QPUCC_STALL_NONE, QPUCC_STALL_TMU, QPUCC_STALL_VPM };

struct qpucc_explain_instruction {
    uint64_t word;
    const char *text; /* as qpucc_disassemble has it */
    struct qpucc_explain_slot add, mul, signal;
    const char *file;      /* of the source; NULL unknown */
    unsigned line, column; /* 1-based; 0 unknown */
    uint32_t block;        /* of qpucc_explain_stage.block */
    /* Registers whose value some instruction after this one reads, its own results included: bit n is ra<n>,
     * rb<n>, r<n>. */
    uint32_t live_a, live_b;
    uint8_t live_acc;
    bool live_flags;
    uint8_t pressure;      /* registers of both files and accumulators r0 to r3 that are live */
    unsigned units;        /* bits by enum qpucc_resource: what it uses */
    size_t word_index;     /* of the uniform stream that it takes; SIZE_MAX: none */
    const char *word_text; /* qpucc_uniform_text of that word, or NULL */
    /* Cycles that it waits, as the machine's cycle model counts them in a block that runs alone: from its
     * first instruction on nothing is under way. */
    unsigned stall;
    enum qpucc_stall stall_cause;
    uint32_t stall_for;   /* the instruction whose request it waits for, or UINT32_MAX */
    uint32_t target;      /* branches: the instruction they go to; UINT32_MAX: none, or not known */
    bool thread_switch;   /* the signal: the switch itself comes two instructions later */
    bool delay_slot;      /* executed after a branch, a thread switch or the thread's end was issued */
    bool on_longest_path; /* of its block: qpucc_explain_block.path */
    uint32_t slack;       /* instructions that it could be later before its block became longer, by latencies
                          * alone */
};

/* --- blocks --------------------------------------------------------------------------------------------- */

struct qpucc_explain_block {
    uint32_t first, count; /* instructions, delay slots included */
    uint32_t edge[2];      /* blocks that may follow; UINT32_MAX: none */
    unsigned loop_depth;   /* loops around it */
    bool loop_header;
    unsigned stalls;           /* cycles, sum over its instructions */
    unsigned dependency_bound; /* no order is shorter than the longest chain of latencies */
    unsigned bound;            /* the largest of that and of what the units need */
    /* the longest chain: instructions in order, the last of which ends the block */
    const uint32_t *path;
    uint32_t path_count;
};

/* --- uniform expressions -------------------------------------------------------------------------------- */

/* A word of the uniform stream, or a part that several words have in common or that is long, as a person
 * would write it, in GLSL's notation: {"u7", "u_base.x * u_light[1].color.x"}, {"e1", "1.0 / u_size.x"}. A
 * text may contain names of parts. */
struct qpucc_explain_formula {
    const char *name; /* that no uniform has */
    const char *text;
};

/* --- a stage -------------------------------------------------------------------------------------------- */

/* What a source line costs. */
struct qpucc_explain_line {
    const char *file;
    unsigned line;
    unsigned operations;   /* ALU slots and signals that belong to it */
    unsigned instructions; /* that belong to it by their source place */
    unsigned stalls;
    double weight; /* its part of all cycles, an iteration of a loop counted as eight of what is around it */
};

struct qpucc_explain_stage {
    enum qpucc_stage stage;
    const struct qpucc_explain_instruction *instruction;
    uint32_t count;
    const struct qpucc_explain_block *block; /* the first one begins the program */
    uint32_t block_count;
    const struct qpucc_explain_line *line; /* by weight, the most expensive first */
    uint32_t line_count;
    const struct qpucc_stage_stats *stats;
    bool has_names;
    /* Sums over all blocks, each once: cycles are instructions and stalls. */
    unsigned cycles, stalls, thread_switches, loops;
    unsigned used[QPUCC_RESOURCE_COUNT]; /* instructions that use it; TMU: requests and results */
    unsigned idle_add[QPUCC_IDLE_COUNT], idle_mul[QPUCC_IDLE_COUNT]; /* slots by reason */
    /* What limits the length: for each unit the instructions that are needed if it is served without a gap,
     * and the longest chains, all of them sums over the blocks. `lower_bound` is the sum over the blocks of
     * the largest of them, or the scheduler's own if that is larger. Read ports, stream and signals do not
     * count in it, because with values in other places the same operations may need less of these. `gap` is
     * what the code is longer than that, in instructions. */
    unsigned unit_bound[QPUCC_RESOURCE_COUNT];
    unsigned alu_bound; /* both ALUs, no matter which */
    unsigned dependency_bound;
    unsigned lower_bound, gap;
    /* Which of these sums is the largest: "dependencies", "alus", or a unit's name. */
    const char *bound_by;
    uint32_t longest_block; /* the block with most cycles, in loops as in `weight` above */
    unsigned peak;          /* most live registers, ... */
    uint32_t peak_at;       /* ... after which instruction */
    /* Each word of the stream, by qpucc_explain_instruction.word_index, and the parts, of which each has only
     * earlier ones in it; none without a program. */
    const struct qpucc_explain_formula *word, *shared;
    uint32_t word_count, shared_count;
    /* Cycles from the beginning to the end, by the branches that are taken; of loops one turn, or none where
     * the code may pass by. */
    unsigned shortest_path, longest_path;
    /* By block: of a loop's header the cycles of the longest way through the loop and back to it, else 0,
     * also where more than 63 loops are around that one. */
    const unsigned *turn;
};

/* --- the program ---------------------------------------------------------------------------------------- */

enum qpucc_explain_flag {
    /* Repeat the compile that was kept and keep the IR's text after each of its passes. */
    QPUCC_EXPLAIN_PASSES = 1 << 0,
    /* What a listing shows, in a third of the time: of an instruction its text, source place, word, units,
     * live registers and stall; of a stage instructions, blocks and peak. The rest is 0 or NULL. */
    QPUCC_EXPLAIN_LISTING = 1 << 1,
    /* Repeat it and keep what was decided about loops and branches. */
    QPUCC_EXPLAIN_DECISIONS = 1 << 2,
};

/* NULL when memory runs out or `flags` has other bits than enum qpucc_explain_flag. A program without code
 * gives an explanation without stages. The caller frees it with qpucc_explain_free, before the program. */
qpucc_explanation *qpucc_explain(const qpucc_program *program, uint32_t flags);
/* The same for code that comes without a program, from another compiler or an assembler. */
qpucc_explanation *qpucc_explain_code(const uint64_t *code, size_t count, enum qpucc_stage stage,
                                      bool threaded);
/* NULL is allowed. */
void qpucc_explain_free(qpucc_explanation *explain);

/* NULL: the program has no such stage. */
const struct qpucc_explain_stage *qpucc_explanation_stage(const qpucc_explanation *explain,
                                                          enum qpucc_stage stage);

struct qpucc_explain_pass {
    /* a name of qpucc_pass_name; the first is "source", what the front end made, and "link" is what is kept
     * for all variants */
    const char *name;
    const char *text;
};

/* The passes that changed the stage's code, in order; 0 unless QPUCC_EXPLAIN_PASSES was set and the program
 * was compiled here and not loaded. */
size_t qpucc_explain_pass_count(const qpucc_explanation *explain, enum qpucc_stage stage);
const struct qpucc_explain_pass *qpucc_explanation_pass(const qpucc_explanation *explain,
                                                        enum qpucc_stage stage, size_t index);

/* --- loops and branches --------------------------------------------------------------------------------- */

/* What became of a loop or a branch. docs/loops.md says what decides it. */
enum qpucc_choice {
    QPUCC_CHOICE_UNROLLED,   /* a loop as copies, one for each iteration */
    QPUCC_CHOICE_LOOP,       /* a loop stays */
    QPUCC_CHOICE_BRANCH,     /* a branch stays */
    QPUCC_CHOICE_SELECTIONS, /* both sides of a branch are computed, and of two results one is selected */
    QPUCC_CHOICE_JOINED,  /* the side up to the next branch is computed, and that one tests both conditions */
    QPUCC_CHOICE_FOLDED,  /* the condition is known */
    QPUCC_CHOICE_REMOVED, /* nothing that it does is used */
    QPUCC_CHOICE_COUNT
};

/* Why. */
enum qpucc_why {
    QPUCC_WHY_FITS,             /* unrolled: the iterations are within the limits */
    QPUCC_WHY_HINT,             /* the source asks for it */
    QPUCC_WHY_OPTION,           /* QPUCC_NO_UNROLL, QPUCC_NO_UNIFORM_BRANCHES or -O0 */
    QPUCC_WHY_REGISTERS,        /* the other form finds no registers */
    QPUCC_WHY_COUNT_UNKNOWN,    /* a loop stays: the number of its iterations is not known, nor a bound */
    QPUCC_WHY_TOO_LARGE,        /* a loop stays: all iterations have more than `limit` instructions */
    QPUCC_WHY_SHADER_TOO_LARGE, /* and that is all that the shader may still grow to */
    QPUCC_WHY_TOO_MANY,         /* a loop stays: more iterations than are counted */
    QPUCC_WHY_PAYS,        /* a branch stays: all lanes go one way, and it may skip `limit` slots or more */
    QPUCC_WHY_SHORT,       /* selections: it skips less than that */
    QPUCC_WHY_FORM,        /* selections: the whole stage is expected to be faster without such branches */
    QPUCC_WHY_DIVERGENT,   /* selections: lanes may go different ways */
    QPUCC_WHY_MASKED,      /* selections: all lanes that are there go one way, but some may be away */
    QPUCC_WHY_LOOP_INSIDE, /* a branch stays: a loop lies on one side of it */
    QPUCC_WHY_LEAVES_LOOP, /* or one side leaves a loop */
    QPUCC_WHY_ENTERED,     /* or its sides meet others before each other */
    QPUCC_WHY_ENDS,        /* or a side ends the shader */
    QPUCC_WHY_EFFECT,      /* or a side does what no lane may do in vain */
    QPUCC_WHY_INSIDE,      /* or a branch on one side stays */
    QPUCC_WHY_CONSTANT,    /* folded */
    QPUCC_WHY_UNUSED,      /* removed */
    QPUCC_WHY_NO_BRANCHES, /* for the compiler itself: QPUCC_WHY_OPTION or QPUCC_WHY_FORM in explanations */
    QPUCC_WHY_COUNT
};

/* What the source asks for: LoopControl and SelectionControl of SPIR-V, in GLSL the attributes of
 * GL_EXT_control_flow_attributes. */
enum qpucc_hint {
    QPUCC_HINT_NONE,
    QPUCC_HINT_UNROLL,       /* [[unroll]] */
    QPUCC_HINT_DONT_UNROLL,  /* [[dont_unroll]], [[loop]] */
    QPUCC_HINT_FLATTEN,      /* [[flatten]] */
    QPUCC_HINT_DONT_FLATTEN, /* [[dont_flatten]], [[branch]] */
    QPUCC_HINT_COUNT
};

/* "unrolled", "loop", "branch", "selections", ...; NULL for none of them. */
const char *qpucc_choice_name(enum qpucc_choice choice);
/* "fits", "hint", "count_unknown", ...; NULL for none of them. */
const char *qpucc_why_name(enum qpucc_why why);
/* "none", "unroll", "dont_unroll", "flatten", "dont_flatten"; NULL for none of them. */
const char *qpucc_hint_name(enum qpucc_hint hint);

struct qpucc_explain_decision {
    bool loop; /* else a branch: if, ?:, && and ||, the cases of a switch, a return or break in an if */
    const char *file;      /* of the source; NULL unknown */
    unsigned line, column; /* 1-based; 0 unknown */
    /* How many there were at that place of which the same is true: calls and unrolled loops copy what is in
     * them. */
    unsigned copies;
    enum qpucc_choice choice;
    enum qpucc_why why;
    enum qpucc_hint hint;
    bool heeded;         /* the choice is what the hint asks for, or it became needless; true without one */
    bool uniform;        /* branches: the condition is the same for a whole draw */
    unsigned iterations; /* loops: how many, or 0: not known; the most of all copies */
    bool at_most;        /* or fewer: it may be left before, or copies differ */
    /* Of a loop: IR instructions of all iterations, or of as many as exceeded the limit; 0: that did not
     * matter. Of a branch: instruction slots that lie on its sides. Of copies the most. */
    unsigned size;
    unsigned limit;   /* what that was compared with; 0: nothing */
    unsigned lookups; /* texture lookups in the loop, as it stands in the source, or on the branch's sides */
    /* Expected cycles of the stage as it is, and with the other choice for all branches on uniforms; 0: that
     * was not compared. (Vertex and coordinate shader are compared together.) */
    unsigned cycles, other_cycles;
    const char *text; /* all of it as a sentence without its end */
};

/* By place; 0 unless QPUCC_EXPLAIN_DECISIONS was set and the program was compiled here and not loaded. What
 * the front end folds itself (an `if` on a literal) is not among them, nor are a loop's own tests. */
size_t qpucc_explain_decision_count(const qpucc_explanation *explain, enum qpucc_stage stage);
const struct qpucc_explain_decision *qpucc_explanation_decision(const qpucc_explanation *explain,
                                                                enum qpucc_stage stage, size_t index);

/* --- reflection ----------------------------------------------------------------------------------------- */

enum qpucc_precision { QPUCC_UNKNOWN_PRECISION, QPUCC_HIGHP, QPUCC_MEDIUMP, QPUCC_LOWP };

/* The declared precision of a variable of qpucc_program_variable: the higher one where the stages differ.
 * Unknown for samplers and for a program without its IR, one that was loaded and has had no variant
 * included. */
enum qpucc_precision qpucc_explain_precision(const qpucc_program *program, enum qpucc_interface which,
                                             size_t index);

#ifdef __cplusplus
}
#endif

#endif
