/* The machine behind a vc4 device: see gpu.h. */
#include "tools/gpu.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Memory that the binner asks for lies above everything that a driver places. */
enum { OVERFLOW_SIZE = 256 << 10, OVERFLOW_MOST = 256 };
static const uint32_t overflow_base = 0xe0000000u;

struct place {
    char text[320];
    struct place *next;
};

struct gpu {
    struct gpu_options options;
    struct qpusim_memory *memory;
    struct qpusim_block *block;
    struct qpusim_counters counters;
    unsigned overflows; /* buffers that the binner was given for the lists that run */
    pthread_mutex_t mutex;
    struct place *named; /* what lenient mode has reported */
};

static bool give_overflow(void *user, struct qpusim_block *block) {
    struct gpu *gpu = user;
    uint32_t address = overflow_base + gpu->overflows * (uint32_t)OVERFLOW_SIZE;
    if (gpu->overflows == OVERFLOW_MOST ||
        qpusim_memory_add(gpu->memory, address, OVERFLOW_SIZE, NULL, "binner overflow") != QPUSIM_OK) {
        return false;
    }
    gpu->overflows++;
    qpusim_block_write(block, QPUSIM_BPOA, address, NULL, NULL);
    qpusim_block_write(block, QPUSIM_BPOS, OVERFLOW_SIZE, NULL, NULL);
    return true;
}

static void name_place(void *user, const struct qpusim_error *error) {
    static const char *const stages[] = {"fragment", "vertex", "coordinate"};
    struct gpu *gpu = user;
    struct place *place = calloc(1, sizeof *place);
    if (!place) {
        return;
    }
    snprintf(place->text, sizeof place->text, "%s shader, instruction %u: %s", stages[error->stage],
             error->instruction, error->text);
    pthread_mutex_lock(&gpu->mutex);
    const struct place *known = gpu->named;
    while (known && strcmp(known->text, place->text) != 0) {
        known = known->next;
    }
    if (known) {
        free(place);
    } else {
        place->next = gpu->named;
        gpu->named = place;
        if (gpu->options.log) {
            fprintf(gpu->options.log, "lenient: %s\n", place->text);
        }
    }
    pthread_mutex_unlock(&gpu->mutex);
}

struct gpu *gpu_new(const struct gpu_options *options) {
    struct gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu) {
        return NULL;
    }
    gpu->options = *options;
    pthread_mutex_init(&gpu->mutex, NULL);
    gpu->memory = qpusim_memory_new(0);
    gpu->block = gpu->memory ? qpusim_block_new(gpu->memory) : NULL;
    if (!gpu->block) {
        gpu_free(gpu);
        return NULL;
    }
    qpusim_block_on_overflow(gpu->block, give_overflow, gpu);
    return gpu;
}

void gpu_free(struct gpu *gpu) {
    if (!gpu) {
        return;
    }
    qpusim_block_free(gpu->block);
    qpusim_memory_free(gpu->memory);
    for (struct place *place = gpu->named; place;) {
        struct place *next = place->next;
        free(place);
        place = next;
    }
    pthread_mutex_destroy(&gpu->mutex);
    free(gpu);
}

struct qpusim_memory *gpu_memory(struct gpu *gpu) {
    return gpu->memory;
}

const struct qpusim_counters *gpu_counters(const struct gpu *gpu) {
    return &gpu->counters;
}

uint64_t gpu_count(const struct gpu *gpu, unsigned source) {
    return source < QPUSIM_COUNTS ? qpusim_block_count(gpu->block, (enum qpusim_count)source) : 0;
}

uint32_t gpu_ident(const struct gpu *gpu, unsigned number) {
    return qpusim_block_read(gpu->block, QPUSIM_IDENT0 + 4 * number);
}

bool gpu_run(struct gpu *gpu, const struct qpusim_drm_lists *lists, char *error, size_t size) {
    struct qpusim_options options = {.lenient = gpu->options.lenient,
                                     .ideal = gpu->options.ideal,
                                     .nearest_positions = gpu->options.nearest_positions,
                                     .fault = gpu->options.fault,
                                     .threads = gpu->options.threads,
                                     .tolerated = gpu->options.lenient ? name_place : NULL,
                                     .tolerated_user = gpu,
                                     .counters = &gpu->counters};
    struct qpusim_error why = {0};
    qpusim_block_write(gpu->block, QPUSIM_BPOS, 0, NULL, NULL);
    enum qpusim_status status = qpusim_run_lists(gpu->block, lists->bin_start, lists->bin_end,
                                                 lists->render_start, lists->render_end, &options, &why);
    for (unsigned n = 0; n < gpu->overflows; n++) {
        qpusim_memory_remove(gpu->memory, overflow_base + n * (uint32_t)OVERFLOW_SIZE);
    }
    gpu->overflows = 0;
    if (status == QPUSIM_OK) {
        return true;
    }
    static const char *const stages[] = {"fragment", "vertex", "coordinate"};
    if (status == QPUSIM_STRICT || status == QPUSIM_BUDGET) {
        snprintf(error, size, "record at 0x%08x, %s shader, instruction %u: %s", why.record,
                 stages[why.stage], why.instruction, why.text);
    } else {
        snprintf(error, size, "record at 0x%08x: %s", why.record, why.text);
    }
    return false;
}
