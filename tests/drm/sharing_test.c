/* Two processes share buffers and fences through the device; run by recorded.sh as
 *
 *     qpusim-device --size 64x64 ... -- drm_sharing
 *
 * The second one is a program of its own, started without the first one's memory. The first draws red on a
 * T-format buffer and passes it on with the fence of the job. The second waits for that, marks a pixel with
 * the CPU, copies all to a raster buffer of its own and passes that back. The first shows it. */
#include <drm.h>
#include <drm_fourcc.h>
#include <drm_mode.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vc4_drm.h>

enum { SIDE = 64, BYTES = SIDE * SIDE * 4, PARTNER_FD = 3, MARKED = 37 /* word of the T-format buffer */ };
static const uint32_t red = 0xff0000ff, mark = 0xff123456;

static const char *role = "first";

#define REQUIRE(condition)                                                                                   \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "sharing_test.c:%d: %s process: not so: %s (errno %d)\n", __LINE__, role,        \
                    #condition, errno);                                                                      \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static int device;

/* 0, or the negative error. */
static int call_file(int file, unsigned long request, void *arg) {
    return ioctl(file, request, arg) < 0 ? -errno : 0;
}

static int call(unsigned long request, void *arg) {
    return call_file(device, request, arg);
}

static uint64_t address_of(const void *p) {
    return (uint64_t)(uintptr_t)p;
}

/* --- the device's objects ------------------------------------------------------------------------------- */

static uint32_t new_buffer(uint64_t modifier) {
    struct drm_vc4_create_bo create = {.size = BYTES};
    REQUIRE(call(DRM_IOCTL_VC4_CREATE_BO, &create) == 0);
    struct drm_vc4_set_tiling tiling = {.handle = create.handle, .modifier = modifier};
    REQUIRE(call(DRM_IOCTL_VC4_SET_TILING, &tiling) == 0);
    return create.handle;
}

static uint64_t tiling_of(uint32_t handle) {
    struct drm_vc4_get_tiling tiling = {.handle = handle};
    REQUIRE(call(DRM_IOCTL_VC4_GET_TILING, &tiling) == 0);
    return tiling.modifier;
}

static uint32_t *map(uint32_t handle) {
    struct drm_vc4_mmap_bo at = {.handle = handle};
    REQUIRE(call(DRM_IOCTL_VC4_MMAP_BO, &at) == 0);
    void *bytes = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, device, (off_t)at.offset);
    REQUIRE(bytes != MAP_FAILED);
    return bytes;
}

static void close_buffer(uint32_t handle) {
    struct drm_gem_close close = {.handle = handle};
    REQUIRE(call(DRM_IOCTL_GEM_CLOSE, &close) == 0);
}

static int export_buffer(uint32_t handle) {
    struct drm_prime_handle prime = {.handle = handle, .flags = DRM_CLOEXEC | DRM_RDWR};
    REQUIRE(call(DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime) == 0);
    return prime.fd;
}

static uint32_t import_buffer(int fd) {
    struct drm_prime_handle prime = {.fd = fd}, again = {.fd = fd};
    REQUIRE(call(DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime) == 0);
    REQUIRE(call(DRM_IOCTL_PRIME_FD_TO_HANDLE, &again) == 0);
    REQUIRE(prime.handle == again.handle);
    return prime.handle;
}

static uint32_t new_object(void) {
    struct drm_syncobj_create create = {0};
    REQUIRE(call(DRM_IOCTL_SYNCOBJ_CREATE, &create) == 0);
    return create.handle;
}

