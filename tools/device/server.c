/* The daemon's side of the conversation: one thread, one poll loop.
 *
 * A file of the device is a pair of sockets. The program has one end, the daemon writes events to the other
 * and sees there that the last copy was closed. Calls come over connections of their own, one for each
 * process. */
#include "device.h"
#include "socket.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

struct caller {
    struct server *server;
    struct file *file;
};

struct file {
    struct caller caller;
    int events; /* the daemon's end */
    uint64_t inode;
    unsigned minor;
    struct qpusim_drm_file *drm;
    struct file *next;
};

struct connection {
    int socket;
    struct connection *next;
};

struct server {
    struct qpusim_drm *device;
    int listener;
    int calling; /* connection whose call is being answered; -1: none */
    struct connection *connections;
    struct file *files;
    char buffer[WIRE_MOST_DATA];
};

/* --- the caller's memory and descriptors ---------------------------------------------------------------- */

/* `with` gets the answer's descriptor; NULL: there should be none. */
static bool ask(struct server *s, const struct wire_packet *question, int fd, struct wire_packet *reply,
                int *with) {
    int given = -1;
    bool fine = s->calling >= 0 && wire_send(s->calling, question, NULL, fd) &&
                wire_receive(s->calling, reply, s->buffer, &given) && reply->kind == WIRE_DATA;
    if (fine && with && !reply->status) {
        *with = given;
    } else if (given >= 0) {
        close(given);
    }
    return fine;
}

static bool read_memory(void *user, void *to, uint64_t from, size_t size) {
    struct server *s = ((struct caller *)user)->server;
    struct wire_packet reply;
    if (!from) {
        return false;
    }
    for (size_t done = 0; done < size;) {
        size_t piece = size - done < WIRE_MOST_DATA ? size - done : WIRE_MOST_DATA;
        struct wire_packet question = {.kind = WIRE_READ, .value = from + done, .other = piece};
        if (!ask(s, &question, -1, &reply, NULL) || reply.size != piece) {
            return false;
        }
        memcpy((char *)to + done, s->buffer, piece);
        done += piece;
    }
    return true;
}

static bool write_memory(void *user, uint64_t to, const void *from, size_t size) {
    struct server *s = ((struct caller *)user)->server;
    if (!to) {
        return false;
    }
    for (size_t done = 0; done < size;) {
        size_t piece = size - done < WIRE_MOST_DATA ? size - done : WIRE_MOST_DATA;
        struct wire_packet packet = {.kind = WIRE_WRITE, .value = to + done, .size = (uint32_t)piece};
        if (s->calling < 0 || !wire_send(s->calling, &packet, (const char *)from + done, -1)) {
            return false;
        }
        done += piece;
    }
    return true;
}

static int take_fd(void *user, int number) {
    struct wire_packet question = {.kind = WIRE_TAKE_FD, .value = (uint64_t)(unsigned)number}, reply;
    int fd = -1;
    ask(((struct caller *)user)->server, &question, -1, &reply, &fd);
    return fd;
}

static int give_fd(void *user, int fd) {
    struct wire_packet question = {.kind = WIRE_GIVE_FD}, reply;
    return ask(((struct caller *)user)->server, &question, fd, &reply, NULL) ? (int)reply.value : -1;
}

