/* The device's calls, in this process and with a machine that only remembers what it was given. */
#include <qpucc/drm.h>

#include "backend/isa/isa.h"

#include <check.h>
#include <drm.h>
#include <drm_fourcc.h>
#include <drm_mode.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <vc4_drm.h>

/* --- a machine ------------------------------------------------------------------------------------------ */

enum { MOST = 64 };

struct machine {
    struct {
        uint32_t address, size;
        uint8_t *bytes;
    } memory[MOST];
    unsigned buffers, runs, frames;
    struct qpusim_drm_frame frame;
    char log[512];
    uint64_t events;
    uint8_t render[32]; /* the last job's list begins so */
};

static bool add_memory(void *user, uint32_t address, uint32_t size, void *bytes, const char *owner) {
    struct machine *m = user;
    ck_assert_ptr_nonnull(owner);
    ck_assert_uint_lt(m->buffers, MOST);
    ck_assert_uint_eq(address % 4096, 0);
    ck_assert_uint_eq(size % 4096, 0);
    for (unsigned n = 0; n < m->buffers; n++) {
        ck_assert(address >= m->memory[n].address + m->memory[n].size ||
                  address + size <= m->memory[n].address);
    }
    m->memory[m->buffers].address = address;
    m->memory[m->buffers].size = size;
    m->memory[m->buffers++].bytes = bytes;
    return true;
}

static void remove_memory(void *user, uint32_t address) {
    struct machine *m = user;
    for (unsigned n = 0; n < m->buffers; n++) {
        if (m->memory[n].address == address) {
            m->memory[n] = m->memory[--m->buffers];
            return;
        }
    }
    ck_abort_msg("no memory at 0x%x", address);
}

static bool run(void *user, const struct qpusim_drm_lists *lists, char *error, size_t size) {
    struct machine *m = user;
    (void)error;
    (void)size;
    ck_assert_uint_lt(lists->render_start, lists->render_end);
    for (unsigned n = 0; n < m->buffers; n++) {
        uint32_t at = lists->render_start - m->memory[n].address;
        if (at < m->memory[n].size && m->memory[n].size - at >= sizeof m->render) {
            memcpy(m->render, m->memory[n].bytes + at, sizeof m->render);
        }
    }
    m->runs++;
    m->events += 7;
    return true;
}

static uint32_t ident(void *user, unsigned number) {
    (void)user;
    return 0x1000 + number;
}

static uint64_t count(void *user, unsigned counter) {
    return ((struct machine *)user)->events * (counter + 1);
}

static void frame(void *user, const struct qpusim_drm_frame *shown) {
    struct machine *m = user;
    ck_assert_uint_eq(shown->number, m->frames);
    m->frames++;
    m->frame = *shown;
}

static void remember(void *user, const char *text) {
    struct machine *m = user;
    snprintf(m->log, sizeof m->log, "%s", text);
}

static struct machine machine;
static struct qpusim_drm *device;
static struct qpusim_drm_file *file;

static void set_up(void) {
    struct qpusim_drm_hooks hooks = {.user = &machine,
                                     .add_memory = add_memory,
                                     .remove_memory = remove_memory,
                                     .run = run,
                                     .ident = ident,
                                     .count = count,
                                     .frame = frame,
                                     .log = remember};
    memset(&machine, 0, sizeof machine);
    device = qpusim_drm_new(&hooks);
    file = device ? qpusim_drm_open(device, NULL) : NULL;
    ck_assert_ptr_nonnull(file);
}

static void tear_down(void) {
    qpusim_drm_close(file);
    ck_assert_uint_eq(machine.buffers, 0);
    qpusim_drm_free(device);
}

static int call(unsigned long request, void *arg) {
    return qpusim_drm_ioctl(file, request, arg);
}

static uint64_t address_of(const void *p) {
    return (uint64_t)(uintptr_t)p;
}

static uint32_t create(uint32_t size) {
    struct drm_vc4_create_bo a = {.size = size};
    ck_assert_int_eq(call(DRM_IOCTL_VC4_CREATE_BO, &a), 0);
    return a.handle;
}

