/* Messages over a socket, with deadlines. */
#include "wire.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
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

static enum wire_end send_all(int fd, const void *data, size_t size, int64_t deadline) {
    const char *at = data;
    while (size) {
        ssize_t n = write(fd, at, size);
        if (n > 0) {
            at += n;
            size -= (size_t)n;
            continue;
        }
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return WIRE_CLOSED;
        enum wire_end end = wait_for(fd, POLLOUT, deadline);
        if (end != WIRE_DONE)
            return end;
    }
    return WIRE_DONE;
}

static enum wire_end receive_all(int fd, void *data, size_t size, int64_t deadline) {
    char *at = data;
    while (size) {
        ssize_t n = read(fd, at, size);
        if (n > 0) {
            at += n;
            size -= (size_t)n;
            continue;
        }
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
            return WIRE_CLOSED;
        enum wire_end end = wait_for(fd, POLLIN, deadline);
        if (end != WIRE_DONE)
            return end;
    }
    return WIRE_DONE;
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
    enum wire_end end = send_all(fd, &header, sizeof header, deadline);
    return end == WIRE_DONE ? send_all(fd, job->body, job->size, deadline) : end;
}

enum wire_end wire_receive_job(int fd, struct job *job, size_t most, int64_t deadline) {
    struct job_header header;
    enum wire_end end = receive_all(fd, &header, sizeof header, deadline);
    if (end != WIRE_DONE)
        return end;
    if (header.size > most || header.kind >= JOB_KIND_COUNT || header.accept >= ANSWER_TYPE_COUNT)
        return WIRE_TOO_LARGE;
    *job = (struct job){.kind = (enum job_kind)header.kind,
                        .accept = (enum answer_type)header.accept,
                        .plain = header.plain,
                        .body = malloc(header.size + 1),
                        .size = header.size};
    memcpy(job->compiler, header.compiler, sizeof job->compiler - 1);
    memcpy(job->options, header.options, sizeof job->options - 1);
    if (!job->body)
        return WIRE_NO_MEMORY;
    job->body[job->size] = 0;
    end = receive_all(fd, job->body, job->size, deadline);
    if (end != WIRE_DONE)
        job_free(job);
    return end;
}

/* --- answers -------------------------------------------------------------------------------------------- */

struct answer_header {
    uint32_t status, type, keep, reserved;
    uint64_t size;
};

enum wire_end wire_send_answer(int fd, const struct answer *answer, int64_t deadline) {
    struct answer_header header = {
        .status = answer->status, .type = answer->type, .keep = answer->keep, .size = answer->size};
    enum wire_end end = send_all(fd, &header, sizeof header, deadline);
    return end == WIRE_DONE ? send_all(fd, answer->body, answer->size, deadline) : end;
}

enum wire_end wire_receive_answer(int fd, struct answer **answer, size_t most, int64_t deadline) {
    struct answer_header header;
    enum wire_end end = receive_all(fd, &header, sizeof header, deadline);
    if (end != WIRE_DONE)
        return end;
    if (header.size > most || header.type >= ANSWER_TYPE_COUNT || header.status < 200 || header.status > 599)
        return WIRE_TOO_LARGE;
    uint8_t *body = malloc(header.size + 1);
    if (!body)
        return WIRE_NO_MEMORY;
    end = receive_all(fd, body, header.size, deadline);
    if (end != WIRE_DONE) {
        free(body);
        return end;
    }
    *answer = answer_new(header.status, (enum answer_type)header.type, header.keep == 1, body, header.size);
    return *answer ? WIRE_DONE : WIRE_NO_MEMORY;
}
