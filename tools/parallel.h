/* Work in several threads: the same function for many numbers. */
#ifndef TOOLS_PARALLEL_H
#define TOOLS_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

/* Calls function(user, i) once for each i below count, in up to `threads` threads (1 and more), this one
 * among them; returns when all are done. On a terminal a bar on standard error shows how far it is. */
void parallel_run(unsigned threads, size_t count, void (*function)(void *user, size_t index), void *user);

#endif