static uint8_t *map(struct qpusim_drm_file *f, uint32_t handle, size_t size) {
    struct drm_vc4_mmap_bo a = {.handle = handle};
    ck_assert_int_eq(qpusim_drm_ioctl(f, DRM_IOCTL_VC4_MMAP_BO, &a), 0);
    int fd = qpusim_drm_map(f, a.offset, size);
    ck_assert_int_ge(fd, 0);
    uint8_t *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ck_assert_ptr_ne(bytes, MAP_FAILED);
    return bytes;
}

/* --- buffers -------------------------------------------------------------------------------------------- */

START_TEST(buffers) {
    uint32_t a = create(5000), b = create(1);
    ck_assert_uint_eq(machine.buffers, 2);
    ck_assert_uint_eq(machine.memory[0].size, 8192);
    ck_assert_uint_eq(machine.memory[1].size, 4096);
    uint8_t *bytes = map(file, a, 8192);
    for (unsigned i = 0; i < 8192; i++) {
        ck_assert_uint_eq(bytes[i], 0);
    }
    bytes[4999] = 99;
    ck_assert_uint_eq(machine.memory[0].bytes[4999], 99);
    munmap(bytes, 8192);
    struct drm_gem_close close_b = {.handle = b};
    ck_assert_int_eq(call(DRM_IOCTL_GEM_CLOSE, &close_b), 0);
    ck_assert_int_eq(call(DRM_IOCTL_GEM_CLOSE, &close_b), -EINVAL);
    ck_assert_uint_eq(machine.buffers, 1);
    ck_assert_uint_eq(create(1), b); /* the lowest free handle */
    struct drm_vc4_create_bo bad[] = {{.size = 0}, {.size = 4096, .flags = 1}, {.size = 4096, .pad = 1}};
    for (unsigned n = 0; n < 3; n++) {
        ck_assert_int_eq(call(DRM_IOCTL_VC4_CREATE_BO, &bad[n]), -EINVAL);
    }
    struct drm_vc4_create_bo huge = {.size = UINT32_MAX};
    ck_assert_int_eq(call(DRM_IOCTL_VC4_CREATE_BO, &huge), -ENOMEM);
    struct drm_vc4_mmap_bo none = {.handle = 77};
    ck_assert_int_eq(call(DRM_IOCTL_VC4_MMAP_BO, &none), -ENOENT);
    ck_assert_int_eq(qpusim_drm_map(file, UINT64_C(77) << 32, 1), -EINVAL);
    ck_assert_int_eq(qpusim_drm_map(file, (uint64_t)a << 32, 8193), -EINVAL);
}
END_TEST

/* Addresses are used again, and never twice at a time (add_memory checks). */
START_TEST(addresses) {
    uint32_t handles[32] = {0};
    unsigned random = 1;
    for (unsigned n = 0; n < 2000; n++) {
        unsigned slot = (random = random * 1103515245 + 12345) >> 16 & 31;
        if (handles[slot]) {
            struct drm_gem_close a = {.handle = handles[slot]};
            ck_assert_int_eq(call(DRM_IOCTL_GEM_CLOSE, &a), 0);
            handles[slot] = 0;
        } else {
            handles[slot] = create(1 + (random >> 8) % 100000);
        }
    }
    for (unsigned n = 0; n < machine.buffers; n++) {
        ck_assert_uint_lt(machine.memory[n].address, 0x20000000);
    }
}
END_TEST

#define END "\nnop; nop; thrend\nnop\nnop\n"

static uint32_t shader_of(const char *text) {
    struct qpu_asm_result code = qpu_assemble(text, strlen(text));
    ck_assert_msg(code.code != NULL, "%u: %s", code.line, code.error);
    struct drm_vc4_create_shader_bo a = {.size = (uint32_t)code.count * 8, .data = address_of(code.code)};
    int status = call(DRM_IOCTL_VC4_CREATE_SHADER_BO, &a);
    free(code.code);
    return status ? 0 : a.handle;
}

