/* Runs one case: compiles, draws, compares. */
#ifndef CONFORMANCE_JUDGE_H
#define CONFORMANCE_JUDGE_H

#include "cases.h"

#include <qpucc/qpucc.h>

enum outcome { PASSED, FAILED, SKIPPED };

struct judge_options {
    struct qpucc_options compile;
    uint32_t seed;
    bool rules;       /* also check the code against the hardware's and Linux's rules */
    const char *keep; /* folder for what failed; NULL: keep nothing */
};

struct judgement {
    enum outcome outcome;
    char reason[600]; /* of a failure or a skip */
};

/* `line` is the case's line in its file, `name` its name, `folder` where its data files lie. */
void judge(const char *line, size_t length, const char *name, const char *folder,
           const struct judge_options *options, struct judgement *out);

#endif
