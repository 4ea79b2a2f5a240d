/* What a worker may do once it has started: compute, and talk over the one socket that it has. */
#ifndef SERVE_SANDBOX_H
#define SERVE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/* Closes every descriptor but `fd` and 0 to 2 (which lead nowhere), bounds memory, CPU time, files and
 * processes, and installs a seccomp filter that ends the process at any system call which opens, connects,
 * starts, maps code or looks at other processes. Nothing undoes it. False: the process must not go on. */
bool sandbox_enter(int fd, size_t memory, unsigned cpu_seconds);

#endif