START_TEST(shaders) {
    uint32_t handle = shader_of("mov r0, unif" END);
    ck_assert_uint_ne(handle, 0);
    struct drm_vc4_mmap_bo m = {.handle = handle};
    ck_assert_int_eq(call(DRM_IOCTL_VC4_MMAP_BO, &m), -EINVAL);
    struct drm_prime_handle p = {.handle = handle};
    ck_assert_int_eq(call(DRM_IOCTL_PRIME_HANDLE_TO_FD, &p), -EINVAL);
    ck_assert_uint_eq(shader_of("mov r0, unif\nnop\nnop\n"), 0);
    ck_assert_msg(strstr(machine.log, "thread end") != NULL, "%s", machine.log);
    ck_assert_uint_eq(shader_of("mov tmu_noswap, r0" END), 0);
    ck_assert_msg(strstr(machine.log, "36") != NULL, "%s", machine.log);
    struct drm_vc4_create_shader_bo bad[] = {
        {.size = 0}, {.size = 12}, {.size = 8, .flags = 1}, {.size = 8, .pad = 1}};
    for (unsigned n = 0; n < 4; n++) {
        ck_assert_int_eq(call(DRM_IOCTL_VC4_CREATE_SHADER_BO, &bad[n]), -EINVAL);
    }
    struct drm_vc4_create_shader_bo fault = {.size = 8};
    ck_assert_int_eq(call(DRM_IOCTL_VC4_CREATE_SHADER_BO, &fault), -EFAULT);
}
END_TEST

START_TEST(sharing) {
    struct qpusim_drm_file *other = qpusim_drm_open(device, NULL);
    uint32_t handle = create(4096);
    struct drm_vc4_set_tiling set = {.handle = handle, .modifier = DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED};
    ck_assert_int_eq(call(DRM_IOCTL_VC4_SET_TILING, &set), 0);
    set.modifier = 12345;
    ck_assert_int_eq(call(DRM_IOCTL_VC4_SET_TILING, &set), -EINVAL);
    struct drm_prime_handle out = {.handle = handle};
    ck_assert_int_eq(call(DRM_IOCTL_PRIME_HANDLE_TO_FD, &out), 0);
    struct drm_prime_handle in = {.fd = out.fd};
    ck_assert_int_eq(call(DRM_IOCTL_PRIME_FD_TO_HANDLE, &in), 0);
    ck_assert_uint_eq(in.handle, handle);
    ck_assert_int_eq(qpusim_drm_ioctl(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &in), 0);
    struct drm_vc4_get_tiling get = {.handle = in.handle};
    ck_assert_int_eq(qpusim_drm_ioctl(other, DRM_IOCTL_VC4_GET_TILING, &get), 0);
    ck_assert_uint_eq(get.modifier, DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED);
    uint8_t *here = map(file, handle, 4096), *there = map(other, in.handle, 4096);
    here[17] = 42;
    ck_assert_uint_eq(there[17], 42);
    munmap(here, 4096);
    close(out.fd);
    struct drm_gem_close gone = {.handle = handle};
    ck_assert_int_eq(call(DRM_IOCTL_GEM_CLOSE, &gone), 0);
    ck_assert_uint_eq(machine.buffers, 1);
    ck_assert_uint_eq(there[17], 42);
    munmap(there, 4096);
    qpusim_drm_close(other);
    ck_assert_uint_eq(machine.buffers, 0);
    int pipes[2];
    ck_assert_int_eq(pipe(pipes), 0);
    struct drm_prime_handle strange = {.fd = pipes[0]};
    ck_assert_int_eq(call(DRM_IOCTL_PRIME_FD_TO_HANDLE, &strange), -EINVAL);
    close(pipes[0]);
    close(pipes[1]);
}
END_TEST