static int export_fence(uint32_t object) {
    struct drm_syncobj_handle out = {.handle = object,
                                     .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
    return call(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &out) ? -1 : out.fd;
}

static int import_fence(uint32_t object, int fd) {
    struct drm_syncobj_handle in = {
        .handle = object, .fd = fd, .flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE};
    return call(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &in);
}

static bool has_signalled(uint32_t object) {
    struct drm_syncobj_wait wait = {.handles = address_of(&object), .count_handles = 1};
    return call(DRM_IOCTL_SYNCOBJ_WAIT, &wait) == 0;
}

/* The picture of buffer `to`, in its tiling, becomes that of `from`, or red without it. */
static int draw(uint32_t to, uint32_t from, uint32_t in_sync, uint32_t out_sync) {
    enum { CLEAR = 1, COLOUR = 1, RGBA = 1, FORMAT = 2, LOAD_TILING = 4, STORE_TILING = 6 };
    const uint32_t handles[2] = {to, from};
    const struct drm_vc4_submit_rcl_surface none = {.hindex = UINT32_MAX};
    struct drm_vc4_submit_cl job = {.bo_handles = address_of(handles),
                                    .bo_handle_count = from ? 2 : 1,
                                    .width = SIDE,
                                    .height = SIDE,
                                    .color_read = none,
                                    .color_write = {.bits = RGBA << FORMAT},
                                    .zs_read = none,
                                    .zs_write = none,
                                    .msaa_color_write = none,
                                    .msaa_zs_write = none,
                                    .clear_color = {red, red},
                                    .flags = from ? 0 : CLEAR,
                                    .in_sync = in_sync,
                                    .out_sync = out_sync};
    job.color_write.bits |= (tiling_of(to) != DRM_FORMAT_MOD_LINEAR) << STORE_TILING;
    if (from) {
        job.color_read = (struct drm_vc4_submit_rcl_surface){.hindex = 1, .bits = COLOUR};
        job.color_read.bits |= (tiling_of(from) != DRM_FORMAT_MOD_LINEAR) << LOAD_TILING;
    }
    return call(DRM_IOCTL_VC4_SUBMIT_CL, &job);
}

/* --- the other process ---------------------------------------------------------------------------------- */

static void pass(int socket, const int *fds, unsigned count) {
    char byte = 0;
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = CMSG_SPACE(count * sizeof *fds)};
    control.header = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(count * sizeof *fds)};
    memcpy(CMSG_DATA(&control.header), fds, count * sizeof *fds);
    REQUIRE(sendmsg(socket, &message, 0) == 1);
}

static void take(int socket, int *fds, unsigned count) {
    char byte;
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.bytes};
    REQUIRE(recvmsg(socket, &message, MSG_CMSG_CLOEXEC) == 1);
    REQUIRE(control.header.cmsg_len == CMSG_LEN(count * sizeof *fds));
    memcpy(fds, CMSG_DATA(&control.header), count * sizeof *fds);
}

/* --- sync files ----------------------------------------------------------------------------------------- */

static void check_info(int file) {
    struct sync_fence_info fence = {0};
    struct sync_file_info info = {0};
    REQUIRE(call_file(file, SYNC_IOC_FILE_INFO, &info) == 0);
    REQUIRE(info.status == 1 && info.num_fences == 1);
    info.sync_fence_info = address_of(&fence);
    REQUIRE(call_file(file, SYNC_IOC_FILE_INFO, &info) == 0);
    REQUIRE(fence.status == 1 && !strcmp(fence.driver_name, "vc4"));
    info.flags = 1;
    REQUIRE(call_file(file, SYNC_IOC_FILE_INFO, &info) == -EINVAL);
}

/* One file for the fences of two; both stay. */
static int merge(int a, int b) {
    struct sync_merge_data merge = {.name = "both", .fd2 = b};
    REQUIRE(call_file(a, SYNC_IOC_MERGE, &merge) == 0);
    REQUIRE(merge.fence >= 0 && merge.fence != a && merge.fence != b);
    REQUIRE(fcntl(merge.fence, F_GETFD) == FD_CLOEXEC);
    int both = merge.fence;
    merge.flags = 1;
    REQUIRE(call_file(a, SYNC_IOC_MERGE, &merge) == -EINVAL);
    merge = (struct sync_merge_data){.fd2 = device};
    REQUIRE(call_file(a, SYNC_IOC_MERGE, &merge) == -ENOENT);
    REQUIRE(call_file(PARTNER_FD, SYNC_IOC_MERGE, &merge) == -ENOTTY);
    return both;
}

