/* Which function does which job. */
#include "console.h"

/* The shortener's: is it a JSON object? It is kept as it is. */
static struct answer *job_state(const struct job *job, const struct job_limits *limits) {
    struct answer *refusal = NULL;
    json_t *root = console_body(job, &refusal);
    (void)limits;
    if (!root)
        return refusal;
    json_decref(root);
    return answer_text(200, ANSWER_JSON, true, "{}");
}

struct answer *job_run(const struct job *job, const struct job_limits *limits) {
    static struct answer *(*const functions[JOB_KIND_COUNT])(const struct job *,
                                                             const struct job_limits *) = {
        [JOB_COMPILE] = job_compile, [JOB_PASSES] = job_passes, [JOB_RENDER] = job_render,
        [JOB_INSPECT] = job_inspect, [JOB_STATE] = job_state,
    };
    struct answer *answer = functions[job->kind](job, limits);
    return answer ? answer
                  : answer_error(422, "memory", "The request needs more memory than this server allows.");
}