START_TEST(parameters) {
    struct drm_vc4_get_param a = {.param = DRM_VC4_PARAM_V3D_IDENT1};
    ck_assert_int_eq(call(DRM_IOCTL_VC4_GET_PARAM, &a), 0);
    ck_assert_uint_eq(a.value, 0x1001);
    for (uint32_t p = DRM_VC4_PARAM_SUPPORTS_BRANCHES; p <= DRM_VC4_PARAM_SUPPORTS_PERFMON; p++) {
        a = (struct drm_vc4_get_param){.param = p};
        ck_assert_int_eq(call(DRM_IOCTL_VC4_GET_PARAM, &a), 0);
        ck_assert_uint_eq(a.value, 1);
    }
    a = (struct drm_vc4_get_param){.param = 99};
    ck_assert_int_eq(call(DRM_IOCTL_VC4_GET_PARAM, &a), -EINVAL);
    char name[8] = "";
    struct drm_version v = {.name = name, .name_len = sizeof name};
    ck_assert_int_eq(call(DRM_IOCTL_VERSION, &v), 0);
    ck_assert_str_eq(name, "vc4");
    ck_assert_uint_eq(v.name_len, 3);
    struct { /* a program's of 32 bits */
        int32_t number[3];
        uint32_t room_and_place[6];
    } narrow = {.number = {9, 9, 9}};
    ck_assert_int_eq(call(DRM_IOWR(0x00, narrow), &narrow), 0);
    ck_assert_int_eq(narrow.number[0], 0);
    ck_assert_uint_eq(narrow.room_and_place[0], 3);
    ck_assert_uint_eq(narrow.room_and_place[4], strlen("Broadcom VC4 graphics"));
    uint32_t unique[2] = {0};
    ck_assert_int_eq(call(DRM_IOWR(0x01, unique), unique), 0);
    ck_assert_uint_eq(unique[0], strlen("soc:gpu"));
    ck_assert_int_eq(qpusim_drm_ioctl(file, DRM_IOWR(0x7f, int), &a), -EINVAL);
    ck_assert_int_eq(qpusim_drm_ioctl(file, _IOWR('x', 0, int), &a), -ENOTTY);
}
END_TEST

START_TEST(advice_and_names) {
    uint32_t handle = create(4096);
    struct drm_vc4_gem_madvise a = {.handle = handle, .madv = VC4_MADV_DONTNEED};
    ck_assert_int_eq(call(DRM_IOCTL_VC4_GEM_MADVISE, &a), 0);
    ck_assert_uint_eq(a.retained, 1);
    a.madv = 7;
    ck_assert_int_eq(call(DRM_IOCTL_VC4_GEM_MADVISE, &a), -EINVAL);
    struct drm_vc4_label_bo l = {.handle = handle, .len = 5, .name = address_of("depth")};
    ck_assert_int_eq(call(DRM_IOCTL_VC4_LABEL_BO, &l), 0);
    ck_assert_uint_eq(machine.buffers, 1);
    l.handle = 55;
    ck_assert_int_eq(call(DRM_IOCTL_VC4_LABEL_BO, &l), -ENOENT);
    struct drm_vc4_wait_bo w = {.handle = handle};
    ck_assert_int_eq(call(DRM_IOCTL_VC4_WAIT_BO, &w), 0);
    w.handle = 55;
    ck_assert_int_eq(call(DRM_IOCTL_VC4_WAIT_BO, &w), -EINVAL);
}
END_TEST

/* --- jobs and fences ------------------------------------------------------------------------------------ */

/* A job without a binning list: load a colour buffer, store it. */
static struct drm_vc4_submit_cl copy_job(uint32_t *handle) {
    struct drm_vc4_submit_rcl_surface none = {.hindex = UINT32_MAX};
    return (struct drm_vc4_submit_cl){.bo_handles = address_of(handle),
                                      .bo_handle_count = 1,
                                      .width = 64,
                                      .height = 64,
                                      .color_read = {.hindex = 0, .bits = 0x11},
                                      .color_write = {.hindex = 0, .bits = 0x44},
                                      .zs_read = none,
                                      .zs_write = none,
                                      .msaa_color_write = none,
                                      .msaa_zs_write = none};
}

