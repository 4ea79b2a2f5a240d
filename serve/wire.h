/* What server and worker say to each other over their socket: a job one way, an answer the other. Neither
 * believes the other's lengths beyond the limit that it was given. */
#ifndef SERVE_WIRE_H
#define SERVE_WIRE_H

#include "job.h"

enum wire_end { WIRE_DONE, WIRE_CLOSED, WIRE_LATE, WIRE_TOO_LARGE, WIRE_NO_MEMORY };

#define WIRE_NO_DEADLINE (-1)

/* Milliseconds of a clock that never jumps, what deadlines are in. */
int64_t wire_now(void);

enum wire_end wire_send_job(int fd, const struct job *job, int64_t deadline);
/* `job` has the body then, which job_free frees. */
enum wire_end wire_receive_job(int fd, struct job *job, size_t most, int64_t deadline);
enum wire_end wire_send_answer(int fd, const struct answer *answer, int64_t deadline);
enum wire_end wire_receive_answer(int fd, struct answer **answer, size_t most, int64_t deadline);

#endif
