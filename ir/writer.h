/* Text that grows as it is written, in a block of the caller's allocator. */
#ifndef QPUCC_IR_WRITER_H
#define QPUCC_IR_WRITER_H

#include "ir/heap.h"

#include <stdbool.h>

/* Begins as {.from = ...}. Memory that runs out sets `failed`, and nothing more is written. */
struct ir_writer {
    const struct qpucc_allocator *from;
    char *text; /* ends in a NUL that is not counted; whoever has the writer frees it */
    size_t size, capacity;
    bool failed;
};

void ir_write(struct ir_writer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ir_write_text(struct ir_writer *out, const char *text);
void ir_write_char(struct ir_writer *out, char c);
/* The text, which is the caller's to free then; NULL: no memory. */
char *ir_written(struct ir_writer *out);

#endif