START_TEST(jobs) {
    uint32_t handle = create(64 * 64 * 4);
    struct drm_vc4_perfmon_create monitor = {.ncounters = 2, .events = {0, 3}};
    ck_assert_int_eq(call(DRM_IOCTL_VC4_PERFMON_CREATE, &monitor), 0);
    struct drm_syncobj_create out = {0};
    ck_assert_int_eq(call(DRM_IOCTL_SYNCOBJ_CREATE, &out), 0);
    struct drm_vc4_submit_cl job = copy_job(&handle);
    job.perfmonid = monitor.id;
    job.out_sync = out.handle;
    ck_assert_msg(call(DRM_IOCTL_VC4_SUBMIT_CL, &job) == 0, "%s", machine.log);
    ck_assert_uint_eq(machine.runs, 1);
    ck_assert_uint_eq(machine.buffers, 1); /* the lists' memory is free again */
    ck_assert_uint_eq(job.seqno, 1);
    struct drm_vc4_wait_seqno w = {.seqno = 1};
    ck_assert_int_eq(call(DRM_IOCTL_VC4_WAIT_SEQNO, &w), 0);
    w.seqno = 2;
    ck_assert_int_eq(call(DRM_IOCTL_VC4_WAIT_SEQNO, &w), -ETIME);
    uint64_t values[2] = {0};
    struct drm_vc4_perfmon_get_values get = {.id = monitor.id, .values_ptr = address_of(values)};
    ck_assert_int_eq(call(DRM_IOCTL_VC4_PERFMON_GET_VALUES, &get), 0);
    ck_assert_uint_eq(values[0], 7);
    ck_assert_uint_eq(values[1], 28);
    struct drm_syncobj_wait wait = {.handles = address_of(&out.handle), .count_handles = 1};
    ck_assert_int_eq(call(DRM_IOCTL_SYNCOBJ_WAIT, &wait), 0);
    struct drm_vc4_perfmon_destroy destroy = {.id = monitor.id};
    ck_assert_int_eq(call(DRM_IOCTL_VC4_PERFMON_DESTROY, &destroy), 0);
    ck_assert_int_eq(call(DRM_IOCTL_VC4_PERFMON_DESTROY, &destroy), -EINVAL);
    ck_assert_int_eq(call(DRM_IOCTL_VC4_SUBMIT_CL, &job), -ENOENT); /* its monitor is gone */
}
END_TEST

/* As in the kernel both words of the colour are the caller's, though 32-bit buffers have the first alone. */
START_TEST(clear_colours) {
    static const uint8_t record[] = {114,  0x44, 0x33, 0x22, 0x11, 0x88, 0x77,
                                     0x66, 0x55, 0xcc, 0xbb, 0xaa, 0x00, 0x42};
    uint32_t handle = create(64 * 64 * 4);
    struct drm_vc4_submit_cl job = copy_job(&handle);
    job.color_read.hindex = UINT32_MAX;
    job.flags = VC4_SUBMIT_CL_USE_CLEAR_COLOR;
    job.clear_color[0] = 0x11223344;
    job.clear_color[1] = 0x55667788;
    job.clear_z = 0xaabbcc;
    job.clear_s = 0x42;
    ck_assert_msg(call(DRM_IOCTL_VC4_SUBMIT_CL, &job) == 0, "%s", machine.log);
    enum { MODE = 11 }; /* the record before it */
    ck_assert_mem_eq(machine.render + MODE, record, sizeof record);
}
END_TEST

/* What a caller's structure lacks is 0, though it were all of it. */
START_TEST(short_structures) {
    uint32_t handle = create(4096);
    ck_assert_uint_eq(handle, 1);
    ck_assert_int_eq(call(DRM_IO(_IOC_NR(DRM_IOCTL_GEM_CLOSE)), NULL), -EINVAL);
    ck_assert_uint_eq(machine.buffers, 1);
}
END_TEST

