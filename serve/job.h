/* Jobs: what is done in worker processes. A job's functions run behind the sandbox (sandbox.h): they open
 * nothing, and what they print on stderr is text of the answer. */
#ifndef SERVE_JOB_H
#define SERVE_JOB_H

#include "answer.h"

enum job_kind { JOB_COMPILE, JOB_PASSES, JOB_RENDER, JOB_INSPECT, JOB_STATE, JOB_KIND_COUNT };

struct job {
    enum job_kind kind;
    enum answer_type accept;
    bool plain;        /* the body is a shader, not JSON */
    char compiler[32]; /* the id in the route; "" for routes without */
    char options[480]; /* userArguments of a plain body */
    char *body;        /* malloc'ed, with a NUL after the last byte */
    size_t size;
};

void job_free(struct job *job);

/* What workers allow a job. */
struct job_limits {
    unsigned cpu_ms, wall_ms;
    size_t memory, answer; /* bytes */
    uint64_t budget;       /* instructions of the machine, a batch */
};

/* Never NULL but for lack of memory. */
struct answer *job_run(const struct job *job, const struct job_limits *limits);

struct answer *job_compile(const struct job *job, const struct job_limits *limits);
struct answer *job_passes(const struct job *job, const struct job_limits *limits);
struct answer *job_render(const struct job *job, const struct job_limits *limits);
struct answer *job_inspect(const struct job *job, const struct job_limits *limits);

#endif
