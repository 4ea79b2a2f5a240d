/* Packets of wire.h over a socket. */
#ifndef DEVICE_SOCKET_H
#define DEVICE_SOCKET_H

#include "wire.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* Sends one packet; `fd` goes with it unless it is -1. */
static inline bool wire_send(int socket, const struct wire_packet *packet, const void *data, int fd) {
    struct iovec parts[2] = {{(void *)(uintptr_t)packet, sizeof *packet},
                             {(void *)(uintptr_t)data, packet->size}};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = packet->size ? 2 : 1};
    memset(&control, 0, sizeof control);
    if (fd >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *c = CMSG_FIRSTHDR(&message);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    ssize_t sent;
    do {
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)(sizeof *packet + packet->size);
}

/* Receives one packet with at most WIRE_MOST_DATA bytes of data; `fd` gets the descriptor that came with it,
 * or -1. */
static inline bool wire_receive(int socket, struct wire_packet *packet, void *data, int *fd) {
    struct iovec parts[2] = {{packet, sizeof *packet}, {data, WIRE_MOST_DATA}};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    /* CMSG_SPACE has room for a second descriptor, which nobody would close. */
    struct msghdr message = {
        .msg_iov = parts, .msg_iovlen = 2, .msg_control = &control, .msg_controllen = CMSG_LEN(sizeof(int))};
    ssize_t got;
    do {
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    *fd = -1;
    struct cmsghdr *c = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
        memcpy(fd, CMSG_DATA(c), sizeof *fd);
    }
    return got >= (ssize_t)sizeof *packet && packet->size == (size_t)got - sizeof *packet;
}

#endif
