/* The fork server. It answers one question at a time, so that it needs no threads and no state but its
 * children. */
#define _GNU_SOURCE
#include "zygote.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum order { SPAWN, END };

struct message {
    enum order order;
    pid_t worker; /* spawned: -1 if it failed */
    int status;
};

/* --- the zygote's side ---------------------------------------------------------------------------------- */

static bool reply(int fd, const struct message *message, int passed) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec data = {(void *)message, sizeof *message};
    struct msghdr envelope = {.msg_iov = &data, .msg_iovlen = 1};
    memset(&control, 0, sizeof control);
    if (passed >= 0) {
        envelope.msg_control = control.bytes;
        envelope.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&envelope);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &passed, sizeof passed);
    }
    return sendmsg(fd, &envelope, MSG_NOSIGNAL) == (ssize_t)sizeof *message;
}

static bool spawn(int control, const struct worker_limits *limits) {
    int pair[2];
    struct message message = {.order = SPAWN, .worker = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return reply(control, &message, -1);
    message.worker = fork();
    if (message.worker == 0) {
        close(pair[0]);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        worker_run(pair[1], limits);
    }
    close(pair[1]);
    bool ok = reply(control, &message, message.worker > 0 ? pair[0] : -1);
    close(pair[0]);
    return ok;
}

static bool end(int control, pid_t worker) {
    struct message message = {.order = END, .worker = worker, .status = -1};
    kill(worker, SIGKILL); /* a child that was not waited for: the number is still its own */
    while (waitpid(worker, &message.status, 0) < 0 && errno == EINTR)
        ;
    return reply(control, &message, -1);
}

static void serve_orders(int control, const struct worker_limits *limits) {
    struct message order;
    while (recv(control, &order, sizeof order, 0) == (ssize_t)sizeof order)
        if (order.order == SPAWN ? !spawn(control, limits) : order.worker <= 0 || !end(control, order.worker))
            break;
}

/* --- the server's side ---------------------------------------------------------------------------------- */

bool zygote_start(struct zygote *zygote, const struct worker_limits *limits) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return false;
    zygote->pid = fork();
    if (zygote->pid == 0) {
        close(pair[0]);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGINT, SIG_IGN); /* the terminal's: the server ends us in its own time */
        signal(SIGTERM, SIG_DFL);
        signal(SIGPIPE, SIG_IGN);
        worker_warm();
        serve_orders(pair[1], limits);
        _exit(0);
    }
    close(pair[1]);
    zygote->fd = pair[0];
    pthread_mutex_init(&zygote->lock, NULL);
    if (zygote->pid < 0)
        close(pair[0]);
    return zygote->pid > 0;
}

/* The answer's descriptor, -1 if it has none. */
static bool ask(struct zygote *zygote, struct message *message, int *passed) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec data = {message, sizeof *message};
    struct msghdr envelope = {.msg_iov = &data,
                              .msg_iovlen = 1,
                              .msg_control = control.bytes,
                              .msg_controllen = sizeof control.bytes};
    ssize_t n = -1;
    *passed = -1;
    pthread_mutex_lock(&zygote->lock);
    if (send(zygote->fd, message, sizeof *message, MSG_NOSIGNAL) == (ssize_t)sizeof *message)
        do
            n = recvmsg(zygote->fd, &envelope, MSG_CMSG_CLOEXEC);
        while (n < 0 && errno == EINTR);
    pthread_mutex_unlock(&zygote->lock);
    const struct cmsghdr *header = n == (ssize_t)sizeof *message ? CMSG_FIRSTHDR(&envelope) : NULL;
    if (header && header->cmsg_type == SCM_RIGHTS)
        memcpy(passed, CMSG_DATA(header), sizeof *passed);
    return n == (ssize_t)sizeof *message;
}

bool zygote_spawn(struct zygote *zygote, pid_t *worker, int *fd) {
    struct message message = {.order = SPAWN};
    if (!ask(zygote, &message, fd) || *fd < 0)
        return false;
    *worker = message.worker;
    fcntl(*fd, F_SETFL, O_NONBLOCK); /* of our end only: deadlines are the server's */
    return true;
}

int zygote_end(struct zygote *zygote, pid_t worker) {
    struct message message = {.order = END, .worker = worker};
    int none;
    return ask(zygote, &message, &none) ? message.status : -1;
}

void zygote_stop(struct zygote *zygote) {
    close(zygote->fd);
    while (waitpid(zygote->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    pthread_mutex_destroy(&zygote->lock);
}
