/* Memory of the caller's for the libraries: as options.allocator of a compile, and where else a header says
 * so.
 *
 *     static const struct qpucc_allocator pool = {&my_pool, my_allocate, my_reallocate, my_release};
 *     options.allocator = &pool;
 *     program = qpucc_compile(sources, 2, &state, &options);
 *
 * A program, shader, cache or explanation remembers the allocator that it was made with. What is made of it
 * later, its variants among them, comes from there, too, unless other options name another one. Each block
 * goes back to where it came from, whoever frees it: what several programs share was allocated for the first
 * of them, and goes back with the last. So the struct has to stay where it is, unchanged, until all of them
 * are freed. There is no default to be set for the process.
 *
 * Not from there comes what is not of these libraries: the C++ heap of glslang and of SPIRV-Tools (while a
 * source is read; glslang keeps its tables), the address range that glslang's parser has as a stack, and
 * what functions of the C library allocate for themselves, to sort and to read files. The entry points for
 * code as text (qpucc_assemble, qpucc_check, qpucc_check_chip, qpucc_opt, qpucc_explain_code) have no
 * allocator. */
#ifndef QPUCC_ALLOCATOR_H
#define QPUCC_ALLOCATOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All three functions have to be there. They are called with `user` as it is, from every thread that calls
 * the library with what was made with the allocator or shares something with that, and may be called from
 * several at once. They may not call the library. */
struct qpucc_allocator {
    void *user;
    /* `size` bytes, never 0, aligned as malloc aligns; NULL: there are none. A compile for which memory runs
     * out is a program with a diagnostic of code "internal", or NULL. Besides small blocks it asks for one of
     * 8 MiB, in which it writes only once memory has run out. */
    void *(*allocate)(void *user, size_t size);
    /* As realloc with memory that is never NULL and a size that is never 0. NULL: there is not so much, and
     * `memory` stays as it is. */
    void *(*reallocate)(void *user, void *memory, size_t size);
    /* Takes back memory, which is never NULL. It cannot fail. */
    void (*release)(void *user, void *memory);
};

#ifdef __cplusplus
}
#endif

#endif
