/* Jobs: submit, wait, performance monitors. A job runs before its submit returns, so nobody ever waits. */
#include "runtime/drm/device.h"

#include <stdio.h>

enum { MOST_HANDLES = 65536, MOST_BYTES = 256 << 20 };

/* --- memory of a job ------------------------------------------------------------------------------------ */

struct job {
    struct qpusim_drm_file *file;
    struct drm_buffer *areas[QPUSIM_DRM_AREAS];
    struct drm_buffer **buffers;       /* by handle index, each with a reference */
    struct qpusim_drm_buffer *checked; /* ... as the checks see them */
    struct qpusim_drm_view *views;     /* ... as a recorder sees them */
    void *arrays[3];
    struct drm_perfmon *perfmon;
};

static bool place_area(void *user, enum qpusim_drm_area area, uint32_t size, struct qpusim_drm_memory *out) {
    static const char *const names[] = {"binning list, records and uniforms", "tile state and tile lists",
                                        "rendering list"};
    struct job *job = user;
    struct drm_buffer *buffer = drm_buffer_new(job->file->device, size, names[area]);
    if (!buffer) {
        return false;
    }
    job->areas[area] = buffer;
    *out = (struct qpusim_drm_memory){.address = buffer->address, .size = size, .bytes = buffer->bytes};
    return true;
}

static void end_job(struct job *job, uint32_t count) {
    for (int area = 0; area < QPUSIM_DRM_AREAS; area++) {
        drm_buffer_unref(job->areas[area]);
    }
    for (uint32_t n = 0; job->buffers && n < count; n++) {
        drm_buffer_unref(job->buffers[n]);
    }
    for (int n = 0; n < 3; n++) {
        free(job->arrays[n]);
    }
    free(job->buffers);
    free(job->checked);
    free(job->views);
}

static int read_handles(struct job *job, const struct drm_vc4_submit_cl *a) {
    struct qpusim_drm *device = job->file->device;
    uint32_t count = a->bo_handle_count;
    if (count == 0 || count > MOST_HANDLES) {
        return drm_invalid(device, "SUBMIT_CL: %u buffers", count);
    }
    uint32_t *handles = calloc(count, sizeof *handles);
    job->buffers = calloc(count, sizeof *job->buffers);
    job->checked = calloc(count, sizeof *job->checked);
    job->views = calloc(count, sizeof *job->views);
    int status = handles && job->buffers && job->checked && job->views ? 0 : -ENOMEM;
    if (!status && !drm_read(job->file, handles, a->bo_handles, count * sizeof *handles)) {
        status = -EFAULT;
    }
    for (uint32_t n = 0; n < count && !status; n++) {
        struct drm_buffer *b = drm_buffer_of(job->file, handles[n]);
        if (!b) {
            status = drm_invalid(device, "SUBMIT_CL: no buffer has handle %u", handles[n]);
        } else if (b->unneeded) {
            status = drm_invalid(device, "SUBMIT_CL: the buffer of handle %u may be purged", handles[n]);
        } else {
            b->references++;
            job->buffers[n] = b;
            job->checked[n] = (struct qpusim_drm_buffer){b->address, b->size, b->shader};
            job->views[n] = (struct qpusim_drm_view){handles[n], b->uid, b->code_size, b->modifier, b->bytes};
        }
    }
    free(handles);
    return status;
}

static int read_arrays(struct job *job, const struct drm_vc4_submit_cl *a) {
    const uint64_t from[3] = {a->bin_cl, a->shader_rec, a->uniforms};
    const uint32_t size[3] = {a->bin_cl_size, a->shader_rec_size, a->uniforms_size};
    for (int n = 0; n < 3; n++) {
        if (size[n] > MOST_BYTES) {
            return drm_invalid(job->file->device, "SUBMIT_CL: %u bytes", size[n]);
        }
        job->arrays[n] = calloc(1, size[n] + 1u);
        if (!job->arrays[n]) {
            return -ENOMEM;
        }
        if (!drm_read(job->file, job->arrays[n], from[n], size[n])) {
            return -EFAULT;
        }
    }
    return 0;
}

/* --- running -------------------------------------------------------------------------------------------- */

static void count_events(const struct job *job, int sign) {
    const struct qpusim_drm_hooks *h = &job->file->device->hooks;
    struct drm_perfmon *p = job->perfmon;
    for (uint32_t n = 0; p && h->count && n < p->count; n++) {
        p->values[n] += (uint64_t)sign * h->count(h->user, p->events[n]);
    }
}

static void run_job(const struct job *job, const struct qpusim_drm_submit *submit,
                    const struct qpusim_drm_lists *lists) {
    struct qpusim_drm *device = job->file->device;
    const struct qpusim_drm_hooks *h = &device->hooks;
    char error[400] = "";
    if (h->submit) {
        h->submit(h->user, submit, job->views);
    }
    count_events(job, -1);
    /* As on the chip, the caller does not hear of a job that fails: the pictures lack what it did not
     * draw. */
    if (!h->run(h->user, lists, error, sizeof error)) {
        drm_log(device, "job %llu fails: %s", (unsigned long long)device->seqno, error);
    }
    count_events(job, 1);
    if (h->done) {
        h->done(h->user, submit, job->views);
    }
}

