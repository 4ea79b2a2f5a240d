/* Whether the program is built with the address sanitizer: each of many cases that are alike takes ten times
 * as long then, and a part of them does. */
#ifndef QPUCC_TESTS_SANITIZED_H
#define QPUCC_TESTS_SANITIZED_H

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

#endif