static void check_fences(void) {
    uint32_t none = new_object(), other = new_object();
    REQUIRE(export_fence(none) == -1 && errno == EINVAL);
    REQUIRE(!has_signalled(none));
    uint32_t buffer = new_buffer(DRM_FORMAT_MOD_LINEAR);
    REQUIRE(draw(buffer, 0, none, 0) == -EINVAL);      /* a fence that does not exist */
    REQUIRE(draw(buffer, 0, 0, none + 99) == -ENOENT); /* an object that does not */
    int fd = export_buffer(buffer);
    REQUIRE(import_fence(other, fd) == -EINVAL && !has_signalled(other)); /* no sync file */
    REQUIRE(import_fence(other, device) == -EINVAL && import_fence(other, -1) == -EINVAL);
    close(fd);
    close_buffer(buffer);
    /* The handle of a shared object is gone before its descriptor comes back. */
    struct drm_syncobj_create create = {.flags = DRM_SYNCOBJ_CREATE_SIGNALED};
    REQUIRE(call(DRM_IOCTL_SYNCOBJ_CREATE, &create) == 0);
    struct drm_syncobj_handle shared = {.handle = create.handle};
    REQUIRE(call(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &shared) == 0);
    struct drm_syncobj_destroy gone = {.handle = create.handle};
    REQUIRE(call(DRM_IOCTL_SYNCOBJ_DESTROY, &gone) == 0);
    struct drm_syncobj_handle back = {.fd = shared.fd};
    REQUIRE(call(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &back) == 0 && has_signalled(back.handle));
    close(shared.fd);
}

/* A bad pointer is an error of this call, and of no other. */
static void check_pointers(void) {
    void *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct drm_version version = {.name = nowhere, .name_len = 16}, fine = {0};
    struct drm_syncobj_wait wait = {.handles = address_of(nowhere), .count_handles = 1};
    REQUIRE(call(DRM_IOCTL_VERSION, &version) == -EFAULT);
    REQUIRE(call(DRM_IOCTL_SYNCOBJ_WAIT, &wait) == -EFAULT);
    REQUIRE(call(DRM_IOCTL_VERSION, &fine) == 0 && fine.name_len == 3);
    munmap(nowhere, 4096);
}

/* --- the two -------------------------------------------------------------------------------------------- */

static void open_device(const char *path) {
    device = open(path, O_RDWR | O_CLOEXEC);
    REQUIRE(device >= 0);
}

/* That the descriptor is of the same memory as another process' is told by its file. */
static ino_t file_of(int fd) {
    struct stat info;
    REQUIRE(fstat(fd, &info) == 0);
    return info.st_ino;
}

static int second(void) {
    int got[2];
    role = "second";
    open_device("/dev/dri/renderD128");
    take(PARTNER_FD, got, 2);
    uint32_t shared = import_buffer(got[0]), object = new_object(), copied = new_object();
    REQUIRE(tiling_of(shared) == DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED);
    struct pollfd polled = {.fd = got[1], .events = POLLIN};
    REQUIRE(poll(&polled, 1, 0) == 1 && polled.revents == POLLIN);
    check_info(got[1]);
    REQUIRE(import_fence(object, got[1]) == 0 && has_signalled(object));
    uint32_t *picture = map(shared);
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        REQUIRE(picture[i] == red);
    picture[MARKED] = mark;
    int again = export_buffer(shared);
    REQUIRE(file_of(again) == file_of(got[0]));
    REQUIRE(ftruncate(again, 0) != 0 && lseek(again, 0, SEEK_END) == BYTES);
    uint32_t raster = new_buffer(DRM_FORMAT_MOD_LINEAR);
    REQUIRE(draw(raster, shared, object, copied) == 0 && has_signalled(copied));
    const int give[2] = {export_buffer(raster), export_fence(copied)};
    REQUIRE(give[1] >= 0);
    pass(PARTNER_FD, give, 2);
    return 0;
}

