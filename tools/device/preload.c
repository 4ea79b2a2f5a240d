/* The library that qpusim-device preloads into a program: calls on /dev/dri's files go to the daemon.
 *
 * The descriptor that a program gets for the device is one end of a socket. Its other end is the daemon's,
 * which writes events there, so that read(2), poll(2), dup(2), close(2), fork(2) and passing it on need no
 * help. Which descriptor is the device's is told by its inode. ioctl, mmap and the calls that look at files
 * are replaced here, and paths below /dev/dri and its neighbours in /sys are looked up in the daemon's
 * folder.
 *
 * Built for every architecture whose programs are run, without any other library. */
#include "socket.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sync_file.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum {
    DRM_MAJOR = 226,
    RENDER_MINOR = 128,
    MOST_FILES = 64,
    DRM_TYPE = 'd',
    PAGE_FLIP_NR = 0xb0,
    ATOMIC_NR = 0xbc,
    ATOMIC_TEST_ONLY = 0x100, /* in the first word of its structure */
    SYNC_TYPE = '>'
};
/* Offsets below this are not the device's. */
static const uint64_t first_offset = UINT64_C(1) << 32;

/* --- the C library's functions -------------------------------------------------------------------------- */

#define REAL(name)                                                                                           \
    ({                                                                                                       \
        static __typeof__(&name) real;                                                                       \
        if (!real)                                                                                           \
            real = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                               \
        real;                                                                                                \
    })

/* --- the device's descriptors --------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t mutex;
    pid_t pid;      /* that made the connection */
    int socket;     /* to the daemon; -1: not yet */
    uint64_t inode; /* of the socket */
    unsigned count;
    struct {
        uint64_t inode;
        unsigned minor;
    } files[MOST_FILES];
} process = {.mutex = PTHREAD_MUTEX_INITIALIZER, .socket = -1};

/* Whether the socket is still there: programs close descriptors that they do not know, and the number may be
 * that of a file of theirs now. */
static bool is_connected(void) {
    struct stat info;
    return process.socket >= 0 && REAL(fstat)(process.socket, &info) == 0 && S_ISSOCK(info.st_mode) &&
           info.st_ino == process.inode;
}

static bool connect_daemon(void) {
    const char *folder = getenv(WIRE_FOLDER_VARIABLE);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat info;
    bool connected = is_connected();
    if (connected && process.pid == getpid()) {
        return true;
    }
    if (!folder || (size_t)snprintf(address.sun_path, sizeof address.sun_path, "%s/" WIRE_SOCKET, folder) >=
                       sizeof address.sun_path) {
        return false;
    }
    /* A child does not share its parent's conversation. */
    if (connected) {
        close(process.socket);
    }
    process.pid = getpid();
    process.socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (process.socket >= 0 && (connect(process.socket, (struct sockaddr *)&address, sizeof address) != 0 ||
                                REAL(fstat)(process.socket, &info) != 0)) {
        close(process.socket);
        process.socket = -1;
    }
    process.inode = process.socket >= 0 ? info.st_ino : 0;
    return process.socket >= 0;
}

/* In a child whose parent forked while another of its threads was in a call: that thread is not here to
 * unlock. What it left half done is the parent's connection, which the child does not use. */
static void unlock_child(void) {
    pthread_mutex_init(&process.mutex, NULL);
}

__attribute__((constructor)) static void watch_forks(void) {
    pthread_atfork(NULL, NULL, unlock_child);
}

static bool known(uint64_t inode, unsigned *minor) {
    for (unsigned n = 0; n < process.count; n++) {
        if (process.files[n].inode == inode) {
            *minor = process.files[n].minor;
            return true;
        }
    }
    return false;
}

static void remember(uint64_t inode, unsigned minor) {
    unsigned n = process.count < MOST_FILES ? process.count++ : inode % MOST_FILES;
    process.files[n].inode = inode;
    process.files[n].minor = minor;
}

/* --- the conversation ----------------------------------------------------------------------------------- */

/* Copies what the daemon gives to where the program wants it. The kernel does it, which can tell a bad
 * pointer. */
