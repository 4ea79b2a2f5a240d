/* What qpucc explain says first: where the time goes, why, and what would help, in sentences. Whatever is
 * said to help was compiled and counted. */
#ifndef TOOLS_ADVICE_H
#define TOOLS_ADVICE_H

#include "cli.h"

#include <qpucc/explain.h>

enum { ADVICE_TRIES = 8, ADVICE_LINES = 3, ADVICE_MOST = 1200 };

/* The same shaders, compiled in another way. */
struct advice_try {
    char option[240]; /* "-ffast-math", "--set=u_fog=0" */
    char what[320];   /* "arithmetic as -ffast-math allows it", as the subject of a clause */
    bool undone;      /* it takes away what the compiler does, to say what that is worth */
    qpucc_program *program;
    qpucc_explanation *explain;
};

struct advice {
    const qpucc_explanation *now;
    struct advice_try list[ADVICE_TRIES];
    unsigned count;
    bool measured; /* false: the program has more than ADVICE_MOST instructions, nothing was tried */
};

/* Compiles what is worth a try. `explain` is the program's and has to outlive the advice. */
void advice_make(struct advice *advice, const qpucc_program *program, const qpucc_explanation *explain,
                 const struct cli_options *options, const struct cli_sources *sources);
void advice_free(struct advice *advice);

/* The sentences about one stage, wrapped at `width`. */
void advice_print(const struct advice *advice, enum qpucc_stage stage, const struct cli_sources *sources,
                  unsigned width, FILE *out);
/* The same as the member "advice" of a stage in docs/schemas/qpucc-explain-1.json. */
json_t *advice_json(const struct advice *advice, enum qpucc_stage stage, const struct cli_sources *sources);

/* "u_type", "u_on[2]", "u_flags.y": a control as --set reads and people write it (controls.c). */
void advice_control_name(const qpucc_program *program, const struct qpucc_control *control, char *out,
                         size_t capacity);

#endif