static pid_t start(const char *self, int *socket) {
    int pair[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    pid_t child = fork();
    if (child == 0) {
        REQUIRE(dup2(pair[1], PARTNER_FD) == PARTNER_FD);
        execl(self, self, "second", (char *)NULL);
        REQUIRE(false);
    }
    REQUIRE(child > 0);
    close(pair[1]);
    *socket = pair[0];
    return child;
}

static void show(uint32_t handle) {
    uint32_t crtc = 0, connector = 0;
    struct drm_mode_card_res r = {.crtc_id_ptr = address_of(&crtc),
                                  .connector_id_ptr = address_of(&connector),
                                  .count_crtcs = 1,
                                  .count_connectors = 1};
    REQUIRE(call(DRM_IOCTL_MODE_GETRESOURCES, &r) == 0);
    struct drm_mode_modeinfo mode = {0};
    struct drm_mode_get_connector c = {
        .connector_id = connector, .modes_ptr = address_of(&mode), .count_modes = 1};
    REQUIRE(call(DRM_IOCTL_MODE_GETCONNECTOR, &c) == 0);
    REQUIRE(mode.hdisplay == SIDE && mode.vdisplay == SIDE);
    struct drm_mode_fb_cmd2 fb = {.width = SIDE,
                                  .height = SIDE,
                                  .pixel_format = DRM_FORMAT_XBGR8888,
                                  .handles = {handle},
                                  .pitches = {SIDE * 4}};
    REQUIRE(call(DRM_IOCTL_MODE_ADDFB2, &fb) == 0);
    struct drm_mode_crtc set = {.set_connectors_ptr = address_of(&connector),
                                .count_connectors = 1,
                                .crtc_id = crtc,
                                .fb_id = fb.fb_id,
                                .mode_valid = 1,
                                .mode = mode};
    REQUIRE(call(DRM_IOCTL_MODE_SETCRTC, &set) == 0);
}

static int first(const char *self) {
    int partner, got[2], status;
    open_device("/dev/dri/card0");
    pid_t child = start(self, &partner);
    check_pointers();
    check_fences();
    uint32_t buffer = new_buffer(DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED), before = new_object(),
             after = new_object();
    REQUIRE(draw(buffer, 0, 0, before) == 0 && draw(buffer, 0, before, after) == 0);
    int files[2] = {export_fence(before), export_fence(after)};
    REQUIRE(files[0] >= 0 && files[1] >= 0);
    int prime = export_buffer(buffer), both = merge(files[0], files[1]);
    close(files[0]);
    close(files[1]);
    /* The memory outlives the handle. */
    close_buffer(buffer);
    const int give[2] = {prime, both};
    pass(partner, give, 2);
    take(partner, got, 2);
    REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    /* ... and the process that made it. */
    uint32_t raster = import_buffer(got[0]), fence = new_object();
    REQUIRE(import_fence(fence, got[1]) == 0 && has_signalled(fence));
    REQUIRE(tiling_of(raster) == DRM_FORMAT_MOD_LINEAR);
    const uint32_t *picture = map(raster);
    unsigned marks = 0;
    for (unsigned i = 0; i < SIDE * SIDE; i++) {
        REQUIRE(picture[i] == red || picture[i] == mark);
        marks += picture[i] == mark;
    }
    REQUIRE(marks == 1);
    REQUIRE(map(import_buffer(prime))[MARKED] == mark);
    show(raster);
    return 0;
}

int main(int argc, char **argv) {
    return argc > 1 && !strcmp(argv[1], "second") ? second() : first(argv[0]);
}
