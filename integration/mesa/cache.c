/* Code on disk: Mesa's shader cache keeps what libqpucc's keys find (qpucc/cache.h).
 * MESA_SHADER_CACHE_DISABLE, _DIR and _MAX_SIZE act as they do for the rest of Mesa. */
#include "glue.h"

#include "util/disk_cache.h"

/* Mesa's keys are shorter: 20 bytes of a digest are as good. */
_Static_assert(CACHE_KEY_SIZE <= QPUCC_CACHE_KEY_BYTES, "a key is cut, not read beyond its end");

static void *get(void *user, const uint8_t key[QPUCC_CACHE_KEY_BYTES], size_t *size) {
    return disk_cache_get(user, key, size);
}

static void put(void *user, const uint8_t key[QPUCC_CACHE_KEY_BYTES], const void *data, size_t size) {
    disk_cache_put(user, key, data, size, NULL);
}

/* The library's build is in its keys, so entries of another one are never found. */
void glue_cache_open(struct qpucc_glue *glue) {
    glue->disk = disk_cache_create("vc4", "qpucc", 0);
    struct qpucc_cache_store store = {.user = glue->disk, .get = get, .put = put};
    if (glue->disk)
        glue->cache = qpucc_cache_open_store(&store);
}

void glue_cache_close(struct qpucc_glue *glue) {
    qpucc_cache_close(glue->cache);
    disk_cache_destroy(glue->disk);
}
