/* Reads and writes whole files. A write that fails leaves no partial file. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A buffer of this size does not grow. It is far more than the compiler accepts, and far less than the
 * machine can hold. */
#define MAX_BYTES ((size_t)256 << 20)

static bool fail(const char *path, const char *reason, char *error, size_t size) {
    snprintf(error, size, "%s: %s", path, reason);
    return false;
}

bool file_read(const char *path, struct file_data *file, char *error, size_t size) {
    bool standard = !strcmp(path, "-");
    FILE *in = standard ? stdin : fopen(path, "rb");
    size_t capacity = 16384; /* one byte of it is for the NUL */
    memset(file, 0, sizeof *file);
    if (!in)
        return fail(path, strerror(errno), error, size);
    file->data = malloc(capacity);
    while (file->data) {
        file->size += fread(file->data + file->size, 1, capacity - 1 - file->size, in);
        if (file->size + 1 < capacity) /* the end, or an error */
            break;
        if (capacity >= MAX_BYTES) {
            fail(path, "file too large", error, size);
            goto out;
        }
        char *grown = realloc(file->data, capacity *= 2);
        if (!grown)
            file_free(file);
        else
            file->data = grown;
    }
    if (!file->data)
        fail(path, "out of memory", error, size);
    else if (ferror(in))
        fail(path, strerror(errno), error, size);
    else {
        file->data[file->size] = 0;
        if (!standard)
            fclose(in);
        return true;
    }
out:
    if (!standard)
        fclose(in);
    file_free(file);
    return false;
}

void file_free(struct file_data *file) {
    free(file->data);
    memset(file, 0, sizeof *file);
}

/* Flushes, so that a full disk is noticed here. */
static bool write_all(FILE *out, const void *data, size_t bytes) {
    return fwrite(data, 1, bytes, out) == bytes && fflush(out) == 0;
}

/* A new file beside `path`, whose name it writes to `name`. mkstemp would make a private one, and its mode
 * could be widened only by the umask, which no thread can read without changing it for all. */
static int create_beside(const char *path, char *name, size_t size) {
    enum { TRIES = 100 };
    static atomic_uint serial;
    int fd = -1;
    errno = EEXIST;
    for (unsigned k = 0; k < TRIES && fd < 0 && errno == EEXIST; k++) {
        unsigned number = (unsigned)getpid() * 2654435761u + atomic_fetch_add(&serial, 1) * 40503u;
        snprintf(name, size, "%s.%06x", path, number >> 8);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return fd;
}

static bool write_in_place(const char *path, const void *data, size_t bytes, char *error, size_t size) {
    FILE *out = fopen(path, "wb");
    if (!out)
        return fail(path, strerror(errno), error, size);
    bool ok = write_all(out, data, bytes);
    int reason = errno;
    if (fclose(out) != 0 && ok) {
        ok = false;
        reason = errno;
    }
    return ok || fail(path, strerror(reason), error, size);
}

bool file_write(const char *path, const void *data, size_t bytes, char *error, size_t size) {
    struct stat info;
    if (!strcmp(path, "-"))
        return write_all(stdout, data, bytes) || fail("standard output", strerror(errno), error, size);
    bool exists = stat(path, &info) == 0;
    if (exists ? !S_ISREG(info.st_mode) : lstat(path, &info) == 0) /* the latter: a link to nothing */
        return write_in_place(path, data, bytes, error, size);
    char *target = exists ? realpath(path, NULL) : strdup(path); /* a link stays one */
    size_t length = target ? strlen(target) + sizeof ".000000" : 0;
    char *temporary = target ? malloc(length) : NULL;
    if (!temporary) {
        fail(path, strerror(errno), error, size);
        free(target);
        return false;
    }
    int fd = create_beside(target, temporary, length);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "wb");
    bool ok = out && (!exists || fchmod(fd, info.st_mode & 0777) == 0);
    int reason = errno;
    if (!out && fd >= 0)
        close(fd);
    if (ok) {
        ok = write_all(out, data, bytes);
        reason = errno;
    }
    if (out && fclose(out) != 0 && ok) {
        ok = false;
        reason = errno;
    }
    if (ok && rename(temporary, target) != 0) {
        ok = false;
        reason = errno;
    }
    if (!ok) {
        if (fd >= 0)
            unlink(temporary);
        fail(path, strerror(reason), error, size);
    }
    free(temporary);
    free(target);
    return ok;
}
