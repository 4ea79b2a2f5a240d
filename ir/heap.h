/* Memory that is no arena's: blocks that outlive one, or that grow. Each knows whose allocator it came from,
 * so whoever frees it need not. */
#ifndef QPUCC_IR_HEAP_H
#define QPUCC_IR_HEAP_H

#include <qpucc/allocator.h>

/* From NULL: the C library's. Aligned for any type; NULL: no memory. */
void *ir_heap_get(const struct qpucc_allocator *from, size_t size);
/* The same, zeroed. */
void *ir_heap_zeroed(const struct qpucc_allocator *from, size_t size);
/* As realloc. A block stays with its allocator; `from` is that of the first, where `block` is NULL. */
void *ir_heap_resize(const struct qpucc_allocator *from, void *block, size_t size);
/* NULL is allowed. */
void ir_heap_free(void *block);

#endif
