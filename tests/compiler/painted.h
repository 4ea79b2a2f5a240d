/* How much stack a function takes: it runs in a thread whose stack is painted before. */
#ifndef QPUCC_TESTS_PAINTED_H
#define QPUCC_TESTS_PAINTED_H

#include <stddef.h>

/* Bytes between the deepest that was written and where the thread began. Ends the program where there is no
 * thread. */
size_t painted_stack(void (*run)(void *user), void *user);

/* Do frames have the size that they have for users? Not with the sanitizers. */
#ifdef __SANITIZE_ADDRESS__
#define PAINTED_COUNTS 0
#else
#define PAINTED_COUNTS 1
#endif

#endif