static bool write_memory(uint64_t to, const void *data, size_t size) {
    int pair[2];
    if (pipe2(pair, O_CLOEXEC) != 0) {
        return false;
    }
    bool fine = true;
    for (size_t done = 0; done < size && fine;) {
        size_t piece = size - done < PIPE_BUF ? size - done : PIPE_BUF;
        fine = write(pair[1], (const char *)data + done, piece) == (ssize_t)piece &&
               read(pair[0], (char *)(uintptr_t)to + done, piece) == (ssize_t)piece;
        done += piece;
    }
    close(pair[0]);
    close(pair[1]);
    return fine;
}

/* Answers a question of the daemon; `fault` is set where a pointer of the program is bad. */
static bool answer(const struct wire_packet *question, const void *data, int fd, bool *fault) {
    struct wire_packet reply = {.kind = WIRE_DATA};
    switch (question->kind) {
    case WIRE_READ:
        reply.size = (uint32_t)question->other;
        errno = 0;
        if (wire_send(process.socket, &reply, (const void *)(uintptr_t)question->value, -1)) {
            return true;
        }
        /* A bad pointer. An emulator may have sent the packet without its data, which tells the same. */
        reply.size = 0;
        return errno != EFAULT || wire_send(process.socket, &reply, NULL, -1);
    case WIRE_WRITE: *fault |= !write_memory(question->value, data, question->size); return true;
    case WIRE_TAKE_FD:
        reply.status = fcntl((int)question->value, F_GETFD) < 0 ? -EBADF : 0;
        return wire_send(process.socket, &reply, NULL, reply.status ? -1 : (int)question->value);
    case WIRE_GIVE_FD: reply.value = (uint64_t)fd; return wire_send(process.socket, &reply, NULL, -1);
    default: return false;
    }
}

/* Sends a call and answers questions until it is done; `result` then begins with the packet's data. A
 * negative errno when the daemon is gone. */
static int converse(const struct wire_packet *call, const void *data, struct wire_packet *done, void *result,
                    int *fd) {
    static char buffer[WIRE_MOST_DATA];
    bool fault = false;
    *fd = -1;
    if (!connect_daemon() || !wire_send(process.socket, call, data, -1)) {
        return -ENODEV;
    }
    while (wire_receive(process.socket, done, buffer, fd)) {
        if (done->kind == WIRE_DONE) {
            if (result) {
                memcpy(result, buffer, done->size);
            }
            return fault && done->status >= 0 ? -EFAULT : done->status;
        }
        if (!answer(done, buffer, *fd, &fault)) {
            break;
        }
        *fd = -1;
    }
    return -ENODEV;
}

/* Whether a descriptor is the device's. */
static bool is_device(int fd, uint64_t *inode, unsigned *minor) {
    struct stat info;
    if (REAL(fstat)(fd, &info) != 0 || !S_ISSOCK(info.st_mode)) {
        return false;
    }
    *inode = info.st_ino;
    return known(*inode, minor);
}

/* The same for one that may have come from another process. */
static bool find_device(int fd, uint64_t *inode, unsigned *minor) {
    struct wire_packet done;
    int unused;
    *inode = 0;
    if (is_device(fd, inode, minor)) {
        return true;
    }
    if (*inode == 0) {
        return false;
    }
    struct wire_packet call = {.kind = WIRE_ATTACH, .value = *inode};
    if (converse(&call, NULL, &done, NULL, &unused) != 0) {
        return false;
    }
    *minor = (unsigned)done.number;
    remember(*inode, *minor);
    return true;
}

/* --- paths ---------------------------------------------------------------------------------------------- */

/* The device's minor number that a path names, or -1. */
static int device_of(const char *path) {
    if (!strcmp(path, "/dev/dri/card0")) {
        return 0;
    }
    return !strcmp(path, "/dev/dri/renderD128") ? RENDER_MINOR : -1;
}

/* Where a path lies: in the daemon's folder or where it says. */
static const char *place(const char *path, char buffer[PATH_MAX]) {
    static const char *const ours[] = {"/dev/dri", "/sys/dev/char/226:", "/sys/class/drm",
                                       "/sys/bus/platform/devices/gpu"};
    const char *folder = getenv(WIRE_FOLDER_VARIABLE);
    for (size_t n = 0; path && folder && n < sizeof ours / sizeof *ours; n++) {
        if (!strncmp(path, ours[n], strlen(ours[n])) &&
            snprintf(buffer, PATH_MAX, "%s%s", folder, path) < PATH_MAX) {
            return buffer;
        }
    }
    return path;
}

