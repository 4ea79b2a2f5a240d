/* The device of qpusim-device for a program into which nothing can be preloaded, as a static one: the same
 * conversation as the preloaded library's (tools/device/wire.h), for one file. */
#ifndef SELFTEST_REMOTE_H
#define SELFTEST_REMOTE_H

#include <stddef.h>
#include <stdint.h>

struct remote {
    int socket, file;
    uint64_t inode;
};

/* 0, or a negative errno: -ENODEV when the environment names no such device. */
int remote_open(struct remote *remote);
void remote_close(struct remote *remote);
/* As qpusim_drm_ioctl. */
int remote_ioctl(const struct remote *remote, unsigned long request, void *arg);
/* A descriptor of the memory at a mapping's offset, which begins at 0 there; the caller closes it. -1: none.
 */
int remote_map(const struct remote *remote, uint64_t offset, size_t size);

#endif
