/* The container of a program: what save.c writes and load.c reads. */
#ifndef QPUCC_COMPILER_CONTAINER_H
#define QPUCC_COMPILER_CONTAINER_H

#include "compiler/bytes.h"
#include "compiler/program.h"

#define CONTAINER_MAGIC "QPUCC\r\n\x1a" /* 8 bytes; a transfer as text changes them */
enum {
    CONTAINER_VERSION = 5,
    CONTAINER_HEADER = 32,
    CONTAINER_STATS = 9, /* numbers of qpucc_stage_stats that do not follow from something else */
};

/* The limits that variants can meet; the others are about sources. */
static const enum qpucc_limit container_limits[] = {QPUCC_LIMIT_INSTRUCTIONS, QPUCC_LIMIT_BYTES,
                                                    QPUCC_LIMIT_WORK, QPUCC_LIMIT_SEARCH};
enum { CONTAINER_LIMITS = sizeof container_limits / sizeof *container_limits };

/* `parts`: enum qpucc_save. False: out of memory. The caller frees out->data in any case. */
bool container_write(const struct qpucc_program *program, uint32_t parts, struct bytes_out *out);

/* qpucc_program_load, but the program's arenas are still open (program_close). */
qpucc_program *container_read(const void *bytes, size_t size, const struct qpucc_allocator *from);

/* Of a whole container, header included, without the sum itself. */
static inline uint64_t container_sum(const uint8_t *data, size_t size) {
    return bytes_sum(data, CONTAINER_HEADER - 8) +
           3 * bytes_sum(data + CONTAINER_HEADER, size - CONTAINER_HEADER);
}

#endif
