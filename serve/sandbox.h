/* What a worker may do once it has started: compute, and talk over the one socket that it has. */
#ifndef SERVE_SANDBOX_H
#define SERVE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/* Gives up every capability, also those that a program could get by execution, and with them the user and the
 * groups if it is root: nobody's are left. False: something is left, and the process must not go on. */
bool sandbox_drop_rights(void);

/* Closes every descriptor but `fd` and 0 to 2 (which lead nowhere), bounds memory, CPU time, files and
 * processes, and installs a seccomp filter that ends the process at any system call which opens, connects,
 * starts, maps code or looks at other processes. Nothing undoes it. False: the process must not go on. */
bool sandbox_enter(int fd, size_t memory, unsigned cpu_seconds);

#endif