static int submit_cl(struct qpusim_drm_file *f, void *arg) {
    struct drm_vc4_submit_cl *a = arg;
    struct job job = {.file = f};
    struct qpusim_drm_lists lists;
    char reason[QPUSIM_DRM_TEXT];
    int status = drm_check_in_sync(f, a->in_sync);
    if (!status) {
        status = drm_check_in_sync(f, a->out_sync) == -ENOENT ? -ENOENT : 0;
    }
    if (!status && a->perfmonid) {
        job.perfmon = drm_table_find(&f->perfmons, a->perfmonid);
        status = job.perfmon ? 0 : -ENOENT;
    }
    if (status) {
        drm_log(f->device, "SUBMIT_CL: in_sync %u, out_sync %u or perfmon %u is bad", a->in_sync, a->out_sync,
                a->perfmonid);
        return status;
    }
    status = read_handles(&job, a);
    if (!status) {
        status = read_arrays(&job, a);
    }
    if (!status) {
        struct qpusim_drm_submit submit = {a, job.arrays[0], job.arrays[1], job.arrays[2], job.checked};
        status = qpusim_drm_prepare(&submit, place_area, &job, &lists, reason);
        if (status) {
            drm_log(f->device, "SUBMIT_CL: %s", reason);
        } else {
            a->seqno = ++f->device->seqno;
            run_job(&job, &submit, &lists);
            status = drm_signal_out_sync(f, a->out_sync);
        }
    }
    end_job(&job, a->bo_handle_count);
    return status;
}

static int wait_seqno(struct qpusim_drm_file *f, void *arg) {
    const struct drm_vc4_wait_seqno *a = arg;
    return a->seqno <= f->device->seqno ? 0 : -ETIME;
}

static int wait_bo(struct qpusim_drm_file *f, void *arg) {
    const struct drm_vc4_wait_bo *a = arg;
    if (a->pad || !drm_buffer_of(f, a->handle)) {
        return drm_invalid(f->device, "WAIT_BO: no buffer has handle %u", a->handle);
    }
    return 0;
}

/* --- performance monitors ------------------------------------------------------------------------------- */

static int perfmon_create(struct qpusim_drm_file *f, void *arg) {
    struct drm_vc4_perfmon_create *a = arg;
    if (!a->ncounters || a->ncounters > DRM_VC4_MAX_PERF_COUNTERS) {
        return drm_invalid(f->device, "PERFMON_CREATE: %u counters", a->ncounters);
    }
    for (uint32_t n = 0; n < a->ncounters; n++) {
        if (a->events[n] >= VC4_PERFCNT_NUM_EVENTS) {
            return drm_invalid(f->device, "PERFMON_CREATE: counter %u", a->events[n]);
        }
    }
    struct drm_perfmon *p = calloc(1, sizeof *p);
    if (!p) {
        return -ENOMEM;
    }
    p->count = a->ncounters;
    memcpy(p->events, a->events, sizeof p->events);
    a->id = drm_table_add(&f->perfmons, p);
    if (!a->id) {
        free(p);
        return -ENOMEM;
    }
    return 0;
}

static int perfmon_destroy(struct qpusim_drm_file *f, void *arg) {
    struct drm_perfmon *p = drm_table_remove(&f->perfmons, ((struct drm_vc4_perfmon_destroy *)arg)->id);
    free(p);
    return p ? 0 : -EINVAL;
}

static int perfmon_get_values(struct qpusim_drm_file *f, void *arg) {
    const struct drm_vc4_perfmon_get_values *a = arg;
    const struct drm_perfmon *p = drm_table_find(&f->perfmons, a->id);
    if (!p) {
        return drm_invalid(f->device, "PERFMON_GET_VALUES: no monitor %u", a->id);
    }
    return drm_write(f, a->values_ptr, p->values, p->count * sizeof *p->values) ? 0 : -EFAULT;
}

#define VC4(name, structure, call)                                                                           \
    { DRM_COMMAND_BASE + DRM_VC4_##name, sizeof(struct drm_vc4_##structure), #name, call }
const struct drm_call drm_queue_calls[] = {
    VC4(SUBMIT_CL, submit_cl, submit_cl),
    VC4(WAIT_SEQNO, wait_seqno, wait_seqno),
    VC4(WAIT_BO, wait_bo, wait_bo),
    VC4(PERFMON_CREATE, perfmon_create, perfmon_create),
    VC4(PERFMON_DESTROY, perfmon_destroy, perfmon_destroy),
    VC4(PERFMON_GET_VALUES, perfmon_get_values, perfmon_get_values),
    {0},
};
