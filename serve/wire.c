/* Messages over a socket, with deadlines. */
#include "wire.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

int64_t wire_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Until the socket is ready; only the server's end is non-blocking and has deadlines. */
static enum wire_end wait_for(int fd, short events, int64_t deadline) {
    int64_t left = deadline == WIRE_NO_DEADLINE ? -1 : deadline - wire_now();
    if (deadline != WIRE_NO_DEADLINE && left <= 0)
        return WIRE_LATE;
    struct pollfd wait = {.fd = fd, .events = events};
    int ready = poll(&wait, 1, (int)left);
    return ready < 0 && errno != EINTR ? WIRE_CLOSED : WIRE_DONE;
}

typedef ssize_t mover(int, const struct iovec *, int);

/* Both pieces in one call where the socket takes them, so that the other side wakes once. Until `least` bytes
 * have moved; the pieces then say what is left of them. */
static enum wire_end move(int fd, mover *some, short events, struct iovec piece[2], size_t least,
                          int64_t deadline) {
    for (size_t done = 0; done < least;) {
        ssize_t n = some(fd, piece, 2);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return WIRE_CLOSED;
        if (n < 0) {
            enum wire_end end = wait_for(fd, events, deadline);
            if (end != WIRE_DONE)
                return end;
            continue;
        }
        done += (size_t)n;
        for (int i = 0; i < 2; i++) {
            size_t here = (size_t)n < piece[i].iov_len ? (size_t)n : piece[i].iov_len;
            if (!here) // a piece without bytes has no address to add to
                continue;
            piece[i].iov_base = (char *)piece[i].iov_base + here;
            piece[i].iov_len -= here;
            n -= (ssize_t)here;
        }
    }
    return WIRE_DONE;
}

static enum wire_end send_message(int fd, void *head, size_t head_size, void *body, size_t size,
                                  int64_t deadline) {
    struct iovec piece[2] = {{head, head_size}, {body, size}};
    return move(fd, writev, POLLOUT, piece, head_size + size, deadline);
}

/* A body, as far as it is here. */
struct incoming {
    uint8_t *body;
    size_t there;
};

enum { GUESS = 64 << 10 };

/* The head, and what came along with it. The body is the caller's to free. */
static enum wire_end receive_head(int fd, void *head, size_t size, struct incoming *in, int64_t deadline) {
    *in = (struct incoming){.body = malloc(GUESS)};
    if (!in->body)
        return WIRE_NO_MEMORY;
    struct iovec piece[2] = {{head, size}, {in->body, GUESS}};
    enum wire_end end = WIRE_DONE;
    if (deadline != WIRE_NO_DEADLINE) /* an answer takes a while: nothing is here yet */
        end = wait_for(fd, POLLIN, deadline);
    if (end == WIRE_DONE)
        end = move(fd, readv, POLLIN, piece, size, deadline);
    in->there = GUESS - piece[1].iov_len;
    return end;
}

/* All of it, and a NUL. */
static enum wire_end receive_body(int fd, struct incoming *in, size_t size, int64_t deadline) {
    if (in->there > size)
        return WIRE_TOO_LARGE;
    uint8_t *fitting = realloc(in->body, size + 1);
    if (!fitting)
        return WIRE_NO_MEMORY;
    in->body = fitting;
    fitting[size] = 0;
    struct iovec piece[2] = {{fitting + in->there, size - in->there}, {NULL, 0}};
    return move(fd, readv, POLLIN, piece, size - in->there, deadline);
}

/* --- jobs ----------------------------------------------------------------------------------------------- */

struct job_header {
    uint32_t kind, accept, plain, reserved;
    uint64_t size;
    char compiler[sizeof((struct job *)0)->compiler], options[sizeof((struct job *)0)->options];
};

void job_free(struct job *job) {
    free(job->body);
    job->body = NULL;
}

enum wire_end wire_send_job(int fd, const struct job *job, int64_t deadline) {
    struct job_header header = {
        .kind = job->kind, .accept = job->accept, .plain = job->plain, .size = job->size};
    memcpy(header.compiler, job->compiler, sizeof header.compiler);
    memcpy(header.options, job->options, sizeof header.options);
    return send_message(fd, &header, sizeof header, job->body, job->size, deadline);
}

enum wire_end wire_receive_job(int fd, struct job *job, size_t most, int64_t deadline) {
    struct job_header header;
    struct incoming in;
    enum wire_end end = receive_head(fd, &header, sizeof header, &in, deadline);
    if (end == WIRE_DONE &&
        (header.size > most || header.kind >= JOB_KIND_COUNT || header.accept >= ANSWER_TYPE_COUNT))
        end = WIRE_TOO_LARGE;
    if (end == WIRE_DONE)
        end = receive_body(fd, &in, header.size, deadline);
    if (end != WIRE_DONE) {
        free(in.body);
        return end;
    }
    *job = (struct job){.kind = (enum job_kind)header.kind,
                        .accept = (enum answer_type)header.accept,
                        .plain = header.plain,
                        .body = (char *)in.body,
                        .size = header.size};
    memcpy(job->compiler, header.compiler, sizeof job->compiler - 1);
    memcpy(job->options, header.options, sizeof job->options - 1);
    return WIRE_DONE;
}

/* --- answers -------------------------------------------------------------------------------------------- */

struct answer_header {
    uint32_t status, type, keep, reserved;
    uint64_t size;
};

enum wire_end wire_send_answer(int fd, const struct answer *answer, int64_t deadline) {
    struct answer_header header = {
        .status = answer->status, .type = answer->type, .keep = answer->keep, .size = answer->size};
    return send_message(fd, &header, sizeof header, answer->body, answer->size, deadline);
}

enum wire_end wire_receive_answer(int fd, struct answer **answer, size_t most, int64_t deadline) {
    struct answer_header header;
    struct incoming in;
    enum wire_end end = receive_head(fd, &header, sizeof header, &in, deadline);
    if (end == WIRE_DONE && (header.size > most || header.type >= ANSWER_TYPE_COUNT || header.status < 200 ||
                             header.status > 599))
        end = WIRE_TOO_LARGE;
    if (end == WIRE_DONE)
        end = receive_body(fd, &in, header.size, deadline);
    if (end != WIRE_DONE) {
        free(in.body);
        return end;
    }
    *answer =
        answer_new(header.status, (enum answer_type)header.type, header.keep == 1, in.body, header.size);
    return *answer ? WIRE_DONE : WIRE_NO_MEMORY;
}