/* Each job has one fault, and is refused with a reason. */
START_TEST(refused_jobs) {
    uint32_t handle = create(64 * 64 * 4), shader = shader_of("nop" END);
    static const char *const reasons[] = {
        "0 buffers",  "handle 99",       "is a shader", "do not fit", "nothing is stored",
        "of 64 x 64", "flags 0x80",      "padding",     "bits",       "handle index 5",
        "offset 8",   "memory format 3", "format 3",    "tiles 1",    "may be purged"};
    for (unsigned n = 0; n < sizeof reasons / sizeof *reasons; n++) {
        uint32_t named = n == 1 ? 99 : n == 2 ? shader : handle;
        struct drm_vc4_submit_cl job = copy_job(&named);
        struct drm_vc4_gem_madvise advice = {.handle = handle, .madv = VC4_MADV_DONTNEED};
        switch (n) {
        case 0: job.bo_handle_count = 0; break;
        case 3: job.height = 128; break;
        case 4: job.color_write.hindex = UINT32_MAX; break;
        case 5: job.max_x_tile = 1; break;
        case 6: job.flags = 0x80; break;
        case 7: job.pad2 = 1; break;
        case 8: job.color_read.bits = 0x8011; break;
        case 9: job.color_read.hindex = 5; break;
        case 10: job.color_write.offset = 8; break;
        case 11: job.color_read.bits = 0x31; break;
        case 12: job.color_write.bits = 0x4c; break;
        case 13: job.min_x_tile = 1; break;
        case 14: ck_assert_int_eq(call(DRM_IOCTL_VC4_GEM_MADVISE, &advice), 0); break;
        default: break;
        }
        machine.log[0] = 0;
        ck_assert_msg(call(DRM_IOCTL_VC4_SUBMIT_CL, &job) == -EINVAL, "job %u is not refused", n);
        ck_assert_msg(strstr(machine.log, reasons[n]) != NULL, "job %u: '%s' is not in '%s'", n, reasons[n],
                      machine.log);
    }
    ck_assert_uint_eq(machine.runs, 0);
    ck_assert_uint_eq(machine.buffers, 2);
}
END_TEST

/* What only the kernel minds: the buffer is large enough for all of it. */
START_TEST(refused_surfaces) {
    uint32_t handle = create(4112 * 64 * 4);
    static const char *const reasons[] = {"4112 x 64", "64 x 4112", "bits 0x64",
                                          "flags 0x2", "flags 0x1", "bits 0x10"};
    for (unsigned n = 0; n < sizeof reasons / sizeof *reasons; n++) {
        struct drm_vc4_submit_cl job = copy_job(&handle);
        job.color_read.hindex = UINT32_MAX;
        job.color_write.bits = 0x04;
        switch (n) {
        case 0: job.width = 4112; break;
        case 1: job.height = 4112; break;
        case 2: job.color_write.bits = 0x64; break; /* decimation by 16 */
        case 3: job.zs_read.flags = 2; break;       /* of surfaces that are absent */
        case 4: job.msaa_zs_write.flags = 1; break;
        case 5: job.msaa_color_write.bits = 0x10; break;
        default: break;
        }
        machine.log[0] = 0;
        ck_assert_msg(call(DRM_IOCTL_VC4_SUBMIT_CL, &job) == -EINVAL, "job %u is not refused", n);
        ck_assert_msg(strstr(machine.log, reasons[n]) != NULL, "job %u: '%s' is not in '%s'", n, reasons[n],
                      machine.log);
    }
    ck_assert_uint_eq(machine.runs, 0);
    struct drm_vc4_submit_cl largest = copy_job(&handle);
    largest.width = 4096;
    largest.color_write.bits = 0x14; /* linear, decimation by 4 */
    largest.color_read.hindex = UINT32_MAX;
    ck_assert_msg(call(DRM_IOCTL_VC4_SUBMIT_CL, &largest) == 0, "%s", machine.log);
}
END_TEST

/* Time grows with a list's length and not with its square, which takes minutes. */
START_TEST(many_shader_states) {
    enum { STATES = 400000, HEAD = 17, SIZE = HEAD + 5 * STATES + 2 };
    uint32_t handle = create(64 * 64 * 4);
    struct drm_vc4_submit_cl job = copy_job(&handle);
    uint8_t *list = calloc(SIZE, 1), *records = calloc(STATES, 4);
    ck_assert(list && records);
    list[0] = 112; /* binning configuration, one tile; start */
    list[13] = list[14] = 1;
    list[16] = 6;
    for (unsigned n = 0; n < STATES; n++) {
        list[HEAD + 5 * n] = 64;
    }
    list[SIZE - 2] = 7; /* increment, flush */
    list[SIZE - 1] = 4;
    job.bin_cl = address_of(list);
    job.bin_cl_size = SIZE;
    job.shader_rec = address_of(records);
    job.shader_rec_count = STATES;
    job.shader_rec_size = 4 * STATES;
    clock_t before = clock();
    ck_assert_int_eq(call(DRM_IOCTL_VC4_SUBMIT_CL, &job), -EINVAL);
    ck_assert_int_lt((clock() - before) / CLOCKS_PER_SEC, 10);
    ck_assert_msg(strstr(machine.log, "handle index 0 is no shader") != NULL, "%s", machine.log);
    free(list);
    free(records);
}
END_TEST

