/* The calls of the vc4 device under libFuzzer, on the real machine (run.sh, target calls).
 *
 * The input is a sequence of calls: a byte with the number, a byte with the size of the structure, then the
 * structure, which may lie about its size. What the calls' pointers may reach is the input itself, at
 * INPUT_BASE: so it also holds lists, records, uniforms and code. Writes go to a copy. Lists that the device
 * accepts are run. Nothing may crash, leak or overflow (the sanitizers look), and all that a file held is
 * given back when it is closed. */
#include <qpucc/drm.h>
#include <qpucc/lists.h>
#include <qpucc/qpusim.h>

#include <drm.h>
#include <drm_mode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_BASE = 0x1000, LARGEST_STRUCTURE = 256, MOST_BYTES = 32 << 20, MOST_FDS = 16 };

#define REQUIRE(condition)                                                                                   \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "calls.c:%d: not so: %s\n", __LINE__, #condition);                               \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* --- the device's owner --------------------------------------------------------------------------------- */

struct owner {
    struct qpusim_memory *memory;
    struct qpusim_block *block;
    unsigned pieces;
    uint64_t bytes;
    uint32_t sizes[1 << 12][2];
};

static bool add_memory(void *user, uint32_t address, uint32_t size, void *bytes, const char *name) {
    struct owner *o = user;
    REQUIRE(address % 4096 == 0 && size > 0);
    if (o->bytes + size > MOST_BYTES || o->pieces == sizeof o->sizes / sizeof *o->sizes ||
        qpusim_memory_add(o->memory, address, size, bytes, name) != QPUSIM_OK)
        return false;
    o->sizes[o->pieces][0] = address;
    o->sizes[o->pieces++][1] = size;
    o->bytes += size;
    return true;
}

static void remove_memory(void *user, uint32_t address) {
    struct owner *o = user;
    unsigned n = 0;
    while (n < o->pieces && o->sizes[n][0] != address)
        n++;
    REQUIRE(n < o->pieces);
    o->bytes -= o->sizes[n][1];
    memcpy(o->sizes[n], o->sizes[--o->pieces], sizeof *o->sizes);
    qpusim_memory_remove(o->memory, address);
}

static bool run(void *user, const struct qpusim_drm_lists *lists, char *error, size_t size) {
    struct owner *o = user;
    struct qpusim_options options = {.budget = 1000};
    struct qpusim_error why = {0};
    qpusim_block_write(o->block, QPUSIM_BPOS, 0, NULL, NULL);
    enum qpusim_status status = qpusim_run_lists(o->block, lists->bin_start, lists->bin_end,
                                                 lists->render_start, lists->render_end, &options, &why);
    REQUIRE(status == QPUSIM_OK || why.text[0] || status == QPUSIM_NO_MEMORY);
    snprintf(error, size, "%s", why.text);
    return status == QPUSIM_OK;
}

static uint32_t ident(void *user, unsigned number) {
    return qpusim_block_read(((struct owner *)user)->block, QPUSIM_IDENT0 + 4 * number);
}

static uint64_t count(void *user, unsigned counter) {
    return qpusim_block_count(((struct owner *)user)->block, (enum qpusim_count)counter);
}

/* Every byte of a picture that is shown can be read. */
static void show(void *user, const struct qpusim_drm_frame *frame) {
    (void)user;
    const volatile uint8_t *bytes = frame->bytes;
    REQUIRE(frame->height > 0 && (frame->height - 1) * (uint64_t)frame->stride < frame->size);
    (void)bytes[0], (void)bytes[frame->size - 1];
}

static void say(void *user, const char *text) {
    (void)user;
    REQUIRE(text[0]);
}

/* --- its caller ----------------------------------------------------------------------------------------- */

struct caller {
    uint8_t *bytes;
    size_t size;
    int fds[MOST_FDS];
    unsigned given;
};

static bool reach(const struct caller *c, uint64_t at, size_t size) {
    return at >= INPUT_BASE && at - INPUT_BASE <= c->size && size <= c->size - (at - INPUT_BASE);
}

