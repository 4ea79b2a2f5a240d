/* Passes: transformations of the IR, one per file, listed in passes.def, put in order by pipeline.c.
 *
 * A pass takes a shader that ir_verify accepts and leaves one, and says whether it changed anything. Each
 * file opens with what its pass requires, keeps and breaks; what the driver has to know of it are the flags
 * in passes.def. */
#ifndef QPUCC_PASSES_PASSES_H
#define QPUCC_PASSES_PASSES_H

#include "ir/ir.h"
#include "qpucc/qpucc.h" /* struct qpucc_state: the key is the public one, not a copy of it */

/* --- options -------------------------------------------------------------------------------------------- */

#define PASSES_UNLIMITED UINT32_MAX

struct pass_options {
    int level;                /* 0: only what is needed to get code, 1, 2: everything, 3: search */
    struct qpucc_state state; /* for lower_stage; zeroed is the plain case */
    /* For lower_stage of a vertex shader: words of its output table that the fragment shader reads, in its
     * FIFO's order (its vary_symbol_word mapped by name; UINT32_MAX: point coordinate). NULL: all outputs in
     * their own order. */
    const uint32_t *varying_words;
    uint32_t varying_count;
    uint64_t rough_varyings; /* the fragment shader's, bit by index of varying_words */
    /* slots that a branch of all lanes has to skip to stay one */
    uint32_t branch_least;
    uint32_t unroll_limit; /* instructions that a loop may grow to when unrolled */
    uint32_t unroll_total; /* instructions that a shader may grow to by unrolling */
    uint32_t unroll_usual; /* unroll_limit where registers suffice: what the caller asked for */
    /* the same for loops that the source wants unrolled */
    uint32_t unroll_hinted, unroll_hinted_total;
    bool unroll_all;      /* also what the source wants to stay a loop: nothing else fits */
    bool any_branch_flat; /* and no branch stays because the source wants it */
    /* instructions that a loop which runs at compile time may execute there */
    uint32_t unroll_known;
    uint32_t unroll_trips;       /* trips at most */
    bool no_uniform_expressions; /* keep arithmetic on uniforms in the shader */
    enum qpucc_policy policy;    /* how exact arithmetic has to be */
    bool watch;                  /* tell where arithmetic is undefined (qpucc/watch.h) */
    bool rows_fall;              /* words of a shaded vertex may be written from the last row up */
    bool other_outputs;          /* where they may not: the second order that may be the shorter one */
    bool lean;                   /* nothing that pays for fewer operations with longer lives of values */
    bool verify;                 /* ir_verify after every pass */
    struct decisions
        *decisions; /* what becomes of loops and branches (passes/decisions.h); NULL: nobody asks */
    /* Called after every pass, if set. seconds: wall time the pass took. */
    void (*after)(void *user, const char *pass, struct ir_shader *shader, bool changed, double seconds);
    void *user;
};

/* Does the key give the varying of that name another meaning than the shaders do? Then the linker may not
 * replace it by what it knows of its value (lower_compatibility.c). */
bool lower_stage_changes(const struct qpucc_state *state, const char *varying);

/* Verification is on unless NDEBUG is defined. */
struct pass_options passes_default_options(void);

/* --- the registry --------------------------------------------------------------------------------------- */

enum pass_flag {
    PASS_NEEDS_ORDER = 1,      /* ir_cfg_update has run */
    PASS_NEEDS_DOMINATORS = 2, /* and ir_dominators */
    PASS_NEEDS_LOOPS = 4,      /* and ir_loops; the driver sees to all three */
    PASS_NEEDS_SSA = 8,        /* no variables but run-time indexed ones */
    PASS_NEEDS_FLAT = 16,      /* one block */
    PASS_KEEPS_CFG = 32,       /* touches no edge: the analyses stay true */
    PASS_BREAKS_ANALYSES = 64, /* may leave them stale even when it reports no change */
    /* Kinds of change: all that the pass does. Dead code that is taken away, all of it at once; precision or
     * exactness of values that stay; equal computations that become one. */
    PASS_REMOVES_DEAD = 128,
    PASS_MARKS = 256,
    PASS_MERGES = 512,
    /* Such a change by another pass gives it nothing to do. */
    PASS_IGNORES_DEAD = 1024,
    PASS_IGNORES_MARKS = 2048,
    PASS_IGNORES_MERGED = 4096,
    PASS_AT_ONCE = 8192, /* in one block it leaves nothing to do for a second run */
};

typedef bool pass_function(struct ir_shader *shader, const struct pass_options *options);

struct pass_info {
    const char *name;
    size_t length; /* of the name */
    pass_function *run;
    uint32_t flags; /* enum pass_flag */
    const char *description;
};

#define PASS(name, flags, description) pass_function pass_##name;
#include "passes/passes.def"
#undef PASS

const struct pass_info *passes_table(size_t *count);
const struct pass_info *passes_find(const char *name); /* NULL if there is none */

/* --- running -------------------------------------------------------------------------------------------- */

/* Each returns false with a reason in error: an unknown name, a shader that no longer verifies (with the pass
 * at fault), memory that ran out. names: "a,b,c"; blanks are skipped. A name in parentheses with others,
 * "(a,b)*8", is repeated until nothing changes, eight times at most. A pass that found nothing to do is not
 * run again before something has changed. The list is read before anything runs. */
bool passes_run_named(struct ir_shader *shader, const char *names, const struct pass_options *options,
                      char *error, size_t size);

/* The compiler's own lists; these need options. */
enum passes_list {
    PASSES_GENERIC, /* from what the front end left to the kept IR, from which all variants start */
    PASSES_STAGE,   /* lower_stage with the state key, and optimisation up to what selection takes */
    PASSES_TIDY,    /* what a change leaves behind: constants, equal and dead operations, empty blocks */
    PASSES_ROTATED, /* what is done to branches and loops at last, which makes more values live at once ... */
    PASSES_HOISTED, /* ... and more of them over loops */
    PASSES_SINK_VARYINGS,
    PASSES_CUT_VERTEX, /* both out of one */
    PASSES_CUT_COORDINATE,
    PASSES_OUTPUTS, /* the words of a shaded vertex in another order (other_outputs) */
};
bool passes_run(struct ir_shader *shader, enum passes_list list, const struct pass_options *options,
                char *error, size_t size);

/* Generic, stage and hoisted. */
bool passes_run_pipeline(struct ir_shader *shader, const struct pass_options *options, char *error,
                         size_t size);

#endif
