/* Whether the program is built with the address sanitizer: each of many cases that are alike takes ten times
 * as long then, and a part of them does. */
#ifndef QPUCC_TESTS_SANITIZED_H
#define QPUCC_TESTS_SANITIZED_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* Of the conformance suites' cases glsl_suite takes one half, spirv_corpus the other: each goes through
 * frontend/glsl once. Cases that are alike follow each other in the files, many of them two by two: a vertex
 * and a fragment shader. */
static inline bool in_sanitized_half(size_t number, unsigned half) {
    return !SANITIZED || number / 2 % 2 == half;
}

#endif