START_TEST(fences) {
    struct drm_syncobj_create a = {0}, b = {.flags = DRM_SYNCOBJ_CREATE_SIGNALED};
    ck_assert_int_eq(call(DRM_IOCTL_SYNCOBJ_CREATE, &a), 0);
    ck_assert_int_eq(call(DRM_IOCTL_SYNCOBJ_CREATE, &b), 0);
    uint32_t both[2] = {a.handle, b.handle};
    struct drm_syncobj_wait wait = {.handles = address_of(both), .count_handles = 2};
    ck_assert_int_eq(call(DRM_IOCTL_SYNCOBJ_WAIT, &wait), -EINVAL);
    wait.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;
    ck_assert_int_eq(call(DRM_IOCTL_SYNCOBJ_WAIT, &wait), 0);
    ck_assert_uint_eq(wait.first_signaled, 1);
    wait.flags |= DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL;
    ck_assert_int_eq(call(DRM_IOCTL_SYNCOBJ_WAIT, &wait), -ETIME);
    /* A sync file of one signals the other. */
    struct drm_syncobj_handle out = {.handle = a.handle,
                                     .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
    ck_assert_int_eq(call(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &out), -EINVAL);
    out.handle = b.handle;
    ck_assert_int_eq(call(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &out), 0);
    struct drm_syncobj_handle in = {
        .handle = a.handle, .fd = out.fd, .flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE};
    ck_assert_int_eq(call(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &in), 0);
    ck_assert_int_eq(call(DRM_IOCTL_SYNCOBJ_WAIT, &wait), 0);
    close(out.fd);
    /* One object in two files. */
    struct qpusim_drm_file *other = qpusim_drm_open(device, NULL);
    struct drm_syncobj_array all = {.handles = address_of(both), .count_handles = 2};
    ck_assert_int_eq(call(DRM_IOCTL_SYNCOBJ_RESET, &all), 0);
    ck_assert_int_eq(call(DRM_IOCTL_SYNCOBJ_WAIT, &wait), -ETIME);
    out = (struct drm_syncobj_handle){.handle = a.handle};
    ck_assert_int_eq(call(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &out), 0);
    in = (struct drm_syncobj_handle){.fd = out.fd};
    ck_assert_int_eq(qpusim_drm_ioctl(other, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &in), 0);
    close(out.fd);
    struct drm_syncobj_array one = {.handles = address_of(&in.handle), .count_handles = 1};
    ck_assert_int_eq(qpusim_drm_ioctl(other, DRM_IOCTL_SYNCOBJ_SIGNAL, &one), 0);
    wait.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;
    ck_assert_int_eq(call(DRM_IOCTL_SYNCOBJ_WAIT, &wait), 0);
    ck_assert_uint_eq(wait.first_signaled, 0);
    qpusim_drm_close(other);
    struct drm_vc4_submit_cl job = {.in_sync = 77};
    ck_assert_int_eq(call(DRM_IOCTL_VC4_SUBMIT_CL, &job), -ENOENT);
    job.in_sync = b.handle;
    ck_assert_int_eq(call(DRM_IOCTL_VC4_SUBMIT_CL, &job), -EINVAL);
    struct drm_syncobj_destroy gone = {.handle = a.handle};
    ck_assert_int_eq(call(DRM_IOCTL_SYNCOBJ_DESTROY, &gone), 0);
    ck_assert_int_eq(call(DRM_IOCTL_SYNCOBJ_DESTROY, &gone), -EINVAL);
}
END_TEST

/* --- the display ---------------------------------------------------------------------------------------- */

START_TEST(display) {
    uint32_t crtcs[4], connectors[4], encoders[4];
    struct drm_mode_card_res r = {.crtc_id_ptr = address_of(crtcs),
                                  .connector_id_ptr = address_of(connectors),
                                  .encoder_id_ptr = address_of(encoders),
                                  .count_crtcs = 4,
                                  .count_connectors = 4,
                                  .count_encoders = 4};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_GETRESOURCES, &r), 0);
    ck_assert_uint_eq(r.count_crtcs + r.count_connectors + r.count_encoders, 3);
    struct drm_mode_modeinfo modes[2];
    struct drm_mode_get_connector c = {
        .connector_id = connectors[0], .modes_ptr = address_of(modes), .count_modes = 2};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_GETCONNECTOR, &c), 0);
    ck_assert_uint_eq(c.count_modes, 1);
    ck_assert_uint_eq(modes[0].hdisplay, 640);
    struct drm_mode_create_dumb dumb = {.width = 640, .height = 480, .bpp = 32};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_CREATE_DUMB, &dumb), 0);
    ck_assert_uint_eq(dumb.pitch, 2560);
    struct drm_mode_fb_cmd2 fb = {.width = 640,
                                  .height = 480,
                                  .pixel_format = DRM_FORMAT_XRGB8888,
                                  .handles = {dumb.handle},
                                  .pitches = {2560}};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_ADDFB2, &fb), 0);
    fb.height = 481;
    ck_assert_int_eq(call(DRM_IOCTL_MODE_ADDFB2, &fb), -EINVAL);
    struct drm_mode_crtc_page_flip flip = {.crtc_id = crtcs[0], .fb_id = fb.fb_id};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_PAGE_FLIP, &flip), -EINVAL); /* the display is off */
    struct drm_mode_crtc set = {.crtc_id = crtcs[0], .fb_id = fb.fb_id, .mode_valid = 1, .mode = modes[0]};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_SETCRTC, &set), 0);
    ck_assert_int_eq(call(DRM_IOCTL_MODE_PAGE_FLIP, &flip), 0);
    ck_assert_uint_eq(machine.frames, 2);
    ck_assert_uint_eq(machine.frame.stride, 2560);
    ck_assert_uint_ge(machine.frame.size, 2560u * 480);
    /* The frame buffer keeps its memory. */
    struct drm_mode_destroy_dumb gone = {.handle = dumb.handle};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_DESTROY_DUMB, &gone), 0);
    ck_assert_uint_eq(machine.buffers, 1);
    /* GETFB gives a new handle of it, which the caller closes, though the old one's number is another's. */
    uint32_t other = create(4096), id = fb.fb_id;
    ck_assert_uint_eq(other, dumb.handle);
    struct drm_mode_fb_cmd got = {.fb_id = id};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_GETFB, &got), 0);
    ck_assert_uint_ne(got.handle, other);
    ck_assert_uint_eq(got.depth, 24);
    struct drm_gem_close close_it = {.handle = got.handle}, close_other = {.handle = other};
    munmap(map(file, got.handle, 2560 * 480), 2560 * 480);
    ck_assert_int_eq(call(DRM_IOCTL_GEM_CLOSE, &close_it), 0);
    ck_assert_int_eq(call(DRM_IOCTL_GEM_CLOSE, &close_other), 0);
    ck_assert_uint_eq(machine.buffers, 1);
    ck_assert_int_eq(call(DRM_IOCTL_MODE_RMFB, &id), 0);
    ck_assert_uint_eq(machine.buffers, 0);
    ck_assert_int_eq(call(DRM_IOCTL_MODE_PAGE_FLIP, &flip), -ENOENT);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("drm_device");
    TCase *t = tcase_create("device");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, buffers);
    tcase_add_test(t, addresses);
    tcase_add_test(t, shaders);
    tcase_add_test(t, sharing);
    tcase_add_test(t, parameters);
    tcase_add_test(t, advice_and_names);
    tcase_add_test(t, jobs);
    tcase_add_test(t, clear_colours);
    tcase_add_test(t, short_structures);
    tcase_add_test(t, refused_jobs);
    tcase_add_test(t, refused_surfaces);
    tcase_add_test(t, many_shader_states);
    tcase_add_test(t, fences);
    tcase_add_test(t, display);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
