/* What a program may do to the daemon: run as
 *
 *     qpusim-device -- drm_server                        which fails where the daemon does something wrong
 *     qpusim-device --frame-limit 1 -- drm_server show   which fails, because a job does
 *     qpusim-device --frame-clock -- drm_server clock    which fails where time does not follow the frames
 *
 * The first speaks the packets of wire.h itself and looks at the daemon, its parent, from outside. */
#include "tools/device/socket.h"

#include <dirent.h>
#include <drm.h>
#include <drm_fourcc.h>
#include <drm_mode.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vc4_drm.h>

#define REQUIRE(condition)                                                                                   \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "server_test.c:%d: not so: %s (errno %d)\n", __LINE__, #condition, errno);       \
            kill(getppid(), SIGCONT);                                                                        \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static char buffer[WIRE_MOST_DATA];

static int connect_daemon(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s/" WIRE_SOCKET, getenv(WIRE_FOLDER_VARIABLE));
    REQUIRE(s >= 0 && connect(s, (struct sockaddr *)&address, sizeof address) == 0);
    return s;
}

/* The call's answer, to whose questions there are none. */
static struct wire_packet call(int s, struct wire_packet packet, void *data, int *fd) {
    struct wire_packet done;
    REQUIRE(wire_send(s, &packet, data, -1));
    REQUIRE(wire_receive(s, &done, buffer, fd) && done.kind == WIRE_DONE);
    return done;
}

static int version(int s, uint64_t inode) {
    struct drm_version v = {0};
    struct wire_packet packet = {
        .kind = WIRE_IOCTL, .number = inode, .value = (uint32_t)DRM_IOCTL_VERSION, .size = sizeof v};
    int none;
    return call(s, packet, &v, &none).status;
}

/* --- processes that begin while another thread is in a call -------------------------------------------- */

static atomic_bool enough;

static int ask_version(int device) {
    struct drm_version v = {0};
    return ioctl(device, DRM_IOCTL_VERSION, &v);
}

static void *ask_on(void *device) {
    while (!enough) {
        REQUIRE(ask_version(*(int *)device) == 0);
    }
    return NULL;
}

static void fork_beside_a_call(void) {
    int device = open("/dev/dri/card0", O_RDWR);
    pthread_t thread;
    REQUIRE(device >= 0 && pthread_create(&thread, NULL, ask_on, &device) == 0);
    for (int n = 0; n < 50; n++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            alarm(10);
            _exit(ask_version(device) != 0);
        }
        REQUIRE(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
    enough = true;
    pthread_join(thread, NULL);
    close(device);
}

/* --- sockets that take over the numbers of others ------------------------------------------------------- */

/* One connection ends while another opens the device: its file may get the number of the connection. */
static void open_while_another_ends(void) {
    int opens = connect_daemon(), end, unused;
    struct wire_packet nothing = {.kind = WIRE_ATTACH}, open_it = {.kind = WIRE_OPEN}, done;
    REQUIRE(call(opens, nothing, NULL, &unused).status == -ENOENT);
    int ends = connect_daemon();
    REQUIRE(call(ends, nothing, NULL, &unused).status == -ENOENT);
    REQUIRE(kill(getppid(), SIGSTOP) == 0);
    close(ends);
    REQUIRE(wire_send(opens, &open_it, NULL, -1));
    REQUIRE(kill(getppid(), SIGCONT) == 0);
    REQUIRE(wire_receive(opens, &done, buffer, &end) && done.status == 0 && end >= 0);
    REQUIRE(version(opens, done.value) == 0);
    close(end);
    close(opens);
}

/* --- descriptors that nobody asked for ------------------------------------------------------------------ */

static unsigned daemon_descriptors(void) {
    char path[64];
    unsigned count = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)getppid());
    DIR *folder = opendir(path);
    REQUIRE(folder);
    while (readdir(folder)) {
        count++;
    }
    closedir(folder);
    return count;
}

/* As many of the program's own descriptors as the packet is to carry. */
static void send_with(int s, const struct wire_packet *packet, const void *data, unsigned count) {
    enum { MOST = 4 };
    struct iovec parts[2] = {{(void *)(uintptr_t)packet, sizeof *packet},
                             {(void *)(uintptr_t)data, packet->size}};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(MOST * sizeof(int))];
    } control = {{0}};
    const int fds[MOST] = {0};
    struct msghdr message = {.msg_iov = parts,
                             .msg_iovlen = 2,
                             .msg_control = &control,
                             .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(c), fds, count * sizeof(int));
    REQUIRE(sendmsg(s, &message, MSG_NOSIGNAL) >= 0);
}