static void describe(struct stat *info, unsigned minor) {
    info->st_mode = S_IFCHR | 0666;
    info->st_rdev = makedev(DRM_MAJOR, minor);
}

static void describe64(struct stat64 *info, unsigned minor) {
    info->st_mode = S_IFCHR | 0666;
    info->st_rdev = makedev(DRM_MAJOR, minor);
}

static int open_device(unsigned minor, int flags) {
    struct wire_packet call = {.kind = WIRE_OPEN, .number = minor}, done;
    int fd;
    pthread_mutex_lock(&process.mutex);
    int status = converse(&call, NULL, &done, NULL, &fd);
    if (status == 0) {
        remember(done.value, minor);
    }
    pthread_mutex_unlock(&process.mutex);
    if (status != 0) {
        errno = -status;
        return -1;
    }
    fcntl(fd, F_SETFD, flags & O_CLOEXEC ? FD_CLOEXEC : 0);
    fcntl(fd, F_SETFL, flags & O_NONBLOCK);
    return fd;
}

static mode_t mode_of(int flags, va_list args) {
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

#define OPEN(name)                                                                                           \
    EXPORT int name(const char *path, int flags, ...) {                                                      \
        char buffer[PATH_MAX];                                                                               \
        va_list args;                                                                                        \
        va_start(args, flags);                                                                               \
        mode_t mode = mode_of(flags, args);                                                                  \
        va_end(args);                                                                                        \
        int minor = device_of(path);                                                                         \
        return minor >= 0 ? open_device((unsigned)minor, flags)                                              \
                          : REAL(name)(place(path, buffer), flags, mode);                                    \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                         \
    EXPORT int name(int folder, const char *path, int flags, ...) {                                          \
        char buffer[PATH_MAX];                                                                               \
        va_list args;                                                                                        \
        va_start(args, flags);                                                                               \
        mode_t mode = mode_of(flags, args);                                                                  \
        va_end(args);                                                                                        \
        int minor = device_of(path);                                                                         \
        return minor >= 0 ? open_device((unsigned)minor, flags)                                              \
                          : REAL(name)(folder, place(path, buffer), flags, mode);                            \
    }
OPENAT(openat)
OPENAT(openat64)

/* What _FORTIFY_SOURCE makes of open with two arguments. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);
EXPORT int __open_2(const char *path, int flags) {
    return open(path, flags);
}
EXPORT int __open64_2(const char *path, int flags) {
    return open64(path, flags);
}
EXPORT int __openat_2(int folder, const char *path, int flags) {
    return openat(folder, path, flags);
}
EXPORT int __openat64_2(int folder, const char *path, int flags) {
    return openat64(folder, path, flags);
}

EXPORT FILE *fopen(const char *path, const char *mode) {
    char buffer[PATH_MAX];
    return REAL(fopen)(place(path, buffer), mode);
}

EXPORT FILE *fopen64(const char *path, const char *mode) {
    char buffer[PATH_MAX];
    return REAL(fopen64)(place(path, buffer), mode);
}

EXPORT DIR *opendir(const char *path) {
    char buffer[PATH_MAX];
    return REAL(opendir)(place(path, buffer));
}

EXPORT int access(const char *path, int mode) {
    char buffer[PATH_MAX];
    return REAL(access)(place(path, buffer), mode);
}

EXPORT ssize_t readlink(const char *path, char *out, size_t size) {
    char buffer[PATH_MAX];
    return REAL(readlink)(place(path, buffer), out, size);
}

/* The real path lies in the daemon's folder; the program sees it where it looked. */
static char *outside(char *path) {
    const char *folder = getenv(WIRE_FOLDER_VARIABLE);
    size_t length = folder ? strlen(folder) : 0;
    if (path && length && !strncmp(path, folder, length)) {
        memmove(path, path + length, strlen(path + length) + 1);
    }
    return path;
}

EXPORT char *realpath(const char *path, char *resolved) {
    char buffer[PATH_MAX];
    return outside(REAL(realpath)(place(path, buffer), resolved));
}

#define STAT(name, structure, describe)                                                                      \
    EXPORT int name(const char *path, struct structure *info) {                                              \
        char buffer[PATH_MAX];                                                                               \
        int status = REAL(name)(place(path, buffer), info), minor = device_of(path);                         \
        if (status == 0 && minor >= 0)                                                                       \
            describe(info, (unsigned)minor);                                                                 \
        return status;                                                                                       \
    }
STAT(stat, stat, describe)
STAT(lstat, stat, describe)
STAT(stat64, stat64, describe64)
STAT(lstat64, stat64, describe64)

#define FSTAT(name, structure, describe)                                                                     \
    EXPORT int name(int fd, struct structure *info) {                                                        \
        int status = REAL(name)(fd, info);                                                                   \
        unsigned minor;                                                                                      \
        if (status == 0 && S_ISSOCK(info->st_mode) && known(info->st_ino, &minor))                           \
            describe(info, minor);                                                                           \
        return status;                                                                                       \
    }
FSTAT(fstat, stat, describe)
FSTAT(fstat64, stat64, describe64)

#define FSTATAT(name, structure, describe)                                                                   \
    EXPORT int name(int folder, const char *path, struct structure *info, int flags) {                       \
        char buffer[PATH_MAX];                                                                               \
        unsigned minor;                                                                                      \
        int status = REAL(name)(folder, place(path, buffer), info, flags), named = device_of(path);          \
        if (status == 0 && named >= 0)                                                                       \
            describe(info, (unsigned)named);                                                                 \
        else if (status == 0 && !*path && S_ISSOCK(info->st_mode) && known(info->st_ino, &minor))            \
            describe(info, minor);                                                                           \
        return status;                                                                                       \
    }
FSTATAT(fstatat, stat, describe)
FSTATAT(fstatat64, stat64, describe64)

/* --- the clock ------------------------------------------------------------------------------------------ */

/* With WIRE_CLOCK_VARIABLE time stands still but for a sixtieth of a second with each frame: animations are
 * the same in every run, however long a frame takes. */
enum { FRAMES_A_SECOND = 60, START = 1 /* second */ };
static volatile uint64_t shown;

static bool frame_clock(void) {
    static int wanted = -1;
    if (wanted < 0)
        wanted = getenv(WIRE_CLOCK_VARIABLE) != NULL;
    return wanted;
}

static void tell_time(struct timespec *time) {
    uint64_t frames = shown;
    time->tv_sec = (time_t)(START + frames / FRAMES_A_SECOND);
    time->tv_nsec = (long)(frames % FRAMES_A_SECOND * 1000000000 / FRAMES_A_SECOND);
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!frame_clock() || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID)
        return REAL(clock_gettime)(clock, time);
    tell_time(time);
    return 0;
}

EXPORT int gettimeofday(struct timeval *time, void *zone) {
    if (!frame_clock())
        return REAL(gettimeofday)(time, zone);
    struct timespec now;
    tell_time(&now);
    *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

/* Also for what shows frames in other ways than on the device's display. */
EXPORT void qpusim_frame_shown(void) {
    shown++;
}

/* --- calls on the device -------------------------------------------------------------------------------- */

static int forward(uint64_t inode, unsigned long request, void *arg) {
    struct wire_packet call = {.kind = WIRE_IOCTL, .number = inode, .value = (uint32_t)request}, done;
    int fd;
    call.size = _IOC_SIZE(request);
    return converse(&call, arg, &done, arg, &fd);
}

/* Whether the call, if it is done, shows a frame. */
static bool shows_frame(unsigned long request, const void *arg) {
    uint32_t flags = 0;
    if (_IOC_NR(request) != ATOMIC_NR) {
        return _IOC_NR(request) == PAGE_FLIP_NR;
    }
    memcpy(&flags, arg, sizeof flags);
    return !(flags & ATOMIC_TEST_ONLY);
}

/* --- calls on sync files -------------------------------------------------------------------------------- */

/* A sync file of the device is an eventfd, because it has to poll as one whose fence has signalled. */
static bool is_sync_file(int fd, const char *kind) {
    char path[64], found[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t length = REAL(readlink)(path, found, sizeof found - 1);
    found[length > 0 ? length : 0] = 0;
    return !strcmp(found, kind);
}
#define OURS "anon_inode:[eventfd]"
#define OTHERS "anon_inode:sync_file"

/* The fence of one of the two files has signalled, so the other one's is that of both. */
static int merge_files(int fd, struct sync_merge_data *merge) {
    if (merge->flags || merge->pad) {
        return -EINVAL;
    }
    if (!is_sync_file(merge->fd2, OURS) && !is_sync_file(merge->fd2, OTHERS)) {
        return -ENOENT;
    }
    merge->fence = fcntl(is_sync_file(fd, OURS) ? merge->fd2 : fd, F_DUPFD_CLOEXEC, 3);
    return merge->fence < 0 ? -errno : 0;
}

static int tell_info(struct sync_file_info *info) {
    static const struct sync_fence_info fence = {
        .obj_name = "v3d", .driver_name = "vc4", .status = 1, .timestamp_ns = 1};
    if (info->flags || info->pad) {
        return -EINVAL;
    }
    if (info->num_fences) {
        memcpy((void *)(uintptr_t)info->sync_fence_info, &fence, sizeof fence);
    }
    snprintf(info->name, sizeof info->name, "vc4");
    info->status = 1;
    info->num_fences = 1;
    return 0;
}

/* -ENOTTY: the call is the kernel's, on a file of its own. */
static int sync_call(int fd, unsigned long request, void *arg) {
    bool ours = is_sync_file(fd, OURS);
    if (request == SYNC_IOC_MERGE) {
        struct sync_merge_data *merge = arg;
        return ours || (is_sync_file(fd, OTHERS) && is_sync_file(merge->fd2, OURS)) ? merge_files(fd, merge)
                                                                                    : -ENOTTY;
    }
    return ours && request == SYNC_IOC_FILE_INFO ? tell_info(arg) : -ENOTTY;
}

EXPORT int ioctl(int fd, unsigned long request, ...) {
    va_list args;
    va_start(args, request);
    void *arg = va_arg(args, void *);
    va_end(args);
    unsigned type = _IOC_TYPE(request), minor;
    uint64_t inode;
    int status = -ENOTTY;
    if (type == DRM_TYPE && getenv(WIRE_FOLDER_VARIABLE)) {
        pthread_mutex_lock(&process.mutex);
        bool ours = find_device(fd, &inode, &minor);
        status = ours ? forward(inode, request, arg) : -ENOTTY;
        shown += ours && status == 0 && shows_frame(request, arg);
        pthread_mutex_unlock(&process.mutex);
        if (!ours) {
            return REAL(ioctl)(fd, request, arg);
        }
    } else if (type == SYNC_TYPE && getenv(WIRE_FOLDER_VARIABLE)) {
        status = sync_call(fd, request, arg);
    }
    if (status == -ENOTTY) {
        return REAL(ioctl)(fd, request, arg);
    }
    if (status < 0) {
        errno = -status;
        return -1;
    }
    return status;
}

static void *map_device(void *address, size_t size, int protection, int flags, int fd, uint64_t offset,
                        bool *ours) {
    struct wire_packet call = {.kind = WIRE_MAP, .value = offset, .other = size}, done;
    unsigned minor;
    int memory = -1, status = 0;
    pthread_mutex_lock(&process.mutex);
    *ours = find_device(fd, &call.number, &minor);
    if (*ours) {
        status = converse(&call, NULL, &done, NULL, &memory);
    }
    pthread_mutex_unlock(&process.mutex);
    if (!*ours || status < 0) {
        errno = -status;
        return MAP_FAILED;
    }
    void *mapped = REAL(mmap)(address, size, protection, flags, memory, 0);
    int error = errno;
    close(memory);
    errno = error;
    return mapped;
}

#define MMAP(name, offset_type)                                                                              \
    EXPORT void *name(void *address, size_t size, int protection, int flags, int fd, offset_type offset) {   \
        bool ours = false;                                                                                   \
        void *mapped = MAP_FAILED;                                                                           \
        if (fd >= 0 && (uint64_t)offset >= first_offset)                                                     \
            mapped = map_device(address, size, protection, flags, fd, (uint64_t)offset, &ours);              \
        return ours ? mapped : REAL(name)(address, size, protection, flags, fd, offset);                     \
    }
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)
