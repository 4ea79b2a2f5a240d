/* Speaks to qpusim-device: see remote.h. While a call is answered the device asks for this process' memory;
 * the addresses are those that the call itself handed over. */
#include "remote.h"

#include "tools/device/socket.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/un.h>
#include <unistd.h>

enum { RENDER_MINOR = 128 };

static bool answer(int socket, const struct wire_packet *question, const void *data, int fd) {
    struct wire_packet reply = {.kind = WIRE_DATA};
    switch (question->kind) {
    case WIRE_READ:
        reply.size = (uint32_t)question->other;
        return wire_send(socket, &reply, (const void *)(uintptr_t)question->value, -1);
    case WIRE_WRITE: memcpy((void *)(uintptr_t)question->value, data, question->size); return true;
    case WIRE_TAKE_FD: return wire_send(socket, &reply, NULL, (int)question->value);
    case WIRE_GIVE_FD: reply.value = (uint64_t)fd; return wire_send(socket, &reply, NULL, -1);
    default: return false;
    }
}

/* Makes one call. `result` gets the data of the answer, and `fd` its descriptor. */
static int converse(int socket, const struct wire_packet *call, const void *data, struct wire_packet *done,
                    void *result, int *fd) {
    static char buffer[WIRE_MOST_DATA];
    bool fine = wire_send(socket, call, data, -1);
    while (fine && wire_receive(socket, done, buffer, fd)) {
        if (done->kind == WIRE_DONE) {
            if (result && done->size) {
                memcpy(result, buffer, done->size);
            }
            return done->status;
        }
        fine = answer(socket, done, buffer, *fd);
    }
    return -EIO;
}

int remote_open(struct remote *remote) {
    const char *folder = getenv(WIRE_FOLDER_VARIABLE);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct wire_packet call = {.kind = WIRE_OPEN, .number = RENDER_MINOR}, done;
    *remote = (struct remote){.socket = -1, .file = -1};
    if (!folder || (size_t)snprintf(address.sun_path, sizeof address.sun_path, "%s/" WIRE_SOCKET, folder) >=
                       sizeof address.sun_path) {
        return -ENODEV;
    }
    remote->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (remote->socket < 0 || connect(remote->socket, (struct sockaddr *)&address, sizeof address) != 0) {
        int number = errno;
        remote_close(remote);
        return -number;
    }
    int status = converse(remote->socket, &call, NULL, &done, NULL, &remote->file);
    remote->inode = done.value;
    if (status) {
        remote_close(remote);
    }
    return status;
}

void remote_close(struct remote *remote) {
    if (remote->file >= 0) {
        close(remote->file);
    }
    if (remote->socket >= 0) {
        close(remote->socket);
    }
    remote->file = remote->socket = -1;
}

int remote_ioctl(const struct remote *remote, unsigned long request, void *arg) {
    struct wire_packet call = {.kind = WIRE_IOCTL,
                               .number = remote->inode,
                               .value = (uint32_t)request,
                               .size = _IOC_SIZE(request)},
                       done;
    int fd;
    return converse(remote->socket, &call, arg, &done, arg, &fd);
}

int remote_map(const struct remote *remote, uint64_t offset, size_t size) {
    struct wire_packet call = {.kind = WIRE_MAP, .number = remote->inode, .value = offset, .other = size},
                       done;
    int fd;
    return converse(remote->socket, &call, NULL, &done, NULL, &fd) ? -1 : fd;
}