/* Uploads a shader, for whose code the daemon asks, and imports a buffer, for whose descriptor it asks. */
static void ask_for_more(int s, uint64_t inode) {
    struct drm_vc4_create_shader_bo shader = {.size = 8, .data = 1};
    struct drm_prime_handle import = {.fd = 0};
    struct wire_packet upload = {.kind = WIRE_IOCTL,
                                 .number = inode,
                                 .value = (uint32_t)DRM_IOCTL_VC4_CREATE_SHADER_BO,
                                 .size = sizeof shader},
                       take = {.kind = WIRE_IOCTL,
                               .number = inode,
                               .value = (uint32_t)DRM_IOCTL_PRIME_FD_TO_HANDLE,
                               .size = sizeof import},
                       packet;
    int fd;
    send_with(s, &upload, &shader, 1);
    REQUIRE(wire_receive(s, &packet, buffer, &fd) && packet.kind == WIRE_READ);
    send_with(s, &(struct wire_packet){.kind = WIRE_DATA, .size = 8}, buffer, 1);
    REQUIRE(wire_receive(s, &packet, buffer, &fd) && packet.kind == WIRE_DONE && packet.status == -EINVAL);
    REQUIRE(wire_send(s, &take, &import, -1));
    REQUIRE(wire_receive(s, &packet, buffer, &fd) && packet.kind == WIRE_TAKE_FD);
    send_with(s, &(struct wire_packet){.kind = WIRE_DATA, .status = -EBADF}, buffer, 1);
    REQUIRE(wire_receive(s, &packet, buffer, &fd) && packet.kind == WIRE_DONE && packet.status == -EINVAL);
    REQUIRE(wire_send(s, &take, &import, -1));
    REQUIRE(wire_receive(s, &packet, buffer, &fd) && packet.kind == WIRE_TAKE_FD);
    send_with(s, &(struct wire_packet){.kind = WIRE_DATA}, buffer, 2);
    REQUIRE(wire_receive(s, &packet, buffer, &fd) && packet.kind == WIRE_DONE && packet.status == -EINVAL);
}

static void give_more_than_asked(void) {
    int s = connect_daemon(), end;
    struct wire_packet done = call(s, (struct wire_packet){.kind = WIRE_OPEN}, NULL, &end);
    REQUIRE(done.status == 0);
    unsigned before = daemon_descriptors();
    for (unsigned n = 0; n < 20; n++) {
        ask_for_more(s, done.value);
    }
    REQUIRE(daemon_descriptors() <= before); /* what was closed above may go only now */
    close(end);
    close(s);
}

/* --- a program that closes what it does not know -------------------------------------------------------- */

/* As programs do before they become daemons. The library's connection is among these descriptors. */
static void close_all_but(int keep) {
    for (int fd = 3; fd < 1024; fd++) {
        if (fd != keep) {
            close(fd);
        }
    }
}

/* Every number but that of the device is a file of the program's now; they must stay. */
static void fill_descriptors(int device, int files[16]) {
    close_all_but(device);
    for (unsigned n = 0; n < 16; n++) {
        files[n] = open("/dev/null", O_RDONLY);
        REQUIRE(files[n] >= 0);
    }
}

static void close_unknown_descriptors(void) {
    int device = open("/dev/dri/card0", O_RDWR), files[16], status;
    struct drm_version v = {0};
    REQUIRE(device >= 0 && ioctl(device, DRM_IOCTL_VERSION, &v) == 0);
    fill_descriptors(device, files);
    REQUIRE(ioctl(device, DRM_IOCTL_VERSION, &v) == 0);
    pid_t child = fork();
    if (child == 0) {
        fill_descriptors(device, files);
        if (ioctl(device, DRM_IOCTL_VERSION, &v) != 0) {
            _exit(1);
        }
        for (unsigned n = 0; n < 16; n++) {
            if (fcntl(files[n], F_GETFD) < 0) {
                _exit(2);
            }
        }
        _exit(0);
    }
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
    close_all_but(-1);
}

/* --- a job that fails ----------------------------------------------------------------------------------- */

static uint64_t address_of(const void *p) {
    return (uint64_t)(uintptr_t)p;
}