static bool read_caller(void *user, void *to, uint64_t from, size_t size) {
    const struct caller *c = user;
    if (!reach(c, from, size))
        return false;
    memcpy(to, c->bytes + (from - INPUT_BASE), size);
    return true;
}

static bool write_caller(void *user, uint64_t to, const void *from, size_t size) {
    struct caller *c = user;
    if (!reach(c, to, size))
        return false;
    memcpy(c->bytes + (to - INPUT_BASE), from, size);
    return true;
}

/* Descriptors are numbered from 0 in the order in which they were given; 15 is a file of another owner. */
static int take_fd(void *user, int fd) {
    const struct caller *c = user;
    return fd == MOST_FDS - 1                   ? memfd_create("other", MFD_CLOEXEC)
           : fd >= 0 && (unsigned)fd < c->given ? dup(c->fds[fd])
                                                : -1;
}

static int give_fd(void *user, int fd) {
    struct caller *c = user;
    if (c->given == MOST_FDS - 1)
        return -1;
    c->fds[c->given] = dup(fd);
    return c->fds[c->given] < 0 ? -1 : (int)c->given++;
}

static void event(void *user, const void *bytes, size_t size) {
    (void)user;
    REQUIRE(size == ((const struct drm_event *)bytes)->length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct owner owner;
    struct caller caller[2] = {{.bytes = malloc(size + 1), .size = size},
                               {.bytes = malloc(size + 1), .size = size}};
    REQUIRE(caller[0].bytes && caller[1].bytes);
    memcpy(caller[0].bytes, data, size);
    memcpy(caller[1].bytes, data, size);
    owner = (struct owner){.memory = qpusim_memory_new(0)};
    owner.block = qpusim_block_new(owner.memory);
    REQUIRE(owner.memory && owner.block);
    struct qpusim_drm_hooks hooks = {.user = &owner,
                                     .add_memory = add_memory,
                                     .remove_memory = remove_memory,
                                     .run = run,
                                     .ident = ident,
                                     .count = count,
                                     .frame = show,
                                     .log = say,
                                     .width = 64,
                                     .height = 48};
    struct qpusim_drm *device = qpusim_drm_new(&hooks);
    struct qpusim_drm_file *file[2];
    for (unsigned k = 0; k < 2; k++) {
        struct qpusim_drm_client client = {&caller[k], read_caller, write_caller, take_fd, give_fd, event};
        file[k] = qpusim_drm_open(device, &client);
        REQUIRE(file[k]);
    }
    /* Two numbers are no calls. The call behind OTHER_FILE is the other file's. WRITE writes into a mapping:
     * its structure is the mapping's offset and what is written. */
    enum { WRITE = 0xfe, OTHER_FILE = 0xff };
    for (size_t at = 0; at + 2 <= size;) {
        struct qpusim_drm_file *f = file[data[at] == OTHER_FILE];
        at += data[at] == OTHER_FILE;
        if (at + 2 > size)
            break;
        unsigned nr = data[at], bytes = data[at + 1];
        uint64_t structure[LARGEST_STRUCTURE / 8] = {0};
        at += 2;
        memcpy(structure, data + at, bytes < size - at ? bytes : size - at);
        at += bytes;
        if (nr == WRITE) {
            int fd = qpusim_drm_map(f, structure[0], 4096);
            REQUIRE(fd < 0 || bytes < 8 || pwrite(fd, structure + 1, bytes - 8, 0) == (ssize_t)bytes - 8);
        } else {
            qpusim_drm_ioctl(f, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, nr, bytes), structure);
        }
    }
    for (unsigned k = 0; k < 2; k++) {
        qpusim_drm_close(file[k]);
        for (unsigned n = 0; n < caller[k].given; n++)
            close(caller[k].fds[n]);
        free(caller[k].bytes);
    }
    qpusim_drm_free(device);
    REQUIRE(owner.pieces == 0 && owner.bytes == 0);
    qpusim_block_free(owner.block);
    qpusim_memory_free(owner.memory);
    return 0;
}
