/* Inside the compile cache: entries in a directory. */
#ifndef QPUCC_COMPILER_CACHE_H
#define QPUCC_COMPILER_CACHE_H

#include "compiler/sha256.h"

#include <qpucc/cache.h>

struct cache_directory;

/* NULL: it cannot be used */
struct cache_directory *cache_directory_open(const char *path, uint64_t max_bytes,
                                             const struct qpucc_allocator *from);
void cache_directory_close(struct cache_directory *d); /* NULL is allowed */
uint64_t cache_directory_removed(const struct cache_directory *d);
/* As in struct qpucc_cache_store. */
void *cache_directory_get(void *user, const uint8_t key[32], size_t *size);
void cache_directory_put(void *user, const uint8_t key[32], const void *data, size_t size);

#endif