/* A draw whose shaders write no vertex: the machine stops it, and the program does not hear of that. */
static void draw_badly(int device, uint32_t target) {
    static const uint64_t code[] = {0x300009e7009e7000u, 0x100009e7009e7000u, 0x100009e7009e7000u};
    static const uint8_t list[] = {112, 0,   0, 0, 0, 0, 0,  0, 0,  0,
                                   0,   0,   0, 1, 1, 0,               /* binning configuration: one tile */
                                   6,   102, 0, 0, 0, 0, 64, 0, 64, 0, /* start; clip window */
                                   64,  1,   0, 0, 0,                  /* shader state with one attribute */
                                   33,  4,   3, 0, 0, 0, 0,  0, 0,  0, /* a triangle */
                                   7,   4};
    uint8_t record[16 + 44] = {1, [4] = 1, [8] = 1, [16] = 1}; /* handle indices; one thread */
    struct drm_vc4_create_shader_bo shader = {.size = sizeof code, .data = address_of(code)};
    REQUIRE(ioctl(device, DRM_IOCTL_VC4_CREATE_SHADER_BO, &shader) == 0);
    const uint32_t handles[2] = {target, shader.handle};
    const struct drm_vc4_submit_rcl_surface none = {.hindex = UINT32_MAX};
    struct drm_vc4_submit_cl job = {.bin_cl = address_of(list),
                                    .bin_cl_size = sizeof list,
                                    .shader_rec = address_of(record),
                                    .shader_rec_size = sizeof record,
                                    .shader_rec_count = 1,
                                    .bo_handles = address_of(handles),
                                    .bo_handle_count = 2,
                                    .width = 64,
                                    .height = 64,
                                    .color_read = none,
                                    .color_write = {.bits = 0x04},
                                    .zs_read = none,
                                    .zs_write = none,
                                    .msaa_color_write = none,
                                    .msaa_zs_write = none};
    REQUIRE(ioctl(device, DRM_IOCTL_VC4_SUBMIT_CL, &job) == 0);
}

/* Shows its picture until it is ended. */
static int show(void) {
    int device = open("/dev/dri/card0", O_RDWR);
    struct drm_mode_create_dumb dumb = {.width = 64, .height = 64, .bpp = 32};
    REQUIRE(device >= 0 && ioctl(device, DRM_IOCTL_MODE_CREATE_DUMB, &dumb) == 0);
    draw_badly(device, dumb.handle);
    struct drm_mode_fb_cmd2 fb = {.width = 64,
                                  .height = 64,
                                  .pixel_format = DRM_FORMAT_XRGB8888,
                                  .handles = {dumb.handle},
                                  .pitches = {dumb.pitch}};
    REQUIRE(ioctl(device, DRM_IOCTL_MODE_ADDFB2, &fb) == 0);
    uint32_t crtc = 0;
    struct drm_mode_card_res all = {.crtc_id_ptr = address_of(&crtc), .count_crtcs = 1};
    REQUIRE(ioctl(device, DRM_IOCTL_MODE_GETRESOURCES, &all) == 0);
    struct drm_mode_crtc set = {
        .crtc_id = crtc, .fb_id = fb.fb_id, .mode_valid = 1, .mode = {.hdisplay = 64, .vdisplay = 64}};
    while (ioctl(device, DRM_IOCTL_MODE_SETCRTC, &set) == 0) {
        usleep(1000);
    }
    return 0;
}

/* --- the frame clock ------------------------------------------------------------------------------------ */

static long nanoseconds(void) {
    struct timespec now;
    REQUIRE(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return now.tv_nsec + 1000000000 * (now.tv_sec - 1);
}

/* Each atomic commit is a frame, its test is none. */
static int follow_commits(void) {
    int device = open("/dev/dri/card0", O_RDWR);
    uint32_t crtc, no_properties = 0;
    struct drm_set_client_cap cap = {.capability = DRM_CLIENT_CAP_ATOMIC, .value = 1};
    struct drm_mode_card_res all = {.crtc_id_ptr = address_of(&crtc), .count_crtcs = 1};
    struct drm_mode_atomic commit = {.flags = DRM_MODE_ATOMIC_TEST_ONLY,
                                     .count_objs = 1,
                                     .objs_ptr = address_of(&crtc),
                                     .count_props_ptr = address_of(&no_properties)};
    REQUIRE(device >= 0 && ioctl(device, DRM_IOCTL_SET_CLIENT_CAP, &cap) == 0);
    REQUIRE(ioctl(device, DRM_IOCTL_MODE_GETRESOURCES, &all) == 0);
    REQUIRE(ioctl(device, DRM_IOCTL_MODE_ATOMIC, &commit) == 0 && nanoseconds() == 0);
    commit.flags = 0;
    for (long n = 1; n <= 3; n++) {
        REQUIRE(ioctl(device, DRM_IOCTL_MODE_ATOMIC, &commit) == 0);
        REQUIRE(nanoseconds() == n * 1000000000 / 60);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "clock")) {
        return follow_commits();
    }
    if (argc > 1 && !strcmp(argv[1], "show")) {
        return show();
    }
    fork_beside_a_call();
    open_while_another_ends();
    give_more_than_asked();
    close_unknown_descriptors();
    return 0;
}
