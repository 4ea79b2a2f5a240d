/* The fork server. It answers one question at a time, so that it needs no threads and no state but its
 * children. */
#define _GNU_SOURCE
#include "zygote.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
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
        worker_run(pair[1], limits);
    }
    close(pair[1]);
    bool ok = reply(control, &message, message.worker > 0 ? pair[0] : -1);
    close(pair[0]);
    return ok;
}

/* Only of its own children: as long as one was not waited for, its number is nobody else's. */
static bool end(int control, pid_t worker) {
    struct message message = {.order = END, .worker = worker, .status = -1};
    siginfo_t info;
    if (waitid(P_PID, (id_t)worker, &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
        kill(worker, SIGKILL);
        while (waitpid(worker, &message.status, 0) < 0 && errno == EINTR)
            ;
    }
    return reply(control, &message, -1);
}

/* Whoever ends the server sends signals to its whole group; the server ends us in its own time. */
int zygote_main(void) {
    struct worker_limits limits;
    struct message order;
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    syscall(SYS_close_range, ZYGOTE_FD + 1u, ~0u, 0u);
    if (fcntl(ZYGOTE_FD, F_SETFD, FD_CLOEXEC) ||
        recv(ZYGOTE_FD, &limits, sizeof limits, 0) != (ssize_t)sizeof limits)
        return 1;
    worker_warm();
    while (recv(ZYGOTE_FD, &order, sizeof order, 0) == (ssize_t)sizeof order)
        if (order.order == SPAWN ? !spawn(ZYGOTE_FD, &limits)
                                 : order.worker <= 0 || !end(ZYGOTE_FD, order.worker))
            break;
    return 0;
}

/* --- the server's side ---------------------------------------------------------------------------------- */

/* Safe from a process with threads, which fork() is not. */
static bool launch(pid_t *pid, int fd) {
    char *const words[] = {(char[]){"qpucc"}, (char[]){"serve"}, (char[]){ZYGOTE_OPTION}, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    if (posix_spawn_file_actions_init(&actions))
        return false;
    bool ok = posix_spawnattr_init(&attributes) == 0;
    if (ok) {
        ok = posix_spawn_file_actions_adddup2(&actions, fd, ZYGOTE_FD) == 0 &&
             posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK) == 0 &&
             posix_spawnattr_setsigmask(&attributes, &none) == 0 &&
             posix_spawn(pid, "/proc/self/exe", &actions, &attributes, words, environ) == 0;
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return ok;
}

static bool begin(struct zygote *zygote) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return false;
    bool ok = launch(&zygote->pid, pair[1]);
    close(pair[1]);
    ok = ok && send(pair[0], &zygote->limits, sizeof zygote->limits, MSG_NOSIGNAL) ==
                   (ssize_t)sizeof zygote->limits;
    zygote->fd = ok ? pair[0] : -1;
    zygote->generation++;
    if (ok)
        metric_count(zygote->metrics, METRIC_ZYGOTES_STARTED);
    else
        close(pair[0]);
    return ok;
}

static void finish(struct zygote *zygote, bool now) {
    if (zygote->fd >= 0)
        close(zygote->fd);
    zygote->fd = -1;
    if (now && zygote->pid > 0)
        kill(zygote->pid, SIGKILL);
    while (zygote->pid > 0 && waitpid(zygote->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    zygote->pid = -1;
    while (waitpid(-1, NULL, WNOHANG) > 0) /* the workers that it left, if they are ours now */
        ;
}

bool zygote_start(struct zygote *zygote, const struct worker_limits *limits, struct metrics *metrics) {
    *zygote = (struct zygote){.fd = -1, .pid = -1, .limits = *limits, .metrics = metrics};
    pthread_mutex_init(&zygote->lock, NULL);
    return begin(zygote);
}

/* The answer's descriptor, -1 if it has none. The caller has the lock. */
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
    if (zygote->fd >= 0 &&
        send(zygote->fd, message, sizeof *message, MSG_NOSIGNAL) == (ssize_t)sizeof *message)
        do
            n = recvmsg(zygote->fd, &envelope, MSG_CMSG_CLOEXEC);
        while (n < 0 && errno == EINTR);
    const struct cmsghdr *header = n == (ssize_t)sizeof *message ? CMSG_FIRSTHDR(&envelope) : NULL;
    if (header && header->cmsg_type == SCM_RIGHTS)
        memcpy(passed, CMSG_DATA(header), sizeof *passed);
    return n == (ssize_t)sizeof *message;
}

bool zygote_spawn(struct zygote *zygote, struct hatched *worker) {
    struct message message = {.order = SPAWN};
    pthread_mutex_lock(&zygote->lock);
    bool there = ask(zygote, &message, &worker->fd);
    if (!there) { /* it has died, or could not be started the last time */
        message = (struct message){.order = SPAWN};
        finish(zygote, true);
        there = begin(zygote) && ask(zygote, &message, &worker->fd);
    }
    worker->pid = message.worker;
    worker->generation = zygote->generation;
    pthread_mutex_unlock(&zygote->lock);
    if (!there || worker->fd < 0)
        return false;
    fcntl(worker->fd, F_SETFL, O_NONBLOCK); /* of our end only: deadlines are the server's */
    return true;
}

int zygote_end(struct zygote *zygote, struct hatched *worker) {
    struct message message = {.order = END, .worker = worker->pid};
    int none;
    close(worker->fd);
    worker->fd = -1;
    pthread_mutex_lock(&zygote->lock);
    bool told = worker->generation == zygote->generation && ask(zygote, &message, &none);
    pthread_mutex_unlock(&zygote->lock);
    return told ? message.status : -1;
}

void zygote_stop(struct zygote *zygote) {
    finish(zygote, false);
    pthread_mutex_destroy(&zygote->lock);
}