static void send_event(void *user, const void *event, size_t size) {
    const struct file *file = ((struct caller *)user)->file;
    /* A program that never reads its events loses them. */
    (void)!send(file->events, event, size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* --- files ---------------------------------------------------------------------------------------------- */

static struct file *find_file(const struct server *s, uint64_t inode) {
    struct file *file = s->files;
    while (file && file->inode != inode) {
        file = file->next;
    }
    return file;
}

static void free_file(struct file *file) {
    qpusim_drm_close(file->drm);
    close(file->events);
    free(file);
}

/* The program's end is given away with the answer. */
static struct file *new_file(struct server *s, unsigned minor, int *end) {
    int pair[2];
    struct stat info;
    struct file *file = calloc(1, sizeof *file);
    if (!file || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        free(file);
        return NULL;
    }
    struct qpusim_drm_client client = {&file->caller, read_memory, write_memory,
                                       take_fd,       give_fd,     send_event};
    *file = (struct file){
        .caller = {s, file}, .events = pair[0], .minor = minor, .drm = qpusim_drm_open(s->device, &client)};
    *end = pair[1];
    if (!file->drm || fstat(pair[1], &info) != 0) {
        close(pair[1]);
        free_file(file);
        return NULL;
    }
    file->inode = info.st_ino;
    file->next = s->files;
    s->files = file;
    return file;
}

/* --- calls ---------------------------------------------------------------------------------------------- */

static bool finish(struct server *s, struct wire_packet *done, const void *data, int fd) {
    done->kind = WIRE_DONE;
    return wire_send(s->calling, done, data, fd);
}

static bool answer_open(struct server *s, const struct wire_packet *call) {
    int end = -1;
    const struct file *file = new_file(s, (unsigned)call->number, &end);
    struct wire_packet done = {.status = file ? 0 : -ENOMEM, .value = file ? file->inode : 0};
    bool fine = finish(s, &done, NULL, end);
    if (end >= 0) {
        close(end);
    }
    return fine;
}

static bool answer_ioctl(struct server *s, const struct wire_packet *call) {
    const struct file *file = find_file(s, call->number);
    uint64_t arg[(1 << 14) / 8] = {0}; /* the largest structure that a request can have */
    unsigned long request = (unsigned long)call->value;
    struct wire_packet done = {.status = -EBADF};
    if (file && call->size == _IOC_SIZE(request)) {
        memcpy(arg, s->buffer, call->size);
        done.status = qpusim_drm_ioctl(file->drm, request, arg);
        done.size = call->size;
    }
    return finish(s, &done, arg, -1);
}

static bool answer_map(struct server *s, const struct wire_packet *call) {
    const struct file *file = find_file(s, call->number);
    int fd = file ? qpusim_drm_map(file->drm, call->value, (size_t)call->other) : -EBADF;
    struct wire_packet done = {.status = fd < 0 ? fd : 0};
    return finish(s, &done, NULL, fd < 0 ? -1 : fd);
}

static bool answer_call(struct server *s, int socket) {
    struct wire_packet call;
    int fd;
    bool received = wire_receive(socket, &call, s->buffer, &fd);
    if (fd >= 0) {
        close(fd);
    }
    if (!received) {
        return false;
    }
    s->calling = socket;
    bool fine = false;
    if (call.kind == WIRE_OPEN) {
        fine = answer_open(s, &call);
    } else if (call.kind == WIRE_ATTACH) {
        const struct file *file = find_file(s, call.value);
        struct wire_packet done = {.status = file ? 0 : -ENOENT, .number = file ? file->minor : 0};
        fine = finish(s, &done, NULL, -1);
    } else if (call.kind == WIRE_IOCTL) {
        fine = answer_ioctl(s, &call);
    } else if (call.kind == WIRE_MAP) {
        fine = answer_map(s, &call);
    }
    s->calling = -1;
    return fine;
}

/* --- the loop ------------------------------------------------------------------------------------------- */

static void accept_connection(struct server *s) {
    struct connection *c = calloc(1, sizeof *c);
    int socket = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
    if (!c || socket < 0) {
        free(c);
        if (socket >= 0) {
            close(socket);
        }
        return;
    }
    *c = (struct connection){socket, s->connections};
    s->connections = c;
}

/* Answers once for each socket that was polled: when it is closed, the next one gets its number. */
static bool ready(struct pollfd *polled, unsigned count, int fd) {
    for (unsigned n = 0; n < count; n++) {
        if (polled[n].fd == fd) {
            polled[n].fd = -1;
            return polled[n].revents != 0;
        }
    }
    return false;
}

static void serve_ready(struct server *s, struct pollfd *polled, unsigned count) {
    /* Calls first: the last ones of a process that has closed its file are still waiting. */
    for (struct connection **link = &s->connections; *link;) {
        struct connection *c = *link;
        if (ready(polled, count, c->socket) && !answer_call(s, c->socket)) {
            *link = c->next;
            close(c->socket);
            free(c);
        } else {
            link = &c->next;
        }
    }
    for (struct file **link = &s->files; *link;) {
        struct file *file = *link;
        if (ready(polled, count, file->events)) {
            *link = file->next;
            free_file(file);
        } else {
            link = &file->next;
        }
    }
    if (ready(polled, count, s->listener)) {
        accept_connection(s);
    }
}

static unsigned list_sockets(const struct server *s, struct pollfd *polled, unsigned capacity) {
    unsigned count = 0;
    polled[count++] = (struct pollfd){.fd = s->listener, .events = POLLIN};
    for (const struct connection *c = s->connections; c && count < capacity; c = c->next) {
        polled[count++] = (struct pollfd){.fd = c->socket, .events = POLLIN};
    }
    for (const struct file *file = s->files; file && count < capacity; file = file->next) {
        polled[count++] = (struct pollfd){.fd = file->events, .events = 0}; /* hanging up is always told */
    }
    return count;
}

int server_run(struct server *s, int child) {
    enum { MOST = 1024, WAIT_MS = 50 };
    static struct pollfd polled[MOST];
    int status = 0;
    bool ended = false;
    while (!ended || s->connections) {
        unsigned count = list_sockets(s, polled, MOST);
        if (poll(polled, count, ended ? 0 : WAIT_MS) > 0) {
            serve_ready(s, polled, count);
        } else if (ended) {
            break;
        }
        if (!ended && waitpid(child, &status, WNOHANG) == child) {
            ended = true;
        }
    }
    return status;
}

struct server *server_new(const char *folder, struct qpusim_drm *device, char *error, size_t size) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct server *s = calloc(1, sizeof *s);
    if (!s || (size_t)snprintf(address.sun_path, sizeof address.sun_path, "%s/" WIRE_SOCKET, folder) >=
                  sizeof address.sun_path) {
        snprintf(error, size, "%s: the name is too long for a socket", folder);
        free(s);
        return NULL;
    }
    s->device = device;
    s->calling = -1;
    s->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (s->listener < 0 || bind(s->listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(s->listener, 16) != 0) {
        snprintf(error, size, "%s: %s", address.sun_path, strerror(errno));
        server_free(s);
        return NULL;
    }
    return s;
}

void server_free(struct server *s) {
    if (!s) {
        return;
    }
    while (s->connections) {
        struct connection *next = s->connections->next;
        close(s->connections->socket);
        free(s->connections);
        s->connections = next;
    }
    while (s->files) {
        struct file *next = s->files->next;
        free_file(s->files);
        s->files = next;
    }
    if (s->listener >= 0) {
        close(s->listener);
    }
    free(s);
}
