/* What one compile may use: counted, never timed, so the same input gives the same answer. */
#ifndef QPUCC_LIMIT_H
#define QPUCC_LIMIT_H

#include <stdint.h>

/* Index of qpucc_options.limit. Where one is met the compile stops with status QPUCC_SOURCE_ERROR and a
 * diagnostic of code "limit", which names what grew and its line. QPUCC_LIMIT_SEARCH is the exception: there
 * the search for shorter code ends with the best found so far. docs/limits.md tells what each one counts, how
 * much the largest real shaders need, and how much time and memory the defaults allow. */
enum qpucc_limit {
    QPUCC_LIMIT_SOURCE_BYTES, /* one source, and as much again for all that it includes */
    QPUCC_LIMIT_INCLUDES,     /* files that a stage includes, each time counted */
    QPUCC_LIMIT_INCLUDE_DEPTH,
    QPUCC_LIMIT_TOKENS,       /* of a stage, macros expanded */
    QPUCC_LIMIT_EXPANSION,    /* tokens that the expansion of a stage's macros handles, in all */
    QPUCC_LIMIT_NESTING,      /* brackets, braces, structures, half of nested statements, calls */
    QPUCC_LIMIT_CHAIN,        /* operators and commas of one statement */
    QPUCC_LIMIT_VALUES,       /* scalars in one structure or variable */
    QPUCC_LIMIT_MODULE_WORDS, /* of a SPIR-V module */
    QPUCC_LIMIT_IDS,          /* of a SPIR-V module */
    QPUCC_LIMIT_INSTRUCTIONS, /* IR instructions of a stage, functions and loops expanded */
    QPUCC_LIMIT_BYTES,        /* of the library's own memory at once; a host's pointers count in them */
    QPUCC_LIMIT_WORK,         /* IR instructions that passes and the scheduler visit */
    QPUCC_LIMIT_SEARCH,       /* the same for searches beyond the ordinary schedules, which are not work;
                                 -O0 to -O2 may use a quarter of it */
    QPUCC_LIMIT_COUNT
};

/* What a compile took of the limits that count work and memory. */
struct qpucc_usage {
    uint64_t bytes;        /* most at once */
    uint64_t work, search; /* of all stages and attempts */
    uint64_t instructions; /* most of a stage at any time */
};

#endif
